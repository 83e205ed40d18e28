#pragma once
// What is in object files, archives and shared libraries, as far as linking needs to know.
#include <set>
#include <string>
#include <vector>

#include "preprocessor/command_line.hpp"

namespace mpisim::preprocessor {

/// Names that a shared library exports.
std::set<std::string> exported_symbols(const std::string& shared_library);

/// Names of C library functions whose calls go to libmpisim: those that it wraps, save those that the program
/// defines itself.
std::vector<std::string> symbols_to_wrap(const std::string& runtime_library,
                                         const std::vector<std::string>& objects, const CommandLine& line);

}  // namespace mpisim::preprocessor
