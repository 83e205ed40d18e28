#pragma once
// Rewrites a C translation unit so that each rank has its own static data.
#include "clang/AST/ASTContext.h"
#include "preprocessor/text_edits.hpp"

namespace mpisim::preprocessor {

struct PrivatizeOptions {
  bool for_gcc = false;  ///< which compiler will read the result
  bool pic = false;      ///< -fPIC: static data of this unit may end up in a shared library
  bool counted = true;   ///< insert cost counters
  bool common = false;   ///< -fcommon: tentative definitions of several units are one variable
};

/// Collects the edits that privatize a unit. Reports everything that it cannot handle through the context's
/// diagnostics engine, all faults at once; the result must not be used if any was an error.
///
/// Each use of a private variable is replaced, where its name stands, by an expression of the same type: a
/// dereferenced pointer into the segment that GS points to, or, where an address leaves the expression, a
/// dereferenced ordinary pointer that has been displaced by the rank's delta. Everything around stays as
/// written.
void privatize(clang::ASTContext& context, const PrivatizeOptions& options, TextEdits& edits);

}  // namespace mpisim::preprocessor
