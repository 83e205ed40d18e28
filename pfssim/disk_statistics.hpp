#pragma once
// What one disk did in a run, and the meter that counts it.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <deque>

#include "disk_models/disk_model.hpp"

namespace mpisim::pfs {

struct DiskStatistics {
  /// Requests of up to 512 B, 2 KiB, 8 KiB, ... 32 MiB, and more.
  static constexpr std::size_t size_classes = 10;
  static constexpr std::uint64_t smallest_class = 512;

  std::uint32_t io_node = 0;
  std::uint32_t disk = 0;           ///< of the I/O node
  std::uint32_t member = 0;         ///< of an array
  std::uint32_t longest_queue = 0;  ///< most requests that waited at once
  std::array<std::uint64_t, size_classes> reads{};
  std::array<std::uint64_t, size_classes> writes{};
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t seeks = 0;      ///< requests that did not begin where the last one had ended
  std::uint64_t cylinders = 0;  ///< that the head moved over
  kernel::SimTime busy;         ///< time with a request in service
  kernel::SimTime last_end;     ///< of a service, so far
  /// Picoseconds, sum over requests, from arrival to the beginning of service: of many that wait at once,
  /// more than the range of SimTime.
  unsigned __int128 waited = 0;

  /// Largest request of a class; 0: without bounds.
  static std::uint64_t up_to(std::size_t size_class) {
    return size_class + 1 == size_classes ? 0 : smallest_class << (2 * size_class);
  }
  static std::size_t class_of(std::uint64_t bytes) {
    if (bytes <= smallest_class) return 0;
    const auto doublings = static_cast<std::size_t>(std::bit_width((bytes - 1) / smallest_class));
    return std::min((doublings + 1) / 2, size_classes - 1);
  }
};

class DiskMeter {
 public:
  /// A request that came at `arrival` is served from `start` on; starts do not go back.
  void served(const disk::Request& request, const disk::Service& service, kernel::SimTime arrival,
              kernel::SimTime start);
  /// A service from `start` on is the rest of a request that has been counted.
  void went_on(const disk::Service& service, kernel::SimTime start);
  /// So many requests wait.
  void waiting(std::uint64_t requests);
  /// Notes the length of the queue that a request finds at `arrival` and joins, if it is served in order.
  void joined(kernel::SimTime arrival, kernel::SimTime start);

  DiskStatistics statistics;

 private:
  std::deque<kernel::SimTime> starts_;  // of what waits, in order
};

}  // namespace mpisim::pfs
