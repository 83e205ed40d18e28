#pragma once
// What wrappers say when a rank asks for something a simulated rank cannot have.
#include <string>

namespace mpisim::runtime {

/// Ends the run with status 2 and "mpisim: rank 3: CALL at FILE:LINE: REASON".
/// Outside of ranks, only call it where the real function has been ruled out.
[[noreturn]] void refuse(const char* call, const char* reason, const void* return_address);

/// The same text as a warning, once per process for each call.
void warn_once(const char* call, const char* text, const void* return_address);

}  // namespace mpisim::runtime
