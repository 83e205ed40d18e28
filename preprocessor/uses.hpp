#pragma once
// How an expression uses a variable: the decision between the two forms of access.
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

namespace mpisim::preprocessor {

enum class Use {
  read,     ///< only the value (of the variable, a member or an element) is taken
  segment,  ///< written, or otherwise accessed in place: GS-relative access does
  address,  ///< an address leaves the expression: an ordinary pointer is needed
};

/// Classifies the use of `reference`. `parents` holds the expressions and statements around it, outermost
/// first, without itself.
Use classify_use(const clang::DeclRefExpr* reference, const std::vector<const clang::Stmt*>& parents,
                 clang::ASTContext& context);

}  // namespace mpisim::preprocessor
