#pragma once
// What PIO-SIM needs to know of the target machine: plain values that machine/ fills from the `io` section.
#include <cstdint>

#include "disk_models/analytic.hpp"
#include "simkernel/sim_time.hpp"

namespace mpisim::pio {

/// How collective reads and writes are carried out; both move the same data.
enum class Collective : std::uint8_t {
  barrier,    ///< all ranks meet, then each makes its own accesses
  two_phase,  ///< aggregators access contiguous parts of the file and exchange the data with the others
};

/// The defaults are those of a machine file without an `io` section (a test compares them with the schema).
struct Config {
  Collective collective = Collective::two_phase;
  /// Adjacent pieces of one request are merged before they leave the library.
  bool coalesce = true;
  /// Ranks that access the file in a two-phase operation; 0 = all of the communicator. The hint `cb_nodes` of
  /// MPI_File_open goes before it.
  std::uint64_t aggregators = 0;
  /// What each rank pays when it opens a file, and for other calls that ask the file system about a file
  /// (close, delete, sizes).
  kernel::SimTime open_cost = kernel::SimTime::picoseconds(22'000'000'000);
  kernel::SimTime metadata_cost = kernel::SimTime::picoseconds(1'000'000'000);
  disk::AnalyticParameters disk;
};

}  // namespace mpisim::pio
