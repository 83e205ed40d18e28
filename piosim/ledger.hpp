#pragma once
// What each rank asked for in each file, as it left the MPI-IO library, whatever serves it.
#include <cstdint>
#include <string>
#include <vector>

#include "pfssim/statistics.hpp"
#include "piosim/storage.hpp"

namespace mpisim::pio {

/// Of a rank, of a file, or of both.
struct FileUseCounts {
  pfs::RequestCounts requests;
  std::uint64_t seeks = 0;  ///< requests that did not begin where the same rank's last one had ended
  pfs::TallySum served;     ///< what disks did for them, and where their blocks were found

  void add(const FileUseCounts& other) {
    requests.add(other.requests);
    seeks += other.seeks;
    served.add(other.served);
  }
};

/// Of one rank: its files in the order in which it first opened them.
struct RankLedger {
  struct Entry {
    std::string path;
    FileUseCounts counts;
  };
  int rank = 0;
  std::vector<Entry> files;

  /// Index of the entry of a path.
  std::uint32_t entry(const std::string& path) {
    for (std::uint32_t i = 0; i < files.size(); ++i)
      if (files[i].path == path) return i;
    files.push_back({path, {}});
    return static_cast<std::uint32_t>(files.size() - 1);
  }
  FileUseCounts total() const {
    FileUseCounts sum;
    for (const Entry& file : files) sum.add(file.counts);
    return sum;
  }
};

}  // namespace mpisim::pio
