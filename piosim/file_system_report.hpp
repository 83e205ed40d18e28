#pragma once
// What the machine's file system did in a run, from all host processes.
#include <memory>
#include <string>
#include <vector>

#include "pfssim/statistics.hpp"
#include "piosim/ledger.hpp"
#include "simkernel/engine.hpp"

namespace mpisim::pio {

/// A file, over all compute nodes.
struct FileReport {
  std::string path;  ///< as the program that opened it reached it
  pfs::RequestCounts requests;
  pfs::TallySum served;
};

/// A file that ranks used, on whatever storage.
struct UsedFile {
  std::string path;  ///< as the simulator reaches it
  std::uint64_t ranks = 0;
  FileUseCounts counts;
};

/// A rank that used files.
struct RankUse {
  int rank = 0;
  FileUseCounts counts;
};

struct FileSystemReport {
  std::vector<RankUse> ranks;              ///< in their order, as many as were asked for
  std::vector<UsedFile> used;              ///< by path
  std::vector<pfs::NodeStatistics> nodes;  ///< cnodes, then ionodes, then metadata servers, by number
  std::vector<FileReport> files;           ///< in the order in which they were first opened

  /// What no rank waited for.
  pfs::TallySum background() const {
    pfs::TallySum sum;
    for (const pfs::NodeStatistics& node : nodes) sum.add(node.background);
    return sum;
  }
};

/// What one host process knows.
struct FileSystemNotes {
  std::vector<std::shared_ptr<const RankLedger>> ranks;
  std::vector<const pfs::Counting*> nodes;
  std::vector<std::pair<std::uint32_t, std::string>> paths;  ///< of files, by number; perhaps several times
};

/// Called on every host process after the run; the report is on host 0. `most_ranks`: ranks from this number
/// on are in sums only.
FileSystemReport gather_report(kernel::Engine& engine, const FileSystemNotes& notes,
                               std::uint64_t most_ranks);

}  // namespace mpisim::pio
