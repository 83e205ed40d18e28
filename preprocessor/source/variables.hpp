#pragma once
// Which variables of a translation unit each rank has its own of, seen in its source: for refusals at their
// places. What is done about them is decided on the IR (pass/placement.hpp), by the same rules.
#include <unordered_map>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

namespace mpisim::preprocessor {

enum class Storage {
  automatic,  ///< on the stack: not our business
  per_rank,   ///< one copy per rank
  shared,     ///< constant: one copy for all ranks
  library,    ///< belongs to the C library, but each rank has its own
  foreign,    ///< only declared, by a system header
};

/// Decides where variables live, and remembers it. One object per translation unit.
class Variables {
 public:
  explicit Variables(clang::ASTContext& context) : context_(context) {}

  Storage storage(const clang::VarDecl* variable);
  /// True if the initializer holds addresses of private variables.
  bool holds_private_addresses(const clang::Expr* initializer);
  /// The linker's name of a variable.
  static std::string symbol(const clang::VarDecl* variable);

 private:
  Storage classify(const clang::VarDecl* canonical);

  clang::ASTContext& context_;
  std::unordered_map<const clang::VarDecl*, Storage> known_;
};

}  // namespace mpisim::preprocessor
