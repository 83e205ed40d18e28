#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "app/run_plan.hpp"
#include "app/run_report.hpp"

using namespace mpisim::app;
using mpisim::kernel::SimTime;

namespace {

using mpisim::mpi::CallKind;
using mpisim::mpi::RankResult;
using mpisim::mpi::RankTotals;

RankResult rank(std::int64_t compute, std::int64_t collective) {
  RankResult result;
  result.compute = SimTime::picoseconds(compute);
  result.in_calls[static_cast<std::size_t>(CallKind::collective)] = SimTime::picoseconds(collective);
  result.finish = SimTime::picoseconds(compute + collective);
  result.messages = 2;
  result.bytes = 100;
  return result;
}

RunReport report_of(const std::vector<RankResult>& ranks) {
  RunReport report;
  report.machine = "sp2";
  RankTotals totals;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    totals.add(ranks[i], static_cast<int>(i));
    RankReport& each = report.per_rank.emplace_back();
    each.finished = ranks[i].finish;
    each.compute = ranks[i].computing();
    each.collective = ranks[i].in(CallKind::collective);
    each.messages = ranks[i].messages;
    each.bytes = ranks[i].bytes;
  }
  report.take(totals);
  return report;
}

}  // namespace

TEST_CASE("sums over ranks") {
  const RunReport report = report_of({rank(10, 5), rank(11, 9), rank(20, 0)});
  CHECK(report.predicted.ps() == 20);
  CHECK(report.slowest_rank == 1);
  CHECK(report.compute.mean_ps() == 13);  // 41 / 3, rounded down
  CHECK(report.compute.min_ps() == 10);
  CHECK(report.compute.max_ps() == 20);
  CHECK(report.communication.mean_ps() == 4);
  CHECK(report.messages == 6);
  CHECK(report.bytes == 300);
}

TEST_CASE("totals are the same however ranks are dealt to host processes") {
  std::vector<RankResult> results;
  for (int i = 0; i < 12; ++i) {
    results.push_back(rank(10 + i % 5, 3 * i % 7));
    results.back().exit_status = i % 4 == 2 ? i : 0;
    results.back().waits = static_cast<std::uint64_t>(i);
    results.back().waited = SimTime::picoseconds(i % 3);
    results.back().counters[3] = static_cast<std::uint64_t>(i * i);
  }
  RankTotals alone;
  for (int i = 0; i < 12; ++i) alone.add(results[static_cast<std::size_t>(i)], i);
  CHECK(alone.ranks == 12);
  CHECK(alone.failed_rank == 2);
  CHECK(alone.failed_status == 2);
  CHECK(alone.counters[3] == 506);
  CHECK(alone.waits == 66);
  for (const bool round_robin : {false, true}) {
    std::vector<RankTotals> hosts(5);  // the last has no rank
    for (int i = 0; i < 12; ++i)
      hosts[static_cast<std::size_t>(round_robin ? i % 4 : i / 3)].add(results[static_cast<std::size_t>(i)],
                                                                       i);
    RankTotals together;
    for (auto host = hosts.rbegin(); host != hosts.rend(); ++host) together.add(*host);
    CHECK(together.finish == alone.finish);
    CHECK(together.last_rank == alone.last_rank);
    CHECK(together.failed_rank == alone.failed_rank);
    CHECK(together.failed_status == alone.failed_status);
    CHECK(together.compute.sum == alone.compute.sum);
    CHECK(together.communication.min == alone.communication.min);
    CHECK(together.collective.max == alone.collective.max);
    CHECK(together.io.count == 12);
    CHECK(together.messages == 24);
    CHECK(together.counters == alone.counters);
    CHECK(together.running_ps == alone.running_ps);
    CHECK(together.mean_run_seconds() == alone.mean_run_seconds());
  }
}

TEST_CASE("means of very long times do not wrap") {
  Spread spread;
  for (int i = 0; i < 1000; ++i) spread.add(SimTime::picoseconds(std::int64_t{9'000'000'000'000'000'000}));
  CHECK(spread.mean_ps() == 9'000'000'000'000'000'000);
}

TEST_CASE("no ranks") {
  const Spread spread;
  CHECK(spread.mean_ps() == 0);
  CHECK(spread.min_ps() == 0);
  CHECK(spread.max_ps() == 0);
}

TEST_CASE("the JSON document") {
  RunPlan plan;
  plan.ranks = 2;
  RunReport report = report_of({rank(10, 5), rank(11, 9)});
  report.sync_rounds = 2;
  auto json = nlohmann::json::parse(to_json(plan, report));
  CHECK(json["predicted_time_ps"] == 20);
  CHECK(json["sync_rounds"].is_number_integer());
  CHECK(json["breakdown"]["compute_ps"] == nlohmann::json({{"mean", 10}, {"min", 10}, {"max", 11}}));
  CHECK(json["per_rank"].size() == 2);
  CHECK(json["per_rank"][1]["collective_ps"] == 9);
  CHECK(json["io"]["cache"]["misses"] == 0);
  report.sync_rounds = 2.5;
  CHECK(nlohmann::json::parse(to_json(plan, report))["sync_rounds"] == 2.5);
  plan.ranks = per_rank_limit + 1;
  CHECK_FALSE(nlohmann::json::parse(to_json(plan, report)).contains("per_rank"));
  plan.per_rank = true;
  CHECK(nlohmann::json::parse(to_json(plan, report)).contains("per_rank"));
}

TEST_CASE("disks of the parallel file system") {
  RunPlan plan;
  plan.ranks = 1;
  RunReport report = report_of({rank(1000, 0)});
  CHECK_FALSE(nlohmann::json::parse(to_json(plan, report))["io"].contains("disks"));
  CHECK_THAT(summary(plan, report), !Catch::Contains("disks"));
  DiskReport disk;
  disk.io_node = 1;
  disk.reads = 3;
  disk.writes = 1;
  disk.busy = SimTime::picoseconds(250);
  disk.waited = 2000;
  disk.longest_queue = 3;
  disk.by_size = {{512, 3, 0}, {0, 0, 1}};
  report.disks = {disk, DiskReport{}};
  const auto json = nlohmann::json::parse(to_json(plan, report))["io"]["disks"];
  REQUIRE(json.size() == 2);
  CHECK(json[0]["io_node"] == 1);
  CHECK(json[0]["utilisation"] == 0.25);
  CHECK(json[0]["mean_wait_ps"] == 500);
  CHECK(json[0]["mean_queue"] == 2.0);
  CHECK(json[0]["longest_queue"] == 3);
  CHECK(json[0]["by_size"] == nlohmann::json::parse(R"([{"up_to": 512, "reads": 3, "writes": 0},
                                                        {"up_to": null, "reads": 0, "writes": 1}])"));
  CHECK(json[1]["mean_wait_ps"] == 0);
  CHECK_THAT(summary(plan, report),
             Catch::Contains(
                 "disks           2, busy 12.5 % of the time on average, 25.0 % at most; at most 3 waiting"));
}

TEST_CASE("disks that work on after the last rank's end are not busy for more than all the time") {
  RunPlan plan;
  plan.ranks = 1;
  RunReport report = report_of({rank(1000, 0)});
  DiskReport disk;
  disk.busy = SimTime::picoseconds(3000);
  disk.last_end = SimTime::picoseconds(4000);
  disk.waited = 2000;
  report.disks = {disk, DiskReport{}};
  const auto json = nlohmann::json::parse(to_json(plan, report))["io"]["disks"];
  CHECK(json[0]["utilisation"] == 0.75);
  CHECK(json[0]["mean_queue"] == 0.5);
  CHECK_THAT(summary(plan, report), Catch::Contains("busy 37.5 % of the time on average, 75.0 % at most"));
}

TEST_CASE("waits at a disk may add up to more than simulated time can be") {
  constexpr std::int64_t day = std::int64_t{86'400} * 1'000'000'000'000;
  RunPlan plan;
  plan.ranks = 1;
  RunReport report = report_of({rank(day, 0)});
  DiskReport disk;
  disk.reads = 200;
  disk.waited = static_cast<unsigned __int128>(day) * 200;
  report.disks = {disk};
  const auto json = nlohmann::json::parse(to_json(plan, report))["io"]["disks"][0];
  CHECK(json["mean_wait_ps"] == day);
  CHECK(json["mean_queue"] == 200.0);
}

TEST_CASE("the summary") {
  RunPlan plan;
  plan.ranks = 2;
  RunReport report = report_of({rank(1'000'000'000, 0), rank(2'000'000'000, 500'000'000)});
  report.calibration = "a processor";
  report.warnings = {"something"};
  report.events = 1234567;
  report.wall_seconds = 1;
  const std::string text = summary(plan, report);
  for (const char* part :
       {"2 ranks on sp2: predicted time 2.5", "collective", "slowest rank    1", "4 with 200 B",
        "1,234,567 events", "calibration     a processor", "warning: something"})
    CHECK_THAT(text, Catch::Contains(part));
}

TEST_CASE("memory of this process") {
  CHECK(peak_resident_bytes() > 1'000'000);
}
