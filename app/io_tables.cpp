#include "app/io_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "app/run_report.hpp"
#include "app/text_table.hpp"

namespace mpisim::app {

namespace {

using kernel::SimTime;

constexpr std::size_t busiest_lines = 5;
constexpr std::size_t name_width = 40;

using Cells = std::vector<std::string>;

void append(Cells& cells, Cells more) {
  cells.insert(cells.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::string percent(double part) {
  return fmt::format("{:.1f}", 100 * part);
}

std::string milliseconds(double picoseconds) {
  return fmt::format("{:.3f}", picoseconds / 1e9);
}

SimTime divided(SimTime time, std::uint64_t by) {
  return SimTime::picoseconds(time.ps() / static_cast<std::int64_t>(by));
}

/// The end of a long path tells more than its beginning.
std::string shortened(const std::string& path) {
  return path.size() <= name_width ? path : "..." + path.substr(path.size() - name_width + 3);
}

// --- requests, and what served them ---

/// "4-16 KiB": the sizes of a class of requests, the upper end not among them.
std::string size_class(std::size_t index) {
  constexpr auto& limits = pfs::size_limits;
  const auto end = [&](std::size_t limit, const ByteUnit& unit) {
    return fmt::format("{:.0f}", static_cast<double>(limits[limit]) / unit.bytes);
  };
  const ByteUnit unit = ByteUnit::for_largest(limits[index == 0 ? 0 : index - 1]);
  if (index == 0) return fmt::format("<{} {}", end(0, unit), unit.name);
  if (index == limits.size()) return fmt::format(">={} {}", end(index - 1, unit), unit.name);
  return fmt::format("{}-{} {}", end(index - 1, unit), end(index, unit), unit.name);
}

Cells request_heads(const ByteUnit& unit) {
  Cells heads{"reads", "writes", fmt::format("{} read", unit.name), fmt::format("{} written", unit.name)};
  for (std::size_t index = 0; index <= pfs::size_limits.size(); ++index) heads.push_back(size_class(index));
  return heads;
}

Cells request_cells(const pfs::RequestCounts& requests, const ByteUnit& unit) {
  Cells cells{count(requests.reads), count(requests.writes), unit.text(requests.bytes_read),
              unit.text(requests.bytes_written)};
  for (const std::uint64_t requests_of_size : requests.by_size) cells.push_back(count(requests_of_size));
  return cells;
}

Cells served_heads() {
  return {"own cache", "other caches", "I/O caches", "missed", "disk reads", "disk writes", "disk seeks"};
}

/// Blocks by where they were found, and accesses of disks.
Cells served_cells(const pfs::TallySum& served) {
  return {count(served.cnode_hits), count(served.remote_hits), count(served.ionode_hits),
          count(served.misses),     count(served.reads),       count(served.writes),
          count(served.seeks)};
}

ByteUnit unit_of(const pfs::RequestCounts& all) {
  return ByteUnit::for_largest(std::max(all.bytes_read, all.bytes_written));
}

std::uint64_t moved(const pfs::RequestCounts& requests) {
  return requests.bytes_read + requests.bytes_written;
}

// --- tables ---

/// One line of a table, before it is known which lines are shown.
template <class Thing>
struct Line {
  std::string name;
  const Thing* thing;
  double load;  ///< the busiest have most
};

/// `cells(thing)` are those behind the name; `sum`: of all lines.
template <class Thing, class CellsOf>
std::string table(Cells heads, std::vector<Line<Thing>> lines, const Thing& sum, IoTables extent,
                  const char* field, const CellsOf& cells_of) {
  if (lines.empty()) return {};
  TextTable table(std::move(heads));
  const auto add = [&](const std::string& name, const Thing& thing) {
    Cells cells{name};
    append(cells, cells_of(thing));
    table.add(std::move(cells));
  };
  const std::size_t number = lines.size();
  if (extent == IoTables::busiest && number > busiest_lines) {
    std::stable_sort(lines.begin(), lines.end(),
                     [](const auto& a, const auto& b) { return a.load > b.load; });
    lines.resize(busiest_lines);
  }
  if (number > 1) add(fmt::format("all {}", count(number)), sum);
  for (const auto& line : lines) add(line.name, *line.thing);
  std::string text = table.text();
  if (lines.size() < number)
    text += fmt::format("    and {} more: --io-tables all, or `{}` in the JSON\n",
                        count(number - lines.size()), field);
  return text;
}

template <class Use>
std::string use_table(const char* kind, const char* field, std::vector<Line<Use>> lines, IoTables extent) {
  Use sum;
  for (const auto& line : lines) sum.counts.add(line.thing->counts);
  constexpr bool of_files = requires { sum.path; };
  const ByteUnit unit = unit_of(sum.counts.requests);
  const bool all = extent == IoTables::all;
  Cells heads{kind};
  if constexpr (of_files) heads.emplace_back("ranks");
  append(heads, request_heads(unit));
  heads.emplace_back("seeks");
  if (all) append(heads, served_heads());
  return table(std::move(heads), std::move(lines), sum, extent, field, [&](const Use& use) {
    Cells cells;
    if constexpr (of_files) cells.push_back(use.ranks == 0 ? "-" : count(use.ranks));
    append(cells, request_cells(use.counts.requests, unit));
    cells.push_back(count(use.counts.seeks));
    if (all) append(cells, served_cells(use.counts.served));
    return cells;
  });
}

std::string rank_table(const pio::FileSystemReport& report, IoTables extent) {
  std::vector<Line<pio::RankUse>> lines;
  for (const pio::RankUse& use : report.ranks)
    if (use.counts.requests.any())
      lines.push_back({count(static_cast<std::uint64_t>(use.rank)), &use,
                       static_cast<double>(moved(use.counts.requests))});
  return use_table("ranks", "per_rank[].io", std::move(lines), extent);
}

std::string file_table(const pio::FileSystemReport& report, IoTables extent) {
  std::vector<Line<pio::UsedFile>> lines;
  for (const pio::UsedFile& file : report.used)
    if (file.counts.requests.any())
      lines.push_back({extent == IoTables::all ? file.path : shortened(file.path), &file,
                       static_cast<double>(moved(file.counts.requests))});
  return use_table("files", "files", std::move(lines), extent);
}

void add(pfs::NodeStatistics& sum, const pfs::NodeStatistics& node) {
  sum.requests.add(node.requests);
  sum.served.add(node.served);
  sum.served.add(node.background);
  sum.invalidated += node.invalidated;
  sum.forwarded += node.forwarded;
  sum.read_ahead += node.read_ahead;
  sum.written_back += node.written_back;
  sum.most_waiting = std::max(sum.most_waiting, node.most_waiting);
  sum.metadata.add(node.metadata);
  sum.burst.add(node.burst);
}

/// What is special about a kind of node.
struct NodeTable {
  pfs::NodeKind kind;
  const char* title;
  const char* field;
};

constexpr NodeTable node_tables[] = {
    {pfs::NodeKind::cnode, "compute nodes", "file_system.cnodes"},
    {pfs::NodeKind::burst_buffer, "burst buffers", "file_system.burst_buffers"},
    {pfs::NodeKind::ionode, "I/O nodes", "file_system.ionodes"},
    {pfs::NodeKind::metadata, "metadata servers", "file_system.metadata_servers"},
};

double busy_share(const pfs::NodeStatistics& node, SimTime whole) {
  return share(node.busy, whole) / node.threads;
}

/// Of nodes that have done anything.
bool used(const pfs::NodeStatistics& node) {
  return node.requests.any() || node.busy > SimTime::zero() || node.served.reads + node.served.writes > 0 ||
         node.background.reads + node.background.writes > 0 || node.burst.absorbed + node.burst.hits > 0;
}

std::string node_table(const RunReport& report, const NodeTable& kind, IoTables extent) {
  const SimTime whole = report.server_time();
  std::vector<Line<pfs::NodeStatistics>> lines;
  pfs::NodeStatistics sum;  // but for `busy`, which is the mean
  for (const pfs::NodeStatistics& node : report.file_system.nodes) {
    if (node.kind != kind.kind || !used(node)) continue;
    const double load = kind.kind == pfs::NodeKind::cnode ? static_cast<double>(moved(node.requests))
                                                          : busy_share(node, whole);
    lines.push_back({count(node.number), &node, load});
    add(sum, node);
    sum.busy += divided(node.busy, node.threads);
  }
  if (lines.empty()) return {};
  sum.busy = divided(sum.busy, lines.size());
  const ByteUnit unit = unit_of(sum.requests);
  const ByteUnit burst = ByteUnit::for_largest(std::max(sum.burst.absorbed, sum.burst.drained));
  Cells heads{kind.title};
  append(heads, request_heads(unit));
  append(heads, served_heads());
  append(heads, {"invalidated", "forwarded", "read ahead", "written back", "opens", "deletes", "made",
                 "renamed", "inquiries"});
  for (const char* what : {"absorbed", "drained", "read here", "read below"})
    heads.push_back(fmt::format("{} {}", burst.name, what));
  append(heads, {"busy %", "longest queue"});
  return table(
      std::move(heads), std::move(lines), sum, extent, kind.field, [&](const pfs::NodeStatistics& node) {
        Cells cells = request_cells(node.requests, unit);
        pfs::TallySum served = node.served;
        served.add(node.background);
        append(cells, served_cells(served));
        append(cells,
               {count(node.invalidated), count(node.forwarded), count(node.read_ahead),
                count(node.written_back), count(node.metadata.opens), count(node.metadata.removes),
                count(node.metadata.makes), count(node.metadata.renames), count(node.metadata.inquiries)});
        for (const std::uint64_t bytes :
             {node.burst.absorbed, node.burst.drained, node.burst.hits, node.burst.misses})
          cells.push_back(burst.text(bytes));
        append(cells, {percent(busy_share(node, whole)), count(node.most_waiting)});
        return cells;
      });
}

std::string disk_table(const RunReport& report, IoTables extent) {
  const SimTime whole = report.disk_time();
  std::vector<Line<DiskReport>> lines;
  DiskReport sum;  // but for `busy`, which is the mean, as is the mean queue
  const bool arrays = std::any_of(report.disks.begin(), report.disks.end(),
                                  [](const DiskReport& disk) { return disk.member > 0; });
  for (const DiskReport& disk : report.disks) {
    if (disk.reads + disk.writes == 0) continue;
    std::string name = fmt::format("{}.{}", disk.io_node, disk.disk);
    if (arrays) name += fmt::format(".{}", disk.member);
    lines.push_back({std::move(name), &disk, share(disk.busy, whole)});
    sum.reads += disk.reads;
    sum.writes += disk.writes;
    sum.bytes_read += disk.bytes_read;
    sum.bytes_written += disk.bytes_written;
    sum.seeks += disk.seeks;
    sum.cylinders += disk.cylinders;
    sum.longest_queue = std::max(sum.longest_queue, disk.longest_queue);
    sum.waited += disk.waited;
    sum.busy += disk.busy;
  }
  const std::size_t disks = lines.size();
  if (disks > 0) sum.busy = divided(sum.busy, disks);
  const ByteUnit unit = ByteUnit::for_largest(std::max(sum.bytes_read, sum.bytes_written));
  return table({arrays ? "disks (node.disk.member)" : "disks (node.disk)", "reads", "writes",
                fmt::format("{} read", unit.name), fmt::format("{} written", unit.name), "seeks",
                "cylinders moved", "busy %", "mean wait ms", "mean queue", "longest queue"},
               std::move(lines), sum, extent, "io.disks", [&](const DiskReport& disk) {
                 const auto waited = static_cast<double>(disk.waited);
                 const auto requests = static_cast<double>(disk.reads + disk.writes);
                 const double queues = &disk == &sum ? static_cast<double>(disks) : 1;
                 return Cells{count(disk.reads),
                              count(disk.writes),
                              unit.text(disk.bytes_read),
                              unit.text(disk.bytes_written),
                              count(disk.seeks),
                              count(disk.cylinders),
                              percent(share(disk.busy, whole)),
                              milliseconds(waited / requests),
                              fmt::format("{:.2f}", waited / static_cast<double>(whole.ps()) / queues),
                              count(disk.longest_queue)};
               });
}

}  // namespace

std::string io_tables(const RunReport& report, IoTables extent) {
  std::string text = rank_table(report.file_system, extent) + file_table(report.file_system, extent);
  for (const NodeTable& kind : node_tables) text += node_table(report, kind, extent);
  return text + disk_table(report, extent);
}

}  // namespace mpisim::app
