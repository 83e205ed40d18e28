#pragma once
// `--set path=value`: changes of single values from the command line.
#include <string>
#include <vector>

#include "machine/diagnostic.hpp"
#include "machine/document.hpp"

namespace mpisim::machine {

/// Applies "path=value" to the tree of a file. The path names keys and indices of lists, separated by dots
/// (network.shape.0; network.shape[0] means the same); the value is YAML. Sections on the way are made. Keys
/// that the schema does not know are put in too: checking reports them, with this override as their place.
/// Changing a section's `model` drops the keys that the file gives for its former model.
void apply_override(Node& tree, const std::string& assignment, std::vector<Diagnostic>& diagnostics);

}  // namespace mpisim::machine
