#pragma once
// The processor's cycle counter (rdtsc and rdtscp of x86-64): it shows the host's time, and a rank is to see
// simulated time wherever it looks.
#include "llvm/IR/Module.h"

namespace mpisim::preprocessor {

/// Replaces what reads the counter, built-in functions and inline assembly, by calls of the runtime
/// (mpisim_read_cycles, mpisim_rdtsc, mpisim_rdtscp). Assembly outside of functions stays as it is.
void read_simulated_cycles(llvm::Module& module);

}  // namespace mpisim::preprocessor
