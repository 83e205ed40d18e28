#pragma once
// How long the arm of a disk moves over d cylinders.
//
//   seek(d) = 0                                  for d = 0
//           = near + near_per_root * sqrt(d)     for 1 <= d <= near_limit: it accelerates all the way
//           = far + far_per_cylinder * d         beyond: it coasts at full speed
//
// Source of the form, and of the default parameters (HP 97560): C. Ruemmler, J. Wilkes, "An introduction to
// disk drive modeling", IEEE Computer 27(3), 1994. Settling is part of the constants.
#include <cstdint>

#include "simkernel/modules.hpp"
#include "simkernel/sim_time.hpp"

namespace mpisim::disk {

struct SeekCurve {
  kernel::SimTime near = kernel::SimTime::picoseconds(3'240'000'000);
  kernel::SimTime near_per_root = kernel::SimTime::picoseconds(400'000'000);
  std::uint64_t near_limit = 383;  ///< cylinders, inclusive
  kernel::SimTime far = kernel::SimTime::picoseconds(8'000'000'000);
  kernel::SimTime far_per_cylinder = kernel::SimTime::picoseconds(8'000'000);

  kernel::SimTime operator()(std::uint64_t distance) const;
};

/// The section `seek` of a model that has such a curve, and its values.
kernel::Parameter seek_parameter();
SeekCurve seek_curve(const kernel::Parameters& given);

}  // namespace mpisim::disk
