#pragma once
// What calls of numerical libraries cost that come without counters: the Basic Linear Algebra Subprograms, by
// the operations that their definitions ask for (Lawson et al. 1979, Dongarra et al. 1988 and 1990).
#include <optional>

#include "llvm/IR/InstrTypes.h"
#include "preprocessor/pass/instruction_cost.hpp"

namespace mpisim::preprocessor {

/// A cost that is so many times the product of arguments of the call.
struct LibraryCost {
  CostCounts unit{};
  llvm::SmallVector<unsigned>
      factors;  ///< numbers of the arguments, integers or, from Fortran, their addresses
};

/// Nothing for functions that are not in the table, or are called with other arguments than theirs.
std::optional<LibraryCost> library_cost(const llvm::CallBase& call);

}  // namespace mpisim::preprocessor
