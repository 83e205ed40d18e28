#include "app/plot_scale.hpp"

#include <algorithm>
#include <cmath>

namespace mpisim::app {

namespace {

constexpr int linear_parts = 6;
constexpr int most_decades = 8;       // with a tick each
constexpr int decades_with_many = 3;  // with ticks at 1, 2 and 5
constexpr double rounding = 1e-9;     // relative, of values that lie on a tick

/// The ticks of a few decades, from the last that is not above `least` to the first that is not below
/// `largest`.
std::vector<double> ticks_of_decades(double least, double largest, int first, int last) {
  std::vector<double> ticks;
  for (int decade = first; decade <= last; ++decade)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10.0, decade);
      if (tick <= least * (1 + rounding)) ticks.clear();
      ticks.push_back(tick);
      if (tick >= largest * (1 - rounding) && ticks.size() > 1) return ticks;
    }
  return ticks;
}

}  // namespace

double nice_step(double range, int parts) {
  const double raw = range / parts;
  const double magnitude = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * magnitude >= raw * (1 - rounding)) return factor * magnitude;
  }
  return 10 * magnitude;
}

PlotScale PlotScale::linear(double largest) {
  PlotScale scale;
  if (largest <= 0) largest = 1;
  const double step = nice_step(largest, linear_parts);
  const int last = static_cast<int>(std::ceil(largest / step - rounding));
  for (int i = 0; i <= last; ++i) scale.ticks_.push_back(i * step);
  return scale;
}

PlotScale PlotScale::logarithmic(double least, double largest) {
  PlotScale scale;
  scale.logarithmic_ = true;
  const int first = static_cast<int>(std::floor(std::log10(least) + rounding));
  const int last = std::max(static_cast<int>(std::ceil(std::log10(largest) - rounding)), first + 1);
  if (last - first <= decades_with_many) {
    scale.ticks_ = ticks_of_decades(least, largest, first, last);
    return scale;
  }
  const int step = (last - first + most_decades - 1) / most_decades;
  for (int decade = first; decade < last + step; decade += step)
    scale.ticks_.push_back(std::pow(10.0, decade));
  return scale;
}

double PlotScale::position(double value) const {
  const double low = ticks_.front(), high = ticks_.back();
  if (value <= low) return 0;
  if (value >= high) return 1;
  return logarithmic_ ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

}  // namespace mpisim::app
