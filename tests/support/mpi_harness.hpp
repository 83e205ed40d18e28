#pragma once
// Runs a C++ function as the ranks of a program inside the test process: no compiler driver, no private data,
// an ideal network. Checks inside the function go through what it returns (0 = fine) or std::atomic counters,
// not Catch2's macros, which do not know fibers.
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "mpisim/world.hpp"
#include "network_models/network_model.hpp"
#include "simkernel/in_process_transport.hpp"

namespace mpisim::test {

struct HarnessOptions {
  int hosts = 1;
  std::uint64_t seed = 1;
  bool deterministic = true;
  std::string protocol;    ///< empty: conditional, of one host sequential
  std::string order_file;  ///< read by the protocol ideal, written by sequential; empty: none
  bool cancels = true;     ///< as of a program that calls MPI_Cancel
  std::uint64_t kept_bytes = std::uint64_t{256} << 20;                     ///< as WorldOptions
  std::uint64_t livelock_polls = std::uint64_t{1} << 20;                   ///< as WorldOptions
  double wall_seconds_between_flushes = 0;                                 ///< as WorldOptions
  std::uint64_t output_bytes = std::uint64_t{64} << 20;                    ///< as WorldOptions
  std::uint64_t most_results = std::numeric_limits<std::uint64_t>::max();  ///< as WorldOptions
  std::function<void(std::string_view)> on_output;  ///< told of what is written when it is; null: nobody
  mpi::Config config;
  std::shared_ptr<network::NetworkModel> network;  ///< null: ideal, 1 us
  std::vector<std::uint16_t> host_of_rank;
  int ranks_per_node = 1;
  std::function<network::NodeId(int)> node_of;  ///< null: by ranks_per_node
  /// Makes what a layer above MPI-SIM keeps per host process; null: none.
  std::function<std::shared_ptr<mpi::WorldExtension>()> extension;
};

struct HarnessResult : mpi::RunResult {
  std::string output;  ///< stdout and stderr of all ranks, in order
};

/// body(rank) is the program of each rank; MPI calls in it are the C entry points (PMPI_ or MPI_ names of
/// mpi.h).
HarnessResult run_ranks(int ranks, const std::function<int(int)>& body, const HarnessOptions& options = {});

}  // namespace mpisim::test
