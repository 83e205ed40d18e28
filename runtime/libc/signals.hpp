#pragma once
// Signal handlers of a rank. A rank's handlers run only when the rank itself raises a signal or faults:
// nothing in simulated time sends signals.
#include <csignal>

#include "runtime/libc/libc_state.hpp"

namespace mpisim::runtime {

/// Calls the current rank's handler for a fault, on the stack of the caller; false if it has none.
bool deliver_fault(int signal, siginfo_t* info, void* context);

}  // namespace mpisim::runtime
