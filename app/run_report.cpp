#include "app/run_report.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/run_plan.hpp"

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
          {"cache",
           {{"cnode_hits", io.cnode_hits},
            {"remote_hits", io.remote_hits},
            {"ionode_hits", io.ionode_hits},
            {"misses", io.misses}}}};
}

}  // namespace

void Spread::add(kernel::SimTime value) {
  sum += static_cast<unsigned __int128>(value.ps());
  min = std::min(min, value.ps());
  max = std::max(max, value.ps());
  ++count;
}

std::int64_t Spread::mean_ps() const {
  return count == 0 ? 0 : static_cast<std::int64_t>(sum / count);
}

void RunReport::add(const RankReport& rank, std::uint64_t number) {
  if (rank.finished > predicted || number == 0) {
    predicted = rank.finished;
    slowest_rank = number;
  }
  messages += rank.messages;
  bytes += rank.bytes;
  compute.add(rank.compute);
  point_to_point.add(rank.point_to_point);
  completion.add(rank.completion);
  collective.add(rank.collective);
  other.add(rank.other);
  communication.add(rank.communication());
  io_time.add(rank.io);
}

double mean_run_lookaheads(const RunReport& report) {
  if (report.lookahead == kernel::SimTime::zero()) return 0;
  return report.mean_run_seconds / report.lookahead.seconds();
}

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
  json["predicted_time_ps"] = report.predicted.ps();
  json["predicted_time_s"] = report.predicted.seconds();
  json["wall_time_s"] = report.wall_seconds;
  json["startup_s"] = report.startup_seconds;
  json["events"] = report.events;
  json["messages"] = report.messages;
  json["bytes"] = report.bytes;
  if (report.sync_rounds == std::floor(report.sync_rounds))
    json["sync_rounds"] = static_cast<std::uint64_t>(report.sync_rounds);
  else
    json["sync_rounds"] = report.sync_rounds;
  json["null_messages"] = report.null_messages;
  json["synchronisation"] = {{"blocked_s", report.blocked_seconds},
                             {"remote_events", report.remote_events},
                             {"resumes", report.resumes},
                             {"waits", report.waits},
                             {"lookahead_ps", report.lookahead.ps()},
                             {"mean_run_lookaheads", mean_run_lookaheads(report)}};
  json["peak_rss_bytes"] = report.peak_rss_bytes;
  json["exit_code"] = report.exit_code;
  json["exit_reason"] = report.exit_reason;
  json["breakdown"] = {{"compute_ps", spread_json(report.compute)},
                       {"communication_ps", spread_json(report.communication)},
                       {"io_ps", spread_json(report.io_time)}};
  if (plan.ranks <= per_rank_limit || plan.per_rank) {
    Json ranks = Json::array();
    for (std::uint64_t i = 0; i < report.per_rank.size(); ++i)
      ranks.push_back(rank_json(i, report.per_rank[i]));
    json["per_rank"] = std::move(ranks);
  }
  json["io"] = io_json(report.io);
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
