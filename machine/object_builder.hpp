#pragma once
// The sections `io.objects` and `io.metadata` of a machine file as parameters of PFS-SIM.
#include <vector>

#include "machine/diagnostic.hpp"
#include "machine/document.hpp"
#include "pfssim/object_parameters.hpp"

namespace mpisim::machine {

/// Adds the faults of values of the section `io` that do not fit together.
void check_objects(const Node& io, std::vector<Diagnostic>& diagnostics);

/// Of a checked section `io`.
pfs::ObjectParameters object_parameters(const Node& io);
pfs::MetadataParameters metadata_parameters(const Node& io, std::uint64_t servers);

}  // namespace mpisim::machine
