#pragma once
// Cost counters of `--compute counted`.
//
// Each piece of straight code adds its price, which the runtime computes from the machine file when the
// program starts, to a sum in a register. Functions that only this unit calls return their sum beside their
// result, so that it stays in registers wherever they are inlined and loops of known length cost one product.
// In front of a call that may enter the simulator, and where a function returns to other units, the sum goes
// to memory (__mpisim_counted), from where the runtime takes it.
#include <map>

#include "llvm/IR/Module.h"
#include "preprocessor/pass/instruction_cost.hpp"

namespace mpisim::preprocessor {

/// Suffix of the functions with counters that are entered in place of the plain ones.
inline constexpr const char* counted_suffix = ".mpisim_counted";

/// Puts counters into all functions of a module that is a copy of the program's, and has bodies only of those
/// that can_be_counted. What other units or pointers
/// may call gets an entry, named after the function with `counted_suffix`; the function itself is only
/// declared afterwards.
void insert_counters(llvm::Module& module);

/// Whether a function can have a second body beside its plain one.
bool can_be_counted(const llvm::Function& function);

}  // namespace mpisim::preprocessor
