#pragma once
// The plug-ins beside libmpisim.so: what they need (Open MPI, METIS) is loaded only by runs that use it.
#include <memory>

#include "simkernel/partition.hpp"
#include "simkernel/transport.hpp"

namespace mpisim::app {

/// The transport over Open MPI. Initialises MPI. Throws std::runtime_error that says what is missing.
std::unique_ptr<kernel::Transport> load_openmpi_transport(int* argc, char*** argv);

/// METIS for the graph partition. Throws std::runtime_error that says what is missing.
kernel::MetisPartitioner load_metis_partitioner();

}  // namespace mpisim::app
