// How the modelled processor compares with the host, and how much the host disturbed a run.
#include <catch2/catch.hpp>
#include <cstring>
#include <nlohmann/json.hpp>

#include "app/run_plan.hpp"
#include "app/run_report.hpp"

using namespace mpisim::app;
using Catch::Contains;

namespace {

HostUse use(const char* host, double cpu, double waited, double busy, double stolen = 0) {
  HostUse result;
  result.counted.elapsed = 10;
  result.counted.thread_cpu = cpu;
  result.counted.process_cpu = cpu;
  result.counted.waited = waited;
  result.counted.involuntary_switches = 7;
  result.counted.voluntary_switches = 2;
  result.counted.minor_faults = 100;
  result.counted.busy = busy;
  result.counted.stolen = stolen;
  result.counted.processors = 4;
  std::strcpy(result.host.data(), host);
  return result;
}

}  // namespace

TEST_CASE("counted time is compared with the samples of the same code") {
  UncountedReport samples;
  samples.samples = 150;
  samples.places["libother.so"] = 50;  // nothing stands for these in the prediction
  const HostComparison both = compare_with_host(2, samples, 6e9, 2e9);
  CHECK(both.host_seconds == Approx(0.4));
  CHECK(both.code.value() == Approx(5));
  CHECK(both.kernel.value() == Approx(3));
  CHECK_FALSE(compare_with_host(2, samples, 0, 2e9).kernel);
  samples.samples = 60;  // ten that count
  CHECK_FALSE(compare_with_host(2, samples, 6e9, 2e9).code);
}

TEST_CASE("summary and JSON tell the comparison, or that there is none") {
  RunPlan plan;
  plan.compute = "counted";
  RunReport report;
  report.processor_class = "out-of-order-2020";
  report.clock_hz = 2e9;
  report.own_prices = 3;
  report.comparison = {1.5, 1.25, 0.4};
  CHECK_THAT(
      summary(plan, report),
      Contains(
          "processor       2 GHz, 3 of 12 prices its own, others of out-of-order-2020; takes at least 1.25 "
          "times as long as this host for this code (0.4 s, with counters), 1.5 times as long as this host "
          "for the calibration kernel"));
  auto json = nlohmann::json::parse(to_json(plan, report));
  CHECK(json["processor"] ==
        nlohmann::json({{"class", "out-of-order-2020"}, {"clock_hz", 2e9}, {"own_prices", 3}}));
  CHECK(
      json["host_comparison"] ==
      nlohmann::json({{"slowdown_kernel", 1.5}, {"slowdown_code_at_least", 1.25}, {"host_compute_s", 0.4}}));
  report.comparison.code.reset();
  CHECK_THAT(summary(plan, report),
             Contains("; takes 1.5 times as long as this host for the calibration kernel"));
  report.comparison = {};
  CHECK_THAT(summary(plan, report), Contains("not compared with this host: too short"));
  CHECK(nlohmann::json::parse(to_json(plan, report))["host_comparison"]["slowdown_kernel"].is_null());
}

TEST_CASE("busy and stolen time of all processors") {
  HostCounters counters;
  take_processor_times("cpu  100 20 30 4000 50 6 7 80 0 0\ncpu0 1 1 1 1 1 1 1 1\n", 0.01, counters);
  CHECK(counters.busy == Approx(1.63));
  CHECK(counters.stolen == Approx(0.8));
  HostCounters unknown;
  take_processor_times("", 0.01, unknown);
  take_processor_times("intr 1 2 3 4 5 6 7 8\n", 0.01, unknown);
  CHECK(unknown.busy < 0);
}

TEST_CASE("differences between two readings; ticks are too coarse for short runs") {
  HostCounters begin;
  begin.busy = 5;
  begin.stolen = 1;
  begin.waited = 0.5;
  begin.elapsed = 100;
  HostCounters end = begin;
  end.elapsed += least_for_ticks;
  end.busy += 0.2;
  end.waited += 0.1;
  end.involuntary_switches = 3;
  CHECK(use_between(begin, end).counted.busy == Approx(0.2));
  CHECK(use_between(begin, end).counted.waited == Approx(0.1));
  CHECK(use_between(begin, end).counted.involuntary_switches == 3);
  CHECK(use_between(begin, end).host[0] != 0);
  end.elapsed -= 0.01;
  CHECK(use_between(begin, end).counted.busy < 0);
}

TEST_CASE("host processes are added up, and are not strangers to each other") {
  // Two on one host of four processors, each with one of them: nobody else was there.
  const HostDisturbance quiet = disturbance_of({use("a", 10, 0, 20), use("a", 10, 0.1, 20)});
  CHECK(quiet.cpu_seconds == Approx(20));
  CHECK(quiet.waited_seconds == Approx(0.1));
  CHECK(quiet.involuntary_switches == 14);
  CHECK(quiet.voluntary_switches == 4);
  CHECK(quiet.minor_faults == 200);
  REQUIRE(quiet.others_share);
  CHECK(*quiet.others_share == Approx(0).margin(1e-9));
  CHECK(disturbance_warning(quiet).empty());
  // Of several hosts the one that is disturbed most tells.
  const HostDisturbance busy = disturbance_of({use("a", 10, 0, 10), use("b", 10, 0, 30, 0.4)});
  CHECK(*busy.others_share == Approx(0.5));
  CHECK(*busy.stolen_share == Approx(0.01));
}

TEST_CASE("a warning beyond each limit, and not below") {
  CHECK(disturbance_warning(disturbance_of({use("a", 10, 0.5, 19, 0.7)})).empty());
  const std::string waited = disturbance_warning(disturbance_of({use("a", 10, 10, 10)}));
  CHECK_THAT(waited, Contains("waited 50.0 % of the time for a processor (7 times taken away)"));
  CHECK_THAT(waited, Contains("limits: 5 % waited, 25 % of the processors, 2 % stolen"));
  CHECK_THAT(waited, Contains("--compute counted or recorded"));
  CHECK_THAT(disturbance_warning(disturbance_of({use("a", 10, 0, 21)})),
             Contains("other programs had 28 % of the processors"));
  CHECK_THAT(disturbance_warning(disturbance_of({use("a", 10, 0, 10, 1)})), Contains("2.5 % stolen"));
  HostUse unknown = use("a", 10, 0, -1, -1);
  CHECK(disturbance_warning(disturbance_of({unknown})).empty());
  CHECK_FALSE(disturbance_of({unknown}).others_share);
}

TEST_CASE("the calling thread's counters go forward") {
  const HostCounters begin = read_host_counters();
  double sum = 0;
  for (int i = 0; i < 10'000'000; ++i) sum += i;
  asm volatile("" : : "m"(sum));
  const HostCounters end = read_host_counters();
  CHECK(end.thread_cpu > begin.thread_cpu);
  CHECK(end.elapsed > begin.elapsed);
  CHECK(end.waited >= begin.waited);
  CHECK(end.processors >= 1);
}
