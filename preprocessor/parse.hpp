#pragma once
// Parses preprocessed C and rewrites it.
#include <set>
#include <string>
#include <vector>

#include "preprocessor/privatizer.hpp"

namespace mpisim::preprocessor {

struct RewriteResult {
  bool ok = false;  ///< false if anything was reported as an error
  std::string text;
};

/// Parses the file with the given compiler flags (warnings as the user asked for them; diagnostics go to
/// stderr with the places that the line markers name) and privatizes it.
RewriteResult parse_and_privatize(const std::string& preprocessed_file, const std::vector<std::string>& flags,
                                  const PrivatizeOptions& options);

/// The same, only for the diagnostics of the compiler.
bool check_syntax(const std::string& preprocessed_file, const std::vector<std::string>& flags);

/// Reports everything in the file that is not supported, MPI functions that are not among `runtime_exports`
/// included; false if there is anything.
bool check_coverage(const std::string& preprocessed_file, const std::vector<std::string>& flags,
                    const std::set<std::string>& runtime_exports);

}  // namespace mpisim::preprocessor
