#pragma once
// What a port will meet: `mpisimcc --coverage`.
#include <set>
#include <string>

#include "clang/AST/ASTContext.h"

namespace mpisim::preprocessor {

/// Reports, as errors at their places, the uses of MPI functions that libmpisim does not export.
void report_missing_mpi(clang::ASTContext& context, const std::set<std::string>& runtime_exports);

}  // namespace mpisim::preprocessor
