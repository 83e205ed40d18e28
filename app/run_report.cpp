#include "app/run_report.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/run_plan.hpp"
#include "runtime/code_samples.hpp"

namespace mpisim::app {

namespace {

using Json = nlohmann::ordered_json;

Json spread_json(const Spread& spread) {
  return {{"mean", spread.mean_ps()}, {"min", spread.min_ps()}, {"max", spread.max_ps()}};
}

Json rank_json(std::uint64_t number, const RankReport& rank) {
  return {{"rank", number},
          {"predicted_time_ps", rank.finished.ps()},
          {"compute_ps", rank.compute.ps()},
          {"communication_ps", rank.communication().ps()},
          {"point_to_point_ps", rank.point_to_point.ps()},
          {"completion_ps", rank.completion.ps()},
          {"collective_ps", rank.collective.ps()},
          {"other_ps", rank.other.ps()},
          {"io_ps", rank.io.ps()},
          {"messages", rank.messages},
          {"bytes", rank.bytes}};
}

Json io_json(const IoReport& io) {
  return {{"requests", io.requests},
          {"disk_reads", io.disk_reads},
          {"disk_writes", io.disk_writes},
          {"seeks", io.seeks},
          {"disk_seeks", io.disk_seeks},
          {"bytes_read", io.bytes_read},
          {"bytes_written", io.bytes_written},
          {"metadata_calls", io.metadata_calls},
          {"cache",
           {{"cnode_hits", io.cnode_hits},
            {"remote_hits", io.remote_hits},
            {"ionode_hits", io.ionode_hits},
            {"misses", io.misses},
            {"read_ahead", io.read_ahead}}}};
}

Json disk_json(const DiskReport& disk, kernel::SimTime whole) {
  Json by_size = Json::array();
  for (const DiskReport::SizeClass& each : disk.by_size)
    by_size.push_back({{"up_to", each.up_to == 0 ? Json() : Json(each.up_to)},
                       {"reads", each.reads},
                       {"writes", each.writes}});
  const std::uint64_t requests = disk.reads + disk.writes;
  const std::uint64_t mean_wait = requests == 0 ? 0 : static_cast<std::uint64_t>(disk.waited / requests);
  const double mean_queue =
      whole.ps() == 0 ? 0 : static_cast<double>(disk.waited) / static_cast<double>(whole.ps());
  return {{"io_node", disk.io_node},
          {"disk", disk.disk},
          {"member", disk.member},
          {"reads", disk.reads},
          {"writes", disk.writes},
          {"bytes_read", disk.bytes_read},
          {"bytes_written", disk.bytes_written},
          {"seeks", disk.seeks},
          {"cylinders", disk.cylinders},
          {"busy_ps", disk.busy.ps()},
          {"utilisation", share(disk.busy, whole)},
          {"mean_wait_ps", mean_wait},
          {"mean_queue", mean_queue},
          {"longest_queue", disk.longest_queue},
          {"by_size", std::move(by_size)}};
}

Json counts_json(const pfs::RequestCounts& counts) {
  return {{"reads", counts.reads},
          {"writes", counts.writes},
          {"bytes_read", counts.bytes_read},
          {"bytes_written", counts.bytes_written},
          {"by_size", counts.by_size}};
}

Json tally_json(const pfs::TallySum& tally) {
  return {{"disk_reads", tally.reads},
          {"disk_writes", tally.writes},
          {"disk_seeks", tally.seeks},
          {"cnode_hits", tally.cnode_hits},
          {"remote_hits", tally.remote_hits},
          {"ionode_hits", tally.ionode_hits},
          {"misses", tally.misses}};
}

/// What only object servers, their clients and metadata servers do; left out where nothing was done.
void add_service_counts(const pfs::NodeStatistics& node, Json& json) {
  const pfs::ObjectCounts& objects = node.objects;
  if (objects.lock_requests + objects.read_rpcs + objects.write_rpcs > 0) {
    json["locks"] = {{"requests", objects.lock_requests},
                     {"granted", objects.locks_granted},
                     {"revocations", objects.revocations}};
    json["rpcs"] = {{"reads", objects.read_rpcs}, {"writes", objects.write_rpcs}};
    if (node.kind != pfs::NodeKind::ionode) {
      json["rpcs"]["reads_ahead"] = objects.ahead_rpcs;
      json["locks"]["matches"] = objects.lock_matches;
      json["dirty_waits"] = objects.dirty_waits;
    }
  }
  const pfs::BurstCounts& burst = node.burst;
  if (node.kind == pfs::NodeKind::burst_buffer)
    json["burst"] = {
        {"absorbed", burst.absorbed}, {"drained", burst.drained},       {"hits", burst.hits},
        {"misses", burst.misses},     {"full_waits", burst.full_waits}, {"stage_outs", burst.stage_outs},
        {"left_dirty", burst.left}};
  const pfs::MetadataCounts& metadata = node.metadata;
  if (node.kind == pfs::NodeKind::metadata || metadata.all() > 0)
    json["metadata"] = {{"opens", metadata.opens},     {"creates", metadata.creates},
                        {"removes", metadata.removes}, {"makes", metadata.makes},
                        {"renames", metadata.renames}, {"inquiries", metadata.inquiries}};
}

Json use_json(const pio::FileUseCounts& use) {
  return {{"requests", counts_json(use.requests)}, {"seeks", use.seeks}, {"served", tally_json(use.served)}};
}

/// What all disks did together.
Json disk_sums_json(const RunReport& report) {
  const kernel::SimTime whole = report.disk_time();
  double sum = 0, most = 0;
  std::uint64_t requests = 0, cylinders = 0, longest = 0;
  unsigned __int128 waited = 0;
  for (const DiskReport& disk : report.disks) {
    sum += share(disk.busy, whole);
    most = std::max(most, share(disk.busy, whole));
    requests += disk.reads + disk.writes;
    cylinders += disk.cylinders;
    longest = std::max(longest, disk.longest_queue);
    waited += disk.waited;
  }
  return {{"utilisation_mean", sum / static_cast<double>(report.disks.size())},
          {"utilisation_max", most},
          {"requests", requests},
          {"cylinders", cylinders},
          {"mean_wait_ps", requests == 0 ? 0 : static_cast<std::uint64_t>(waited / requests)},
          {"longest_queue", longest}};
}

Json node_json(const pfs::NodeStatistics& node, kernel::SimTime whole) {
  Json json{{"number", node.number},
            {"requests", counts_json(node.requests)},
            {"served", tally_json(node.served)},
            {"background", tally_json(node.background)},
            {"invalidated", node.invalidated},
            {"forwarded", node.forwarded},
            {"read_ahead", node.read_ahead},
            {"written_back", node.written_back},
            {"left_dirty", node.left_dirty}};
  add_service_counts(node, json);
  if (node.kind == pfs::NodeKind::cnode || node.kind == pfs::NodeKind::stager) return json;
  json["most_waiting"] = node.most_waiting;
  json["busy_ps"] = node.busy.ps();
  json["utilisation"] = share(node.busy, whole) / node.threads;
  return json;
}

Json file_system_json(const RunReport& report) {
  Json cnodes = Json::array();
  Json io_nodes = Json::array();
  Json metadata_servers = Json::array();
  Json burst_buffers = Json::array();
  Json stagers = Json::array();
  std::uint64_t invalidated = 0, forwarded = 0, written_back = 0;
  for (const pfs::NodeStatistics& node : report.file_system.nodes) {
    Json& all = node.kind == pfs::NodeKind::cnode          ? cnodes
                : node.kind == pfs::NodeKind::ionode       ? io_nodes
                : node.kind == pfs::NodeKind::metadata     ? metadata_servers
                : node.kind == pfs::NodeKind::burst_buffer ? burst_buffers
                                                           : stagers;
    all.push_back(node_json(node, report.server_time()));
    written_back += node.written_back;
    if (node.kind != pfs::NodeKind::cnode && node.kind != pfs::NodeKind::stager) continue;
    invalidated += node.invalidated;
    forwarded += node.forwarded;
  }
  Json files = Json::array();
  for (const pio::FileReport& file : report.file_system.files)
    files.push_back(
        {{"path", file.path}, {"requests", counts_json(file.requests)}, {"served", tally_json(file.served)}});
  return {{"size_limits", pfs::size_limits},
          {"invalidated", invalidated},
          {"forwarded", forwarded},
          {"written_back", written_back},
          {"cnodes", cnodes},
          {"ionodes", io_nodes},
          {"metadata_servers", metadata_servers},
          {"burst_buffers", burst_buffers},
          {"stagers", stagers},
          {"files", files}};
}

// Means over host processes are whole with one of them.
Json mean_json(double mean) {
  if (mean == std::floor(mean)) return static_cast<std::uint64_t>(mean);
  return mean;
}

Json quality_json(const kernel::PartitionQuality& quality) {
  return {
      {"cut_events", quality.cut_events}, {"cut_bytes", quality.cut_bytes}, {"imbalance", quality.imbalance}};
}

Json partition_json(const RunPlan& plan, const RunReport& report) {
  Json json{{"kind", plan.partition}};
  if (!report.partition) return json;
  json.update(quality_json(report.partition->chosen));
  json["block"] = quality_json(report.partition->block);
  json["round_robin"] = quality_json(report.partition->round_robin);
  return json;
}

Json host_json(const RunReport& report, std::size_t number) {
  const HostReport& host = report.host_processes[number];
  return {{"host", number},
          {"ranks", host.ranks},
          {"events", host.events},
          {"events_per_second", events_per_second(host.events, host.wall_seconds)},
          {"remote_events", host.remote_events},
          {"resumes", host.resumes},
          {"rounds", host.rounds},
          {"conditional_rounds", host.conditional_rounds},
          {"null_messages", host.null_messages},
          {"blocked_s", host.blocked_seconds},
          {"mean_run_lookaheads", run_lookaheads(report, host.mean_run_seconds)},
          {"peak_rss_bytes", host.peak_rss_bytes}};
}

}  // namespace

kernel::SimTime RunReport::disk_time() const {
  kernel::SimTime end = predicted;
  for (const DiskReport& disk : disks) end = kernel::max(end, disk.last_end);
  return end;
}

kernel::SimTime RunReport::server_time() const {
  kernel::SimTime end = predicted;
  for (const pfs::NodeStatistics& node : file_system.nodes) end = kernel::max(end, node.last_end);
  return end;
}

void RunReport::take(pio::FileSystemReport report) {
  file_system = std::move(report);
  const pfs::TallySum background = file_system.background();
  io.disk_reads += background.reads;
  io.disk_writes += background.writes;
  io.disk_seeks += background.seeks;
  for (const pfs::NodeStatistics& node : file_system.nodes) {
    io.read_ahead += node.read_ahead;
    if (node.kind != pfs::NodeKind::cnode) continue;
    io.cnode_hits += node.served.cnode_hits;
    io.remote_hits += node.served.remote_hits;
    io.ionode_hits += node.served.ionode_hits;
    io.misses += node.served.misses;
  }
}

void RunReport::take(const mpi::RankTotals& totals) {
  predicted = totals.finish;
  slowest_rank = static_cast<std::uint64_t>(totals.last_rank);
  messages = totals.messages;
  bytes = totals.bytes;
  compute = totals.compute;
  point_to_point = totals.point_to_point;
  completion = totals.completion;
  collective = totals.collective;
  other = totals.local;
  communication = totals.communication;
  io_time = totals.io;
  waits = totals.waits;
  mean_run_seconds = totals.mean_run_seconds();
}

double share(kernel::SimTime part, kernel::SimTime whole) {
  return whole.ps() == 0 ? 0 : static_cast<double>(part.ps()) / static_cast<double>(whole.ps());
}

double run_lookaheads(const RunReport& report, double mean_run_seconds) {
  if (report.lookahead == kernel::SimTime::zero()) return 0;
  return mean_run_seconds / report.lookahead.seconds();
}

double events_per_second(std::uint64_t events, double wall_seconds) {
  return wall_seconds > 0 ? static_cast<double>(events) / wall_seconds : 0;
}

namespace {

/// share: of the host's processor time, null if too short to tell.
Json uncounted_json(const UncountedReport& report) {
  Json places = Json::object();
  for (const auto& [place, count] : report.places)
    places[place] = static_cast<double>(count) / static_cast<double>(report.samples);
  const auto share = report.share();
  return {{"share", share ? Json(*share) : Json(nullptr)},
          {"samples", report.samples},
          {"places", std::move(places)}};
}

}  // namespace

std::optional<double> UncountedReport::share() const {
  if (samples < fewest_samples) return std::nullopt;
  std::uint64_t sum = 0;
  for (const auto& [place, count] : places) sum += count;
  return static_cast<double>(sum) / static_cast<double>(samples);
}

std::uint64_t UncountedReport::priced() const {
  std::uint64_t others = 0;
  for (const auto& [place, count] : places) others += count;
  return samples - others;
}

HostComparison compare_with_host(double compute, const UncountedReport& samples, double host_score,
                                 double machine_score) {
  HostComparison comparison;
  if (host_score > 0) comparison.kernel = host_score / machine_score;
  if (samples.priced() >= UncountedReport::fewest_samples && compute > 0) {
    comparison.host_seconds = static_cast<double>(samples.priced()) * runtime::sample_seconds;
    comparison.code = compute / comparison.host_seconds;
  }
  return comparison;
}

namespace {

Json known(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json comparison_json(const HostComparison& comparison) {
  return {{"slowdown_kernel", known(comparison.kernel)},
          {"slowdown_code_at_least", known(comparison.code)},
          {"host_compute_s", comparison.code ? Json(comparison.host_seconds) : Json(nullptr)}};
}

Json disturbance_json(const HostDisturbance& disturbance) {
  return {{"cpu_s", disturbance.cpu_seconds},
          {"waited_s", disturbance.waited_seconds},
          {"waited_share", disturbance.waited_share()},
          {"involuntary_switches", disturbance.involuntary_switches},
          {"voluntary_switches", disturbance.voluntary_switches},
          {"minor_faults", disturbance.minor_faults},
          {"major_faults", disturbance.major_faults},
          {"others_share", known(disturbance.others_share)},
          {"stolen_share", known(disturbance.stolen_share)}};
}

}  // namespace

std::string to_json(const RunPlan& plan, const RunReport& report) {
  Json json;
  json["mpisim"] = MPISIM_VERSION;
  json["machine"] = report.machine;
  json["ranks"] = plan.ranks;
  json["hosts"] = plan.hosts;
  json["protocol"] = plan.protocol;
  json["deterministic"] = plan.deterministic;
  json["exact"] = report.exact;
  json["compute"] = plan.compute;
  json["processor"] = {
      {"class", report.processor_class}, {"clock_hz", report.clock_hz}, {"own_prices", report.own_prices}};
  if (plan.compute == "counted") json["uncounted"] = uncounted_json(report.uncounted);
  json["predicted_time_ps"] = report.predicted.ps();
  json["predicted_time_s"] = report.predicted.seconds();
  json["wall_time_s"] = report.wall_seconds;
  json["startup_s"] = report.startup_seconds;
  json["host_comparison"] = comparison_json(report.comparison);
  json["disturbance"] = disturbance_json(report.disturbance);
  json["events"] = report.events;
  json["events_per_second"] = events_per_second(report.events, report.wall_seconds);
  json["messages"] = report.messages;
  json["bytes"] = report.bytes;
  json["sync_rounds"] = mean_json(report.sync_rounds);
  json["null_messages"] = report.null_messages;
  json["synchronisation"] = {{"blocked_s", report.blocked_seconds},
                             {"conditional_rounds", mean_json(report.conditional_rounds)},
                             {"remote_events", report.remote_events},
                             {"resumes", report.resumes},
                             {"waits", report.waits},
                             {"lookahead_ps", report.lookahead.ps()},
                             {"mean_run_lookaheads", run_lookaheads(report, report.mean_run_seconds)}};
  json["partition"] = partition_json(plan, report);
  Json host_processes = Json::array();
  for (std::size_t host = 0; host < report.host_processes.size(); ++host)
    host_processes.push_back(host_json(report, host));
  json["host_processes"] = std::move(host_processes);
  json["peak_rss_bytes"] = report.peak_rss_bytes;
  json["exit_code"] = report.exit_code;
  json["exit_reason"] = report.exit_reason;
  json["warnings"] = report.warnings;
  json["breakdown"] = {{"compute_ps", spread_json(report.compute)},
                       {"communication_ps", spread_json(report.communication)},
                       {"io_ps", spread_json(report.io_time)}};
  if (plan.ranks <= per_rank_limit || plan.per_rank) {
    Json ranks = Json::array();
    for (std::uint64_t i = 0; i < report.per_rank.size(); ++i)
      ranks.push_back(rank_json(i, report.per_rank[i]));
    for (const pio::RankUse& use : report.file_system.ranks)
      if (static_cast<std::size_t>(use.rank) < ranks.size() && use.counts.requests.any())
        ranks[static_cast<std::size_t>(use.rank)]["io"] = use_json(use.counts);
    json["per_rank"] = std::move(ranks);
  }
  json["io"] = io_json(report.io);
  if (!report.disks.empty() && (report.disks.size() <= per_rank_limit || plan.per_rank)) {
    Json disks = Json::array();
    const kernel::SimTime whole = report.disk_time();
    for (const DiskReport& disk : report.disks) disks.push_back(disk_json(disk, whole));
    json["io"]["disks"] = std::move(disks);
  }
  if (!report.disks.empty()) json["io"]["all_disks"] = disk_sums_json(report);
  if (!report.file_system.used.empty() &&
      (report.file_system.used.size() <= per_rank_limit || plan.per_rank)) {
    Json files = Json::array();
    for (const pio::UsedFile& file : report.file_system.used) {
      Json one{{"path", file.path}, {"ranks", file.ranks}};
      one.update(use_json(file.counts));
      files.push_back(std::move(one));
    }
    json["size_limits"] = pfs::size_limits;
    json["files"] = std::move(files);
  }
  if (!report.file_system.nodes.empty()) json["file_system"] = file_system_json(report);
  // File names may hold any bytes: what is not UTF-8 is replaced rather than refused.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::uint64_t peak_resident_bytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  std::uint64_t kibibytes = 0;
  while (std::getline(status, line))
    if (line.starts_with("VmHWM:") || line.starts_with("VmPTE:"))
      kibibytes += std::stoull(line.substr(line.find(':') + 1));
  return kibibytes * 1024;
}

}  // namespace mpisim::app
