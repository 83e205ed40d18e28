// The summary of a run on stderr.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "app/io_tables.hpp"
#include "app/run_plan.hpp"
#include "app/run_report.hpp"
#include "app/text_table.hpp"
#include "runtime/target_abi.h"

namespace mpisim::app {

namespace {

using kernel::SimTime;

// "12.34 MiB".
std::string amount(std::uint64_t bytes) {
  const ByteUnit unit = ByteUnit::for_largest(bytes);
  return unit.bytes == 1 ? fmt::format("{} B", bytes)
                         : fmt::format("{:.2f} {}", static_cast<double>(bytes) / unit.bytes, unit.name);
}

double percent(std::int64_t part, std::int64_t whole) {
  return whole <= 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

std::string line(std::string_view name, const Spread& spread, std::int64_t whole) {
  return fmt::format("    {:<22}{:>12} {:>5.1f} % {:>14}{:>12}\n", name,
                     kernel::to_string(SimTime::picoseconds(spread.mean_ps())),
                     percent(spread.mean_ps(), whole),
                     kernel::to_string(SimTime::picoseconds(spread.min_ps())),
                     kernel::to_string(SimTime::picoseconds(spread.max_ps())));
}

std::string where_the_time_went(const RunReport& report) {
  const std::int64_t whole = report.predicted.ps();
  std::string text =
      fmt::format("  where it went {:>22} {:>7} {:>14}{:>12}\n", "mean of ranks", "share", "min", "max");
  text += line("compute", report.compute, whole);
  text += line("communication", report.communication, whole);
  const auto part = [&](std::string_view name, const Spread& spread) {
    if (spread.max_ps() > 0) text += line(name, spread, whole);
  };
  part("  send and receive", report.point_to_point);
  part("  wait, test, probe", report.completion);
  part("  collective", report.collective);
  part("  other calls", report.other);
  text += line("I/O", report.io_time, whole);
  // What is left of the mean: ranks that ended before the last one.
  const std::int64_t idle =
      whole - report.compute.mean_ps() - report.communication.mean_ps() - report.io_time.mean_ps();
  if (percent(idle, whole) >= 0.1)
    text += fmt::format("    {:<22}{:>12} {:>5.1f} %\n", "ended before the last",
                        kernel::to_string(SimTime::picoseconds(idle)), percent(idle, whole));
  return text;
}

// Where the blocks were that programs read; nothing without caches.
std::string cache_line(const IoReport& io) {
  const std::uint64_t blocks = io.cnode_hits + io.remote_hits + io.ionode_hits + io.misses;
  if (blocks == 0) return {};
  const std::string ahead =
      io.read_ahead == 0 ? "" : fmt::format("; {} read ahead of the programs", count(io.read_ahead));
  const auto part = [blocks](std::uint64_t found) {
    return fmt::format("{:.1f} %", 100 * static_cast<double>(found) / static_cast<double>(blocks));
  };
  return fmt::format(
      "  blocks read     {}: {} in the node's cache, {} in another node's, {} in the I/O node's, "
      "{} from disk{}\n",
      count(blocks), part(io.cnode_hits), part(io.remote_hits), part(io.ionode_hits), part(io.misses), ahead);
}

// What object servers, burst buffers and metadata servers did; nothing without them.
std::string service_lines(const pio::FileSystemReport& report) {
  pfs::ObjectCounts objects;
  pfs::MetadataCounts metadata;
  pfs::BurstCounts burst;
  for (const pfs::NodeStatistics& node : report.nodes) {
    metadata.add(node.metadata);
    burst.add(node.burst);
    if (node.kind != pfs::NodeKind::ionode) objects.add(node.objects);
  }
  std::string text;
  if (objects.lock_requests + objects.lock_matches > 0)
    text += fmt::format(
        "  object servers  {} locks granted, {} called back; {} RPCs read ({} of them ahead), {} write; {} "
        "waits for dirty pages\n",
        count(objects.locks_granted), count(objects.revocations), count(objects.read_rpcs),
        count(objects.ahead_rpcs), count(objects.write_rpcs), count(objects.dirty_waits));
  if (burst.absorbed + burst.hits + burst.misses > 0)
    text +=
        fmt::format("  burst buffers   {} written, {} drained, {} read here and {} below; {} writes waited\n",
                    amount(burst.absorbed), amount(burst.drained), amount(burst.hits), amount(burst.misses),
                    count(burst.full_waits));
  if (metadata.all() > 0) {
    std::string names;  // which only the program's own files have
    if (metadata.makes + metadata.renames > 0)
      names = fmt::format(", {} names made, {} renamed", count(metadata.makes), count(metadata.renames));
    text += fmt::format("  metadata        {} opens ({} of new names), {} deletes{}, {} other calls\n",
                        count(metadata.opens), count(metadata.creates), count(metadata.removes), names,
                        count(metadata.inquiries));
  }
  return text;
}

// More host processes are left to the JSON.
constexpr std::size_t most_host_lines = 16;

std::string host_lines(const RunReport& report) {
  std::string text =
      fmt::format("    {:<14}{:>10}{:>14}{:>12}{:>10}{:>12}{:>15}{:>11}{:>12}\n", "host process", "ranks",
                  "events", "million/s", "rounds", "of them", "null messages", "blocked", "run between");
  text += fmt::format("    {:<14}{:>10}{:>14}{:>12}{:>10}{:>12}{:>15}{:>11}{:>12}\n", "", "", "", "", "",
                      "conditional", "", "", "waits");
  for (std::size_t number = 0; number < report.host_processes.size(); ++number) {
    const HostReport& host = report.host_processes[number];
    text += fmt::format("    {:<14}{:>10}{:>14}{:>12.3g}{:>10}{:>12}{:>15}{:>9.3f} s{:>10.3g} L\n", number,
                        count(host.ranks), count(host.events),
                        events_per_second(host.events, host.wall_seconds) / 1e6, count(host.rounds),
                        count(host.conditional_rounds), count(host.null_messages), host.blocked_seconds,
                        run_lookaheads(report, host.mean_run_seconds));
  }
  return text;
}

std::string partition_line(const RunPlan& plan, const PartitionReport& partition) {
  const auto describe = [](const kernel::PartitionQuality& quality) {
    return fmt::format("{} events and {} between host processes, imbalance {:.3f}", count(quality.cut_events),
                       amount(quality.cut_bytes), quality.imbalance);
  };
  std::string text = fmt::format("  partition       {}: {}\n", plan.partition, describe(partition.chosen));
  if (plan.partition != "block") text += fmt::format("    block         {}\n", describe(partition.block));
  if (plan.partition != "round-robin")
    text += fmt::format("    round-robin   {}\n", describe(partition.round_robin));
  return text;
}

std::string host_cost(const RunPlan& plan, const RunReport& report) {
  const double rate = events_per_second(report.events, report.wall_seconds);
  std::string text = fmt::format(
      "  host cost       {:.3f} s (and {:.3f} s to start), {} events ({:.3g} million/s), peak memory {}\n",
      report.wall_seconds, report.startup_seconds, count(report.events), rate / 1e6,
      amount(report.peak_rss_bytes));
  if (plan.hosts > 1)
    text += fmt::format(
        "  synchronisation {} host processes, {}: {:.1f} rounds, {} null messages, {:.3f} s blocked; a rank "
        "runs {:.3g} "
        "lookaheads between waits\n",
        plan.hosts, plan.protocol, report.sync_rounds, count(report.null_messages), report.blocked_seconds,
        run_lookaheads(report, report.mean_run_seconds));
  if (report.host_processes.size() > 1 && report.host_processes.size() <= most_host_lines)
    text += host_lines(report);
  if (report.partition) text += partition_line(plan, *report.partition);
  return text;
}

/// One line; nothing without disks that were used.
std::string disk_use(const RunReport& report) {
  double sum = 0;
  double most = 0;
  std::uint64_t longest = 0;
  const SimTime whole = report.disk_time();
  for (const DiskReport& disk : report.disks) {
    const double busy = share(disk.busy, whole);
    sum += busy;
    most = std::max(most, busy);
    longest = std::max(longest, disk.longest_queue);
  }
  if (most == 0) return "";
  return fmt::format(
      "  disks           {}, busy {:.1f} % of the time on average, {:.1f} % at most; at most {} waiting\n",
      report.disks.size(), 100 * sum / static_cast<double>(report.disks.size()), 100 * most, count(longest));
}

// What of the processor time no price stands for.
std::string uncounted(const UncountedReport& report) {
  const auto share = report.share();
  if (!share || *share < 0.01) return {};
  const auto most = std::max_element(report.places.begin(), report.places.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  return fmt::format(
      "; {:.0f} % of the ranks' processor time was in code without counters, most of it in {}: it costs "
      "nothing in this prediction",
      100 * *share, most->first);
}

std::string processor_line(const RunPlan& plan, const RunReport& report) {
  const HostComparison& comparison = report.comparison;
  constexpr double giga = 1e9, mega = 1e6;
  std::string text = report.clock_hz >= giga
                         ? fmt::format("  processor       {:.4g} GHz", report.clock_hz / giga)
                         : fmt::format("  processor       {:.4g} MHz", report.clock_hz / mega);
  if (plan.compute == "counted") {
    if (report.own_prices == 0)
      text += ", prices of " + report.processor_class;
    else
      text += fmt::format(
          ", {} of {} prices its own{}", report.own_prices, MPISIM_COST_CLASSES,
          report.own_prices == MPISIM_COST_CLASSES ? "" : ", others of " + report.processor_class);
  }
  if (comparison.code)
    text += fmt::format(
        "; takes at least {:.3g} times as long as this host for this code ({:.3g} s, with counters)",
        *comparison.code, comparison.host_seconds);
  if (comparison.kernel)
    text += fmt::format("{} {:.3g} times as long as this host for the calibration kernel",
                        comparison.code ? "," : "; takes", *comparison.kernel);
  if (comparison.code || comparison.kernel) return text + "\n";
  return text + "; not compared with this host: " +
         (plan.compute == "counted" ? "too short, and the host is not calibrated (--compute measured does)\n"
                                    : "nothing was computed here for its time\n");
}

std::string ranks_of(const RunPlan& plan) {
  return plan.ranks == 1 ? "1 rank" : count(plan.ranks) + " ranks";
}

}  // namespace

std::string summary(const RunPlan& plan, const RunReport& report) {
  const bool ended_by_itself = report.exit_reason == "exit" || report.exit_reason == "abort";
  if (!ended_by_itself) {
    std::string text = fmt::format("mpisim: {} on {}: no prediction, the program did not end ({})\n",
                                   ranks_of(plan), report.machine, report.exit_reason);
    for (const std::string& warning : report.warnings) text += "  warning: " + warning + "\n";
    return text;
  }
  std::string text = fmt::format("mpisim: {} on {}: predicted time {}{}\n", ranks_of(plan), report.machine,
                                 kernel::to_string(report.predicted), report.exact ? "" : " (not exact)");
  text += where_the_time_went(report);
  text += fmt::format("  slowest rank    {}\n", report.slowest_rank);
  text += fmt::format("  messages        {} with {}", count(report.messages), amount(report.bytes));
  if (report.messages > 0)
    text +=
        fmt::format(", {} each on average", amount((report.bytes + report.messages / 2) / report.messages));
  text += "\n";
  if (report.io.requests > 0)
    text += fmt::format("  I/O             {} requests, {} read, {} written\n", count(report.io.requests),
                        amount(report.io.bytes_read), amount(report.io.bytes_written));
  text += disk_use(report);
  text += cache_line(report.io);
  text += service_lines(report.file_system);
  if (plan.io_tables != "none")
    text += io_tables(report, plan.io_tables == "all" ? IoTables::all : IoTables::busiest);
  text += fmt::format("  compute         {}", plan.compute);
  if (plan.compute == "measured" || report.measured_share > 0)
    text += fmt::format(", {:.1f} % of the predicted compute time was measured on this host",
                        100 * report.measured_share);
  text += uncounted(report.uncounted);
  text += "\n";
  // With `measured` the line on calibration tells how the two processors compare.
  text += plan.compute == "measured" ? "  disturbance     " + describe(report.disturbance) + "\n"
                                     : processor_line(plan, report);
  if (!report.calibration.empty()) text += "  calibration     " + report.calibration + "\n";
  text += host_cost(plan, report);
  for (const std::string& warning : report.warnings) text += "  warning: " + warning + "\n";
  return text;
}

}  // namespace mpisim::app
