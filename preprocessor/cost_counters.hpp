#pragma once
// The counters of `counted` compute: at the start of every straight-line piece of code ("block") its static
// price is added to a variable of the function, which is flushed to the rank's counter when the function ends
// and before anything is called that may enter the simulator.
#include <string>

#include "clang/AST/ASTContext.h"
#include "preprocessor/source_text.hpp"
#include "preprocessor/text_edits.hpp"

namespace mpisim::preprocessor {

/// Inserts counters into all functions of the unit, those of system headers excepted. Returns declarations
/// and the tables of costs and prices, on one line, to be put in front of the unit; `segment` spells the
/// address space of GS.
std::string insert_counters(clang::ASTContext& context, const SourceText& source, const std::string& segment,
                            TextEdits& edits);

}  // namespace mpisim::preprocessor
