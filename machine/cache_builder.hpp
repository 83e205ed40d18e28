#pragma once
// The `io.cache` section: checks that concern several of its values, and what it means for PFS-SIM.
#include <cstdint>
#include <vector>

#include "machine/diagnostic.hpp"
#include "machine/document.hpp"
#include "pfssim/caching.hpp"

namespace mpisim::machine {

/// Adds the faults of values that do not fit together.
void check_caches(const Node& cache, std::uint64_t io_nodes, std::vector<Diagnostic>& diagnostics);

/// Of a section without faults.
pfs::CachingParameters caching_parameters(const Node& cache, std::uint64_t io_nodes);

}  // namespace mpisim::machine
