#pragma once
#include "app/arguments.hpp"

namespace mpisim::app {

/// `mpisim sweep`: returns the exit status. Throws UsageError and machine::InvalidMachine (exit status 2).
int sweep_command(const Arguments& arguments);

}  // namespace mpisim::app
