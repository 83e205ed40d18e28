#pragma once
// The I/O statistics of a run as tables for people: one for each kind of thing that there is (ranks, files,
// nodes, disks), of what the JSON holds under `per_rank[].io`, `files`, `file_system` and `io.disks`.
#include <string>

namespace mpisim::app {

struct RunReport;

enum class IoTables : bool {
  busiest,  ///< the first few lines of each table, by bytes moved or time busy, below their sums
  all,      ///< all lines, in their own order, with the columns about caches and disks of ranks and files
};

/// Empty without any I/O.
std::string io_tables(const RunReport& report, IoTables extent);

}  // namespace mpisim::app
