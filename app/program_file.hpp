#pragma once
#include <string>

namespace mpisim::app {

/// Finds the target program: as a path if it has a slash or is in the current directory, else along PATH.
/// Checks that it can be started and that mpisimcc has linked it. Throws UsageError that names it and the
/// mend.
std::string find_program(const std::string& name);

}  // namespace mpisim::app
