#pragma once
// Checks of the `io:` section that concern several of its values; Description::io_config() makes it a
// configuration.
#include <cstdint>
#include <vector>

#include "machine/diagnostic.hpp"
#include "machine/document.hpp"

namespace mpisim::machine {

/// Adds the faults of values that do not fit together.
void check_io(const Node& tree, std::uint64_t io_nodes, std::vector<Diagnostic>& diagnostics);

}  // namespace mpisim::machine
