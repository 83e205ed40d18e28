#pragma once
// Line plots as SVG, readable on screen and in print: series differ in colour, marker and dash.
#include <string>
#include <vector>

namespace mpisim::app {

struct PlotSeries {
  std::string name;
  std::vector<double> x;  ///< position on the axis: the value, or the index of a category
  std::vector<double> y;
};

struct LinePlot {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::string series_label;             ///< heading of the legend
  std::vector<std::string> categories;  ///< not empty: x are indices into it
  bool log_x = false;                   ///< base 2; all x > 0
  std::vector<PlotSeries> series;
};

/// The complete SVG document. The y axis begins at zero.
std::string to_svg(const LinePlot& plot);

/// A step of 1, 2 or 5 times a power of ten that divides `range` into about `parts` parts.
double nice_step(double range, int parts);

}  // namespace mpisim::app
