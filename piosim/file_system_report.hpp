#pragma once
// What the machine's file system did in a run, from all host processes.
#include <string>
#include <vector>

#include "pfssim/statistics.hpp"
#include "simkernel/engine.hpp"

namespace mpisim::pio {

/// A file, over all compute nodes.
struct FileReport {
  std::string path;  ///< as the program that opened it reached it
  pfs::RequestCounts requests;
  pfs::TallySum served;
};

struct FileSystemReport {
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
  std::vector<const pfs::Counting*> nodes;
  std::vector<std::pair<std::uint32_t, std::string>> paths;  ///< of files, by number; perhaps several times
};

/// Called on every host process after the run; the report is on host 0.
FileSystemReport gather_report(kernel::Engine& engine, const FileSystemNotes& notes);

}  // namespace mpisim::pio
