#pragma once
// Loops that wait by polling.
//
// Whether a program that tests for a message again and again waits for it, or tests a number of times and
// goes on, no simulator can see from its calls. Its loops tell: one that waits repeats the same until a poll
// succeeds. The runtime is told in front of such polls (mpisim_waits_by_polling), and lets them take longer
// the longer the wait is.
#include "llvm/IR/PassManager.h"

namespace mpisim::preprocessor {

/// Marks polls (MPI_Test, MPI_Iprobe and their kin) in loops that nothing but the success of a poll can end:
/// on all paths on which polls are in vain, every condition of a branch stays what it is, and nothing is
/// called but polls.
void mark_waiting_loops(llvm::Module& module, llvm::FunctionAnalysisManager& analyses);

}  // namespace mpisim::preprocessor
