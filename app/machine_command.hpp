#pragma once
#include "app/arguments.hpp"

namespace mpisim::app {

// `mpisim machine show`, `check` and `list`: return the exit status.
int machine_show(const Arguments& arguments);
int machine_check(const Arguments& arguments);
int machine_list(const Arguments& arguments);

}  // namespace mpisim::app
