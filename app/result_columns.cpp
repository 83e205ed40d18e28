#include "app/result_columns.hpp"

#include <algorithm>
#include <array>

namespace mpisim::app {

const std::vector<ResultColumn>& result_columns() {
  using Q = Quantity;
  static const std::vector<ResultColumn> list{
      {"predicted_time_s", "/predicted_time_s", "predicted time", Q::seconds},
      {"predicted_time_ps", "/predicted_time_ps", "predicted time", Q::picoseconds},
      {"compute_mean_ps", "/breakdown/compute_ps/mean", "compute, mean of ranks", Q::picoseconds},
      {"communication_mean_ps", "/breakdown/communication_ps/mean", "communication, mean of ranks",
       Q::picoseconds},
      {"io_mean_ps", "/breakdown/io_ps/mean", "I/O, mean of ranks", Q::picoseconds},
      {"communication_max_ps", "/breakdown/communication_ps/max", "communication, largest of ranks",
       Q::picoseconds},
      {"io_max_ps", "/breakdown/io_ps/max", "I/O, largest of ranks", Q::picoseconds},
      {"messages", "/messages", "messages", Q::count},
      {"bytes", "/bytes", "message bytes", Q::bytes},
      {"io_requests", "/io/requests", "I/O requests", Q::count},
      {"disk_reads", "/io/disk_reads", "disk reads", Q::count},
      {"disk_writes", "/io/disk_writes", "disk writes", Q::count},
      {"seeks", "/io/seeks", "seeks", Q::count},
      {"disk_seeks", "/io/disk_seeks", "disk seeks", Q::count},
      {"cnode_hits", "/io/cache/cnode_hits", "blocks from the node's cache", Q::count},
      {"remote_hits", "/io/cache/remote_hits", "blocks from other nodes' caches", Q::count},
      {"ionode_hits", "/io/cache/ionode_hits", "blocks from I/O nodes' caches", Q::count},
      {"misses", "/io/cache/misses", "blocks from disk", Q::count},
      {"disk_utilisation", "/io/all_disks/utilisation_mean", "utilisation of the disks, mean", Q::share},
      {"disk_utilisation_max", "/io/all_disks/utilisation_max", "utilisation of the busiest disk", Q::share},
      {"disk_cylinders", "/io/all_disks/cylinders", "cylinders that heads moved over", Q::count},
      {"disk_wait_ps", "/io/all_disks/mean_wait_ps", "wait at the disks, mean of requests", Q::picoseconds},
      {"disk_queue_max", "/io/all_disks/longest_queue", "longest queue at a disk", Q::count},
      {"invalidated", "/file_system/invalidated", "blocks invalidated", Q::count},
      {"forwarded", "/file_system/forwarded", "blocks forwarded between nodes", Q::count},
      {"written_back", "/file_system/written_back", "blocks written back", Q::count},
      {"bytes_read", "/io/bytes_read", "bytes read", Q::bytes},
      {"bytes_written", "/io/bytes_written", "bytes written", Q::bytes},
      {"wall_time_s", "/wall_time_s", "host time", Q::seconds},
      {"events", "/events", "events", Q::count},
      {"peak_rss_bytes", "/peak_rss_bytes", "peak memory", Q::bytes},
      {"exit_code", "/exit_code", "exit code", Q::count},
      {"exit_reason", "/exit_reason", "exit reason", Q::words},
  };
  return list;
}

const std::vector<std::string>& result_column_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const ResultColumn& column : result_columns()) list.push_back(column.name);
    return list;
  }();
  return names;
}

const ResultColumn* find_result_column(const std::string& name) {
  const auto found = std::ranges::find(result_columns(), name, &ResultColumn::name);
  return found == result_columns().end() ? nullptr : &*found;
}

namespace {

struct Step {
  double least;  ///< largest number of an axis from which this unit is taken
  double unit;
  const char* name;
};

// Minutes and hours begin where seconds and minutes become large numbers.
constexpr std::array<Step, 7> times{{{18000, 3600, "h"},
                                     {600, 60, "min"},
                                     {1, 1, "s"},
                                     {1e-3, 1e-3, "ms"},
                                     {1e-6, 1e-6, "µs"},
                                     {1e-9, 1e-9, "ns"},
                                     {0, 1e-12, "ps"}}};
constexpr double kibi = 1024;
constexpr std::array<Step, 5> amounts{{{kibi * kibi * kibi * kibi, kibi* kibi* kibi* kibi, "TiB"},
                                       {kibi * kibi * kibi, kibi* kibi* kibi, "GiB"},
                                       {kibi * kibi, kibi* kibi, "MiB"},
                                       {kibi, kibi, "KiB"},
                                       {0, 1, "B"}}};
constexpr std::array<Step, 3> counts{{{1e9, 1e9, "billion"}, {1e6, 1e6, "million"}, {0, 1, ""}}};

template <std::size_t N>
AxisUnit choose(const std::array<Step, N>& steps, double largest) {
  const auto step = std::ranges::find_if(steps, [&](const Step& each) { return largest >= each.least; });
  return {1 / step->unit, step->name};
}

}  // namespace

AxisUnit axis_unit(Quantity quantity, double largest) {
  constexpr double picosecond = 1e-12;
  switch (quantity) {
    case Quantity::seconds:
      return largest > 0 ? choose(times, largest) : AxisUnit{1, "s"};
    case Quantity::picoseconds: {
      const AxisUnit unit = axis_unit(Quantity::seconds, largest * picosecond);
      return {unit.factor * picosecond, unit.name};
    }
    case Quantity::bytes:
      return choose(amounts, largest);
    case Quantity::share:
      return {100, "%"};
    case Quantity::count:
    case Quantity::words:
      break;
  }
  return choose(counts, largest);
}

}  // namespace mpisim::app
