#pragma once
// What PIO-SIM needs to know of the target machine: plain values that machine/ fills from the `io` section.
#include <cstdint>

#include "pfssim/parameters.hpp"

namespace mpisim::pio {

/// Where accesses get their time from.
enum class Model : std::uint8_t {
  disk,  ///< each rank has a disk of its own
  pfs,   ///< the ranks share a parallel file system
};

/// What the program's own POSIX and stdio files cost.
enum class Posix : std::uint8_t {
  local,  ///< each rank has a disk for them
  pfs,    ///< they are where the MPI-IO files are
  free,
};

/// How collective reads and writes are carried out; all move the same data. A number among all
/// implementations (collective.hpp); these are the project's own, others follow them.
enum class Collective : std::uint8_t {
  barrier,        ///< all ranks meet, then each makes its own accesses
  grouping,       ///< the same, but groups of ranks take turns
  two_phase,      ///< aggregators access contiguous parts of the file and exchange the data with the others
  list,           ///< all ranks meet, then each sends its pieces in lists
  disk_directed,  ///< the disks wait for all ranks' lists and serve them in the order of their addresses
};

/// What is one piece of a request that leaves the library.
enum class Coalesce : std::uint8_t {
  off,    ///< a run of the view's filetype
  on,     ///< adjacent runs of a request together
  etype,  ///< an element of the view's etype; the runs of a view of bytes, which has no elements to tell
          ///< apart
};

/// The defaults are those of a machine file without an `io` section (a test compares them with the schema).
struct Config {
  Model model = Model::disk;
  Collective collective = Collective::two_phase;
  Coalesce coalesce = Coalesce::on;
  /// Ranks that access the file in a two-phase operation; 0 = all of the communicator. The hint `cb_nodes` of
  /// MPI_File_open goes before it.
  std::uint64_t aggregators = 0;
  /// Bytes that an aggregator of a two-phase operation accesses in each round; 0 = all at once. The hint
  /// `cb_buffer_size` of MPI_File_open goes before it.
  std::uint64_t collective_buffer = std::uint64_t{16} << 20;
  /// Holes up to this size, in bytes, are read (and written back) with what is around them in two-phase
  /// operations.
  std::uint64_t sieve_hole = 0;
  /// Ranks of a group that accesses the file at the same time (Collective::grouping).
  std::uint64_t group_size = 4;
  /// Of a rank that opens a file, and of other calls that ask the file system about a file (close, delete,
  /// sizes). Ranks pay it at the same time with their own disks, one after the other with a parallel file
  /// system.
  kernel::SimTime open_cost = kernel::SimTime::picoseconds(22'000'000'000);
  kernel::SimTime metadata_cost = kernel::SimTime::picoseconds(1'000'000'000);
  disk::ArrayParameters raid;  ///< in place of each disk
  disk::Factory disk = disk::factory<disk::Analytic>(disk::AnalyticParameters{});
  /// Between programs and real files; else only times are simulated (see host_file.hpp).
  bool moves_data = true;
  Posix posix = Posix::local;
  disk::AnalyticParameters local_disk;
  pfs::Parameters pfs;  ///< without its costs and disks, which are those above

  /// All that PFS-SIM needs.
  pfs::Parameters file_system() const {
    pfs::Parameters all = pfs;
    all.open_cost = open_cost;
    all.metadata_cost = metadata_cost;
    all.disk = disk;
    all.raid = raid;
    return all;
  }
};

}  // namespace mpisim::pio
