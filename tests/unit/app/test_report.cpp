#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "app/run_plan.hpp"
#include "app/run_report.hpp"

using namespace mpisim::app;
using mpisim::kernel::SimTime;

namespace {

RankReport rank(std::int64_t compute, std::int64_t collective) {
  RankReport report;
  report.compute = SimTime::picoseconds(compute);
  report.collective = SimTime::picoseconds(collective);
  report.finished = report.compute + report.collective;
  report.messages = 2;
  report.bytes = 100;
  return report;
}

RunReport report_of(const std::vector<RankReport>& ranks) {
  RunReport report;
  report.machine = "sp2";
  for (std::size_t i = 0; i < ranks.size(); ++i) report.add(ranks[i], i);
  report.per_rank = ranks;
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
