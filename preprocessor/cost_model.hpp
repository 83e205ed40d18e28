#pragma once
// What a piece of source costs, by class of operation, as `counted` compute sees it.
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "runtime/target_abi.h"

namespace mpisim::preprocessor {

/// Operations per class (see mpisim_cost_class). Sums saturate at what the table's 32 bits hold.
class CostVector {
 public:
  void add(mpisim_cost_class kind, std::uint64_t count = 1);
  CostVector& operator+=(const CostVector& other);
  bool is_zero() const;
  /// Comma-separated counts, as the assembler's .long takes them.
  std::string spell() const;

 private:
  std::array<std::uint64_t, MPISIM_COST_CLASSES> counts_{};
};

/// How the cost of a call is known.
enum class CallKind {
  math,      ///< a mathematical function
  cheap,     ///< fabs, abs and the like: an instruction or so
  free,      ///< a hint to the compiler
  library,   ///< a function of the C library that does not enter the simulator
  block,     ///< memcpy and the like: the third argument is a number of bytes
  special,   ///< setjmp, alloca, va_*: must stay as written
  function,  ///< anything else: may enter the simulator
};

CallKind classify_call(const clang::CallExpr* call);

/// Bytes of a call of CallKind::block, if the compiler knows them.
std::optional<std::uint64_t> constant_length(const clang::CallExpr* call);

/// The static cost of one evaluation of an expression: everything that it contains, both sides of && || ?:.
/// `on_statements` is called for the body of a statement expression, whose cost it adds. `on_function` is
/// called for a function that the program calls directly and adds what its body costs, if that is to be paid
/// where it is called.
CostVector cost_of(const clang::Expr* expression, clang::ASTContext& context,
                   const std::function<void(const clang::CompoundStmt*, CostVector&)>& on_statements,
                   const std::function<void(const clang::FunctionDecl*, CostVector&)>& on_function);

}  // namespace mpisim::preprocessor
