#pragma once
// From YAML text to a tree with places, including other files.
#include <filesystem>
#include <string>
#include <vector>

#include "machine/diagnostic.hpp"
#include "machine/document.hpp"

namespace mpisim::machine {

/// Reads a file and those that it includes (`include: FILE`, relative to the file that says so, or one that
/// catalogue.hpp lists; what the including file says wins). Adds a diagnostic and goes on for files that are
/// missing, are not YAML or include themselves; the tree is empty if one is missing or includes itself. The
/// tree has no `include` keys any more. Files are named in places as `path` names them.
Node read_file(const std::filesystem::path& path, std::vector<Diagnostic>& diagnostics);

/// One YAML value given in text, every node of it with `origin`.
Node read_value(const std::string& text, const Origin& origin, std::vector<Diagnostic>& diagnostics);

}  // namespace mpisim::machine
