#pragma once
// Line plots as SVG, readable on screen and in print: series differ in colour, marker and dash; the picture
// grows with its words, so that none is cut.
#include <string>
#include <vector>

namespace mpisim::app {

/// Values of one line, by ascending x. `low` and `high` are empty, or hold the ends of an error bar for each
/// value.
struct PlotSeries {
  std::string name;
  std::vector<double> x;  ///< positions of ticks
  std::vector<double> y;
  std::vector<double> low{};
  std::vector<double> high{};
};

/// A place on the horizontal axis and what is written below it.
struct PlotTick {
  double position = 0;
  std::string label;
};

struct LinePlot {
  std::string title;
  std::vector<std::string> notes;  ///< what a reader must know of the marks; below the title
  std::string x_label;
  std::string y_label;
  std::string series_label;       ///< heading of the legend
  std::vector<PlotTick> x_ticks;  ///< at least one; every x of the series is among them
  bool categories = false;  ///< the ticks are words side by side, not places on a scale: none is left out
  bool log_x = false;       ///< all positions > 0
  bool log_y = false;       ///< all y > 0; ends of bars that are not end at the axis
  std::vector<PlotSeries> series;
};

/// The complete SVG document. A y axis that is not logarithmic begins at zero; one that is says so, as does
/// x.
std::string to_svg(const LinePlot& plot);

}  // namespace mpisim::app
