#pragma once
// Checks a tree against the schema.
#include <vector>

#include "machine/diagnostic.hpp"
#include "machine/document.hpp"
#include "machine/schema.hpp"

namespace mpisim::machine {

/// The tree with every key of the schema in its order, defaults filled in (Origin::is_default()) and typed
/// values. Adds a diagnostic for every fault; where there is one, that part of the result is incomplete.
Node check(const Field& schema, const Node& tree, std::vector<Diagnostic>& diagnostics);

}  // namespace mpisim::machine
