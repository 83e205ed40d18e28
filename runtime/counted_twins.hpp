#pragma once
// Lets a program run the bodies with counters (runtime/target_abi.h, mpisim_twin).
#include "runtime/target_abi.h"

namespace mpisim::runtime {

/// Makes all plain functions of a module begin with a jump to their twins. Throws std::runtime_error if the
/// system does not let us write to code.
void enter_twins(const mpisim_module& module);

/// Whether any registered module has code with counters.
bool has_counters();

}  // namespace mpisim::runtime
