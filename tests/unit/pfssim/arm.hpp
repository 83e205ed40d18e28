#pragma once
// Disks of which nothing matters but where the head is.
#include "disk_models/simple.hpp"

namespace mpisim::test {

/// `cylinders` of 1000 bytes: a request takes `overhead`, `per_cylinder` for each that the head moves over,
/// and `transfer` for each byte; nothing turns.
inline disk::Factory arm(std::uint64_t cylinders, kernel::SimTime per_cylinder, kernel::SimTime overhead,
                         kernel::ByteTime transfer = {}) {
  constexpr kernel::SimTime nothing;
  disk::SimpleParameters parameters;
  parameters.overhead = overhead;
  parameters.seek = {nothing, nothing, 0, nothing, per_cylinder};
  parameters.cylinders = cylinders;
  parameters.cylinder_size = 1000;
  parameters.sector = 1;
  parameters.turn = nothing;
  parameters.transfer = transfer;
  return disk::factory<disk::Simple>(parameters);
}

}  // namespace mpisim::test
