#include "preprocessor/pass/library_costs.hpp"

#include "llvm/IR/Function.h"

namespace mpisim::preprocessor {
namespace {

struct Routine {
  llvm::StringRef name;                         // without precision
  unsigned multiplications, additions, memory;  // for each element of the product of the sizes
  llvm::ArrayRef<unsigned> sizes;               // arguments of the Fortran routine
  unsigned added;                               // arguments that the C interface has in front
};

constexpr unsigned n_first[] = {0};
constexpr unsigned m_n[] = {0, 1};
constexpr unsigned behind_one[] = {1, 2};
constexpr unsigned behind_two[] = {2, 3, 4};
constexpr unsigned n_n_k[] = {2, 2, 3};
constexpr unsigned m_n_m_two[] = {2, 3, 2};
constexpr unsigned m_n_m_four[] = {4, 5, 4};
constexpr unsigned n_n_second[] = {1, 1};

const Routine routines[] = {
    {"gemm", 1, 1, 0, behind_two, 1}, {"symm", 1, 1, 0, m_n_m_two, 1},  {"syrk", 1, 1, 0, n_n_k, 1},
    {"trsm", 1, 1, 0, m_n_m_four, 1}, {"trmm", 1, 1, 0, m_n_m_four, 1}, {"gemv", 1, 1, 1, behind_one, 1},
    {"symv", 1, 1, 1, n_n_second, 1}, {"ger", 1, 1, 2, m_n, 1},         {"axpy", 1, 1, 3, n_first, 0},
    {"dot", 1, 1, 2, n_first, 0},     {"scal", 1, 0, 2, n_first, 0},    {"copy", 0, 0, 2, n_first, 0},
    {"swap", 0, 0, 4, n_first, 0},    {"nrm2", 1, 1, 1, n_first, 0},    {"asum", 0, 1, 1, n_first, 0},
};

}  // namespace

std::optional<LibraryCost> library_cost(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || !callee->isDeclaration()) return std::nullopt;
  llvm::StringRef name = callee->getName();
  const bool from_c = name.consume_front("cblas_");
  if (!from_c && !name.consume_back("_")) return std::nullopt;
  if (name.size() < 2 || !llvm::StringRef("sdcz").contains(name[0])) return std::nullopt;
  // A complex multiplication is four of real numbers and two additions.
  const bool is_complex = name[0] == 'c' || name[0] == 'z';
  for (const Routine& routine : routines) {
    if (name.drop_front() != routine.name) continue;
    LibraryCost cost;
    cost.unit[MPISIM_COST_FP_MUL] = routine.multiplications * (is_complex ? 4 : 1);
    cost.unit[MPISIM_COST_FP_ADD] = routine.additions * (is_complex ? 4 : 1);
    cost.unit[MPISIM_COST_MEMORY] = routine.memory * (is_complex ? 2 : 1);
    for (const unsigned size : routine.sizes) {
      const unsigned argument = size + (from_c ? routine.added : 0);
      if (argument >= call.arg_size()) return std::nullopt;
      const llvm::Type* type = call.getArgOperand(argument)->getType();
      if (from_c ? !type->isIntegerTy() : !type->isPointerTy()) return std::nullopt;
      cost.factors.push_back(argument);
    }
    return cost;
  }
  return std::nullopt;
}

}  // namespace mpisim::preprocessor
