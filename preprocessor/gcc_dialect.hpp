#pragma once
// Text that clang's preprocessor produced, for gcc.
#include "clang/AST/ASTContext.h"
#include "preprocessor/source_text.hpp"
#include "preprocessor/text_edits.hpp"

namespace mpisim::preprocessor {

/// Replaces what headers hold for clang only: typedefs of names that are keywords of gcc, and the built-in
/// functions behind <stdatomic.h>.
void translate_for_gcc(clang::ASTContext& context, const SourceText& source, TextEdits& edits);

}  // namespace mpisim::preprocessor
