#pragma once
// What PIO-SIM counts, per rank, in mpi::RankResult::counters.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pfssim/disk_statistics.hpp"

#include "mpisim/world.hpp"
#include "pfssim/transaction.hpp"

namespace mpisim::pio {

struct FileOnStorage;

enum class Counter : std::size_t {
  requests,    ///< contiguous reads and writes that left the MPI-IO library for the file system
  disk_reads,  ///< requests that a disk served
  disk_writes,
  seeks,       ///< requests that did not begin where the same rank's last one in this file had ended
  disk_seeks,  ///< requests that did not begin where the disk's last one had ended
  bytes_read,
  bytes_written,
  metadata_calls,  ///< about files and names: opens, closes, deletes, sizes
};

/// What the disks of the parallel file system did, from mpi::RunResult::extension, by I/O node, disk and
/// member.
std::vector<pfs::DiskStatistics> disk_statistics(const std::vector<std::vector<std::byte>>& results);

/// Adds to a counter of the current rank.
void count(Counter counter, std::uint64_t amount = 1);

/// Adds what the disks did. (What caches did is counted there: see file_system_report.hpp.)
void count_tally(mpi::Counters& counters, const pfs::Tally& tally);
/// The same for the current rank, for a request in this file.
void count_tally(const FileOnStorage& file, const pfs::Tally& tally);

}  // namespace mpisim::pio
