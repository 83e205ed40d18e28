#pragma once
// Gives each rank its own data (runtime/target_abi.h): the last step of the optimizer.
//
// Until here the module is the native program's and has been optimized as that. Now every access to a private
// variable becomes one to the running rank's copy of it:
//   - loads and stores at the variable, or at elements of it, go through the segment register GS;
//   - in loops that index few arrays, and wherever an address escapes, an ordinary pointer is made of the
//     variable's address and the rank's displacement.
#include "llvm/IR/PassManager.h"

namespace mpisim::preprocessor {

/// Rewrites the module and describes it in its note. Reports an error for any use of a private variable that
/// it could not rewrite.
void privatize(llvm::Module& module, llvm::FunctionAnalysisManager& analyses, bool counted);

/// Of objects that are compiled as position-independent code for shared libraries.
bool is_for_shared_library(const llvm::Module& module);

}  // namespace mpisim::preprocessor
