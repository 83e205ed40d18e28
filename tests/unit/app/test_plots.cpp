// Pictures whose words are whole, whose scales are named, and whose numbers have units that people read.
#include <catch2/catch.hpp>
#include <regex>

#include "app/line_plot.hpp"
#include "app/plot_scale.hpp"
#include "app/result_columns.hpp"
#include "app/svg_text.hpp"

using namespace mpisim::app;
using Catch::Contains;

namespace {

LinePlot two_points() {
  LinePlot plot;
  plot.title = "title";
  plot.x_label = "ranks";
  plot.y_label = "time (s)";
  plot.x_ticks = {{1, "1"}, {64, "64"}};
  plot.series = {{"one", {1, 64}, {8, 0.5}, {}, {}}};
  return plot;
}

double number_after(const std::string& svg, const std::string& what) {
  const std::size_t at = svg.find(what);
  REQUIRE(at != std::string::npos);
  return std::stod(svg.substr(at + what.size()));
}

}  // namespace

TEST_CASE("words are broken into lines that fit, and nothing of them is lost") {
  const std::string text =
      "a title of many words and of one_that_is_far_too_long_for_any_line_of_this_width, too";
  std::string joined;
  for (const std::string& line : wrapped(text, 120, 13)) {
    CHECK(text_width(line, 13) <= 120);
    joined += line;
  }
  const auto letters = [](const std::string& words) {
    return std::regex_replace(words, std::regex(" "), "");
  };
  CHECK(letters(joined) == letters(text));
  CHECK(wrapped("", 100, 13) == std::vector<std::string>{""});
  CHECK(wrapped("µµµµµµ", 40, 13).size() > 1);
  for (const std::string& line : wrapped("µµµµµµ", 40, 13)) CHECK(line.size() % 2 == 0);  // whole characters
}

TEST_CASE("a picture grows with its words") {
  LinePlot plot = two_points();
  const std::string small = to_svg(plot);
  plot.series[0].name = "a series with a name that is quite long";
  plot.title = std::string(300, 'x');
  const std::string large = to_svg(plot);
  CHECK(number_after(large, "width=\"") > number_after(small, "width=\""));
  CHECK(number_after(large, "height=\"") > number_after(small, "height=\""));
}

TEST_CASE("logarithmic axes are named so, and only they") {
  LinePlot plot = two_points();
  CHECK_THAT(to_svg(plot), !Contains("logarithmic"));
  plot.log_x = true;
  CHECK_THAT(to_svg(plot), Contains("ranks, logarithmic scale") && !Contains("time (s), logarithmic"));
  plot.log_y = true;
  CHECK_THAT(to_svg(plot), Contains("ranks, logarithmic scale") && Contains("time (s), logarithmic scale"));
}

TEST_CASE("labels that would meet are turned, those of words are all there") {
  LinePlot plot = two_points();
  CHECK_THAT(to_svg(plot), !Contains("rotate(-40)"));
  plot.categories = true;
  plot.x_ticks.clear();
  plot.series.clear();
  for (int i = 0; i < 60; ++i) plot.x_ticks.push_back({static_cast<double>(i), "word " + std::to_string(i)});
  const std::string svg = to_svg(plot);
  CHECK_THAT(svg, Contains("rotate(-40)"));
  for (const PlotTick& tick : plot.x_ticks) CHECK_THAT(svg, Contains(">" + tick.label + "<"));
}

TEST_CASE("error bars reach from low to high") {
  LinePlot plot = two_points();
  plot.series[0].low = {6, 0.25};
  plot.series[0].high = {10, 0.75};
  const std::string svg = to_svg(plot);
  // The axis is 332 high and ends at 10: a bar of 4 is 132.8 high.
  const std::regex bar("class=\"bar\" d=\"M[0-9.]+ ([0-9.]+)h10m-5 0V([0-9.]+)");
  std::smatch ends;
  REQUIRE(std::regex_search(svg, ends, bar));
  CHECK(std::stod(ends[1]) - std::stod(ends[2]) == Approx(0.4 * 332).margin(0.2));
}

TEST_CASE("vertical scales") {
  CHECK(PlotScale::linear(11).ticks() == std::vector<double>{0, 2, 4, 6, 8, 10, 12});
  CHECK(PlotScale::linear(0).ticks().back() == 1);
  CHECK(PlotScale::logarithmic(3, 40).ticks() == std::vector<double>{2, 5, 10, 20, 50});
  CHECK(PlotScale::logarithmic(2, 50).ticks() == std::vector<double>{2, 5, 10, 20, 50});
  CHECK(PlotScale::logarithmic(7, 7).ticks() == std::vector<double>{5, 10});
  CHECK(PlotScale::logarithmic(1, 1).ticks() == std::vector<double>{1, 2});
  CHECK(PlotScale::logarithmic(1, 1e5).ticks() == std::vector<double>{1, 10, 100, 1000, 1e4, 1e5});
  for (const auto& [least, largest] : {std::pair{1e-12, 1e12}, {0.5, 0.6}, {9.99, 10.01}, {1e-3, 5}}) {
    CAPTURE(least, largest);
    const PlotScale scale = PlotScale::logarithmic(least, largest);
    CHECK(scale.ticks().front() <= least);
    CHECK(scale.ticks().back() >= largest);
    CHECK(scale.ticks().size() >= 2);
    CHECK(scale.ticks().size() <= 12);
  }
  const PlotScale scale = PlotScale::logarithmic(1, 100);
  CHECK(scale.position(10) == Approx(0.5));
  CHECK(scale.position(0) == 0);
  CHECK(scale.position(1e9) == 1);
}

TEST_CASE("units in which the largest number is easy to read") {
  const auto shown = [](Quantity quantity, double largest) {
    const AxisUnit unit = axis_unit(quantity, largest);
    return std::to_string(std::lround(largest * unit.factor)) + " " + unit.name;
  };
  CHECK(shown(Quantity::seconds, 0.0025) == "3 ms");
  CHECK(shown(Quantity::seconds, 42) == "42 s");
  CHECK(shown(Quantity::seconds, 1200) == "20 min");
  CHECK(shown(Quantity::seconds, 36000) == "10 h");
  CHECK(shown(Quantity::seconds, 0) == "0 s");
  CHECK(shown(Quantity::picoseconds, 2.5e7) == "25 µs");
  CHECK(shown(Quantity::picoseconds, 12) == "12 ps");
  CHECK(shown(Quantity::bytes, 3 * 1024 * 1024) == "3 MiB");
  CHECK(shown(Quantity::share, 0.5) == "50 %");
  CHECK(shown(Quantity::count, 999999) == "999999 ");
  CHECK(shown(Quantity::count, 2e6) == "2 million");
}
