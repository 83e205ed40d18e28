#pragma once
#include <filesystem>

#include "app/arguments.hpp"

namespace mpisim::app {

/// The file of a machine that a user names, by its path or by its name in the catalogue. Throws UsageError
/// that names the nearest one if there is none.
std::filesystem::path machine_file(const std::string& name);

// `mpisim machine show`, `check` and `list`: return the exit status.
int machine_show(const Arguments& arguments);
int machine_check(const Arguments& arguments);
int machine_list(const Arguments& arguments);

}  // namespace mpisim::app
