#pragma once
// The vertical axis of a plot: its range, its ticks, and where a value lies on it.
#include <vector>

namespace mpisim::app {

/// A step of 1, 2 or 5 times a power of ten that divides `range` into about `parts` parts.
double nice_step(double range, int parts);

class PlotScale {
 public:
  /// From zero to a tick at or above `largest` (to 1 if that is not positive).
  static PlotScale linear(double largest);
  /// From a tick at or below `least` to one at or above `largest`; both positive. Ticks at 1, 2 and 5 times
  /// powers of ten, over more than three decades at powers of ten alone.
  static PlotScale logarithmic(double least, double largest);

  const std::vector<double>& ticks() const { return ticks_; }
  /// 0 at the lowest tick, 1 at the highest; what lies outside is taken to the nearer of these.
  double position(double value) const;

 private:
  bool logarithmic_ = false;
  std::vector<double> ticks_;
};

}  // namespace mpisim::app
