#pragma once
// Which variables of a translation unit each rank has its own of.
#include <string>
#include <unordered_map>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"

namespace mpisim::preprocessor {

enum class Placement {
  automatic,  ///< on the stack: not our business
  per_rank,   ///< one copy per rank
  shared,     ///< constant: one copy for all ranks, accessed as written
  library,    ///< belongs to the C library, but each rank has its own: an accessor of libmpisim finds it
  foreign,    ///< belongs to a system library or to the linker: accessed as written
};

/// Decides where variables live, and remembers it. One object per translation unit.
///
/// Private: everything with static storage, save what follows. Shared: constants with internal linkage whose
/// initializer holds no address of private data. Constants with external linkage are private, since other
/// translation units that see only a declaration must come to the same conclusion.
class Variables {
 public:
  explicit Variables(clang::ASTContext& context) : context_(context) {}

  Placement placement(const clang::VarDecl* variable);
  /// The name under which libmpisim knows a variable of placement library.
  static std::string library_name(const clang::VarDecl* variable);
  /// True if the variable is a constant whose value needs no relocation, so that reading the image gives what
  /// reading a rank's copy gives.
  bool readable_in_image(const clang::VarDecl* variable);
  /// True if the initializer holds addresses of private variables.
  bool holds_private_addresses(const clang::Expr* initializer);
  /// True if the variable lies in zeroed memory: no initializer, or one that is all zero bits.
  bool is_zero(const clang::VarDecl* variable);
  /// The declaration that carries the initializer, or a tentative definition, or null if only declared here.
  static const clang::VarDecl* definition(const clang::VarDecl* variable);
  /// True for `static` and for hidden visibility: such variables of position independent code are not found
  /// through the global offset table.
  static bool is_module_local(const clang::VarDecl* variable);

 private:
  Placement classify(const clang::VarDecl* canonical);

  clang::ASTContext& context_;
  std::unordered_map<const clang::VarDecl*, Placement> known_;
};

/// True if the name is a variable of the C library that each rank has its own of.
bool is_library_variable(const std::string& name);

}  // namespace mpisim::preprocessor
