#pragma once
// The sections `io.objects`, `io.metadata` and `io.burst_buffer` of a machine file as parameters of PFS-SIM.
#include <vector>

#include "machine/diagnostic.hpp"
#include "machine/document.hpp"
#include "pfssim/burst_parameters.hpp"
#include "pfssim/object_parameters.hpp"

namespace mpisim::machine {

/// Adds the faults of values of the section `io` that do not fit together.
void check_objects(const Node& io, std::vector<Diagnostic>& diagnostics);

/// Of a checked section `io`.
pfs::ObjectParameters object_parameters(const Node& io);
pfs::MetadataParameters metadata_parameters(const Node& io, std::uint64_t servers);

/// Adds the faults of `io.burst_buffer`, if there is one, with `nodes` nodes for buffers.
void check_burst_buffer(const Node& io, std::uint64_t nodes, std::vector<Diagnostic>& diagnostics);
/// Of a checked section `io`; none without `io.burst_buffer` or a parallel file system.
pfs::BurstParameters burst_parameters(const Node& io, std::uint64_t nodes);

}  // namespace mpisim::machine
