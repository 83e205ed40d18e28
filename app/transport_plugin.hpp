#pragma once
#include <memory>

#include "simkernel/transport.hpp"

namespace mpisim::app {

/// The transport over Open MPI, from the plug-in beside libmpisim.so, so that a run with one host process
/// never loads Open MPI. Initialises MPI. Throws std::runtime_error that says what is missing.
std::unique_ptr<kernel::Transport> load_openmpi_transport(int* argc, char*** argv);

}  // namespace mpisim::app
