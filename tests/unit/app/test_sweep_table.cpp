// What a sweep makes of its runs: rows of the table, and the marks of plots.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "app/sweep_plots.hpp"
#include "app/sweep_results.hpp"

using namespace mpisim::app;
using Catch::Contains;

namespace {

PointRun run_of(double seconds) {
  return {0, fmt::format(R"({{"predicted_time_s": {}, "messages": 7, "exit_code": 0}})", seconds), ""};
}

/// Ranks 1 and 2, with and without the other thing that varies; times 1, 2, 3, 4 s.
struct Fixture {
  Study study;
  std::vector<PointResult> results;

  Fixture() {
    study.ranks = {1, 2};
    study.variables = {{"mpi.eager_limit", {"1 KiB", "64 KiB"}}};
    for (const Point& point : points_of(study))
      results.push_back({point, "", {run_of(static_cast<double>(point.number))}});
  }

  LinePlot plot(AxisScale y_scale = AxisScale::linear) const {
    PlotRequest request;
    request.x = "ranks";
    request.y = "predicted_time_s";
    request.y_scale = y_scale;
    return plot_of(study, request, table_of(study, results));
  }
};

}  // namespace

TEST_CASE("a mark is a mean, and the plot says over what") {
  Fixture sweep;
  const LinePlot plot = sweep.plot();
  REQUIRE(plot.series.size() == 1);
  CHECK(plot.series[0].y == std::vector<double>{1.5, 3.5});
  CHECK(plot.series[0].low.empty());
  CHECK(plot.y_label == "predicted time (s)");
  REQUIRE(plot.notes.size() == 1);
  CHECK(plot.notes[0] == "Each mark is the mean of 2 points over mpi.eager_limit (1 KiB, 64 KiB).");
}

TEST_CASE("a plot without means says nothing of means") {
  Fixture sweep;
  PlotRequest request;
  request.x = "mpi.eager_limit";
  request.y = "predicted_time_s";
  request.series = "ranks";
  const LinePlot plot = plot_of(sweep.study, request, table_of(sweep.study, sweep.results));
  CHECK(plot.notes.empty());
  CHECK(plot.series.size() == 2);
  CHECK_FALSE(plot.categories);  // amounts have places on an axis
  CHECK(plot.log_x);
  CHECK(plot.x_ticks[1].position == 65536);
  CHECK(plot.x_ticks[1].label == "64 KiB");
}

TEST_CASE("what failed or was skipped has its reason, and no mark") {
  Fixture sweep;
  sweep.results[0].runs.clear();
  sweep.results[0].skipped = "too few nodes";
  sweep.results[3].runs[0] = {3, R"({"predicted_time_s": 99.0, "exit_code": 3})", "deadlock\nwho waits\n"};
  const auto rows = table_of(sweep.study, sweep.results);
  CHECK(rows[0]["status"] == "skipped");
  CHECK(rows[0]["reason"] == "too few nodes");
  CHECK(rows[0]["exit_code"] == 2);
  CHECK(rows[0]["predicted_time_s"].is_null());
  CHECK(rows[1]["status"] == "finished");
  CHECK(rows[3]["status"] == "failed");
  CHECK(rows[3]["reason"] == "exit status 3: deadlock who waits");
  const LinePlot plot = sweep.plot();
  CHECK(plot.series[0].y == std::vector<double>{2, 3});
  REQUIRE(plot.notes.size() == 3);
  CHECK(plot.notes[0] ==
        "Each mark is one point, but not all have the same mpi.eager_limit (64 KiB, 1 KiB).");
  CHECK(plot.notes[1] == "Left out: 1 of 4 points, failed.");
  CHECK(plot.notes[2] == "Left out: 1 of 4 points, skipped.");
}

TEST_CASE("zeros have no place on a logarithmic axis, and it is said") {
  Fixture sweep;
  sweep.results[0].runs[0] = run_of(0);
  const LinePlot plot = sweep.plot(AxisScale::logarithmic);
  CHECK(plot.log_y);
  CHECK(plot.series[0].y == std::vector<double>{2, 3.5});
  CHECK_THAT(plot.notes.back(), Contains("1 of 4 points, not above 0"));
}

TEST_CASE("repetitions: mean, spread and bars") {
  Fixture sweep;
  sweep.study.repeat = 3;
  sweep.results[0].runs = {run_of(1), run_of(2), run_of(6)};
  sweep.results[1].runs = {run_of(1), run_of(1), {4, "", "crash"}};
  const auto rows = table_of(sweep.study, sweep.results);
  CHECK(rows[0]["predicted_time_s"] == 3.0);
  CHECK(rows[0]["predicted_time_s_min"] == 1.0);
  CHECK(rows[0]["predicted_time_s_max"] == 6.0);
  CHECK(rows[0]["predicted_time_s_sd"].get<double>() == Approx(std::sqrt((4 + 1 + 9) / 2.0)));
  CHECK(rows[0]["messages"] == 7);
  CHECK(rows[0]["repetitions"] == 3);
  CHECK(rows[1]["repetitions"] == 2);
  CHECK(rows[1]["status"] == "failed");
  CHECK(rows[2]["predicted_time_s_sd"].is_null());  // of one run
  sweep.results[1].runs[2] = run_of(1);
  const LinePlot plot = sweep.plot();
  CHECK(plot.series[0].y[0] == Approx(2));
  CHECK(plot.series[0].low[0] == Approx(1));
  CHECK(plot.series[0].high[0] == Approx(3.5));
  CHECK_THAT(plot.notes.back(), Contains("means of 3 repetitions"));
}
