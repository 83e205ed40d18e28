#pragma once
// What instructions cost, in the classes of runtime/target_abi.h. Counted before any optimization, so that
// the figure belongs to the program and not to what a compiler makes of it.
#include <array>
#include <cstdint>

#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instruction.h"
#include "runtime/target_abi.h"

namespace mpisim::preprocessor {

using CostCounts = std::array<std::uint32_t, MPISIM_COST_CLASSES>;

/// Adds the cost of one execution of an instruction, of calls without what their callees cost.
///   - Local variables, their members and elements at constant places are taken to live in registers.
///   - Integer arithmetic that only selects elements of arrays is free: every optimizer turns it into
///   addressing
///     modes and induction variables.
///   - An operation on a vector counts once for each 16 bytes of it.
void add_cost(const llvm::Instruction& instruction, CostCounts& cost);

enum class CallKind {
  free,     ///< a hint to the compiler, or one of its own
  counted,  ///< all of its cost is known: an instruction, a function of the C library that does not enter the
            ///< simulator
  function,  ///< anything else: may enter the simulator
};
CallKind classify_call(const llvm::CallBase& call);

/// The number of bytes that a call moves, if its cost depends on that and the number is not a constant; else
/// null.
llvm::Value* variable_length(const llvm::CallBase& call);

/// True for functions of the C library that `classify_call` knows by name.
bool is_known_function(llvm::StringRef name);

}  // namespace mpisim::preprocessor
