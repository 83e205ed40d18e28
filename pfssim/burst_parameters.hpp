#pragma once
// Burst buffers, as plain values.
#include <cstdint>

#include "disk_models/analytic.hpp"
#include "simkernel/quantities.hpp"
#include "simkernel/sim_time.hpp"

namespace mpisim::pfs {

/// burst_client.hpp, burst_buffer.hpp. The defaults are those of a machine file that names a burst buffer (a
/// test compares them with the schema).
struct BurstParameters {
  enum class Place : std::uint8_t {
    none,
    local,      ///< one on each compute node, for the node's ranks
    dedicated,  ///< on nodes of their own, for all
  };
  Place place = Place::none;
  std::uint32_t nodes = 0;                          ///< dedicated: buffers
  std::uint64_t capacity = std::uint64_t{1} << 40;  ///< bytes of each; >= transfer
  std::uint64_t stripe = std::uint64_t{8} << 20;    ///< dedicated: consecutive bytes of a file on one buffer
  std::uint64_t transfer = std::uint64_t{8} << 20;  ///< most bytes that a device or a drain moves at once
  std::uint32_t drains = 4;                         ///< transfers to the file system below at a time
  kernel::ByteTime drain_time = kernel::ByteTime::femtoseconds(0);  ///< least time per byte of all drains
  kernel::SimTime drain_delay = kernel::SimTime::picoseconds(1'000'000'000'000);  ///< of what is less (> 0)
  bool stage_out = false;  ///< sync and close of a file wait until all of it is below
  disk::Factory device = disk::factory<disk::Analytic>(disk::AnalyticParameters{});

  bool any() const { return place != Place::none; }
};

}  // namespace mpisim::pfs
