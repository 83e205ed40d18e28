#include "disk_models/seek_curve.hpp"

#include <cmath>

namespace mpisim::disk {

using kernel::Parameter;
using kernel::ParameterType;
using kernel::SimTime;

SimTime SeekCurve::operator()(std::uint64_t distance) const {
  if (distance == 0) return SimTime::zero();
  if (distance > near_limit) return far + far_per_cylinder * static_cast<std::int64_t>(distance);
  const double roots = std::sqrt(static_cast<double>(distance));
  return near + SimTime::picoseconds(std::llround(static_cast<double>(near_per_root.ps()) * roots));
}

Parameter seek_parameter() {
  const auto time = [](const char* name, const char* fallback, const char* meaning) {
    return Parameter{name, ParameterType::time, fallback, meaning};
  };
  Parameter near_limit{"near_limit", ParameterType::integer, "383", "largest d that is short"};
  near_limit.zero = true;
  Parameter seek{"seek", ParameterType::section, "", "how long the head moves over d cylinders"};
  seek.fields = {time("near", "3.24 ms", "constant part for short distances"),
                 time("near_per_root", "0.4 ms", "times the square root of d"), std::move(near_limit),
                 time("far", "8 ms", "constant part for longer distances"),
                 time("far_per_cylinder", "8 us", "times d")};
  return seek;
}

SeekCurve seek_curve(const kernel::Parameters& given) {
  const auto seek = given.section("seek");
  return {seek->time("near"), seek->time("near_per_root"), seek->integer("near_limit"), seek->time("far"),
          seek->time("far_per_cylinder")};
}

}  // namespace mpisim::disk
