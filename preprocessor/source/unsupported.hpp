#pragma once
// What a rank of a simulated program cannot do, found in the source.
#include <string>

#include "clang/AST/ASTContext.h"
#include "preprocessor/source/variables.hpp"

namespace mpisim::preprocessor {

/// Reports, as errors at their places, all constructs of the unit that would not work or could be
/// miscompiled: assembly that names private variables, variables in sections of their own. Calls that start
/// threads and processes, which end the run only where they are made, are errors or warnings.
void report_unsupported(clang::ASTContext& context, Variables& variables, bool calls_are_errors);

/// Why a function of the C library cannot be called by a simulated program; null if it can.
const char* reason_against_function(const std::string& name);

}  // namespace mpisim::preprocessor
