#pragma once
// From a request to the time that a disk takes to serve it.
#include <cstdint>
#include <functional>
#include <memory>

#include "simkernel/quantities.hpp"
#include "simkernel/sim_time.hpp"

namespace mpisim::disk {

/// One contiguous read or write.
struct Request {
  std::uint64_t address = 0;  ///< first byte on the disk
  kernel::Bytes bytes;
  bool write = false;
};

struct Service {
  kernel::SimTime time;         ///< from the start of service to its end
  bool seek = false;            ///< the request did not continue where the one before it ended
  std::uint64_t cylinders = 0;  ///< that the head moved over before it
};

/// Where data can be.
struct Space {
  std::uint64_t bytes = 0;      ///< 0: without bounds, and without a meaning of distances
  std::uint64_t unit = 1;       ///< files begin at multiples of it
  std::uint64_t cylinders = 0;  ///< positions of the head; 0: no head moves
};

/// One disk: what it does next depends on what it did before (position of the head). Requests come one after
/// the other; queueing is the business of whoever owns the disk.
class DiskModel {
 public:
  virtual ~DiskModel() = default;
  DiskModel(const DiskModel&) = delete;
  DiskModel& operator=(const DiskModel&) = delete;

  /// A request that lies within the disk's space, and whose service begins at `start`, not before the end of
  /// the last one's (see depth()) and not before the last one's start.
  virtual Service serve(const Request& request, kernel::SimTime start) = 0;
  virtual Space space() const = 0;
  /// Where the head is for an address, and after the last request; 0 without one.
  virtual std::uint64_t cylinder_of(std::uint64_t /*address*/) const { return 0; }
  virtual std::uint64_t head() const { return 0; }
  /// Requests that it serves at once: `start` is not before the end of all but depth() - 1 of those before.
  virtual std::uint32_t depth() const { return 1; }

 protected:
  DiskModel() = default;
};

/// Makes disks of one kind, each at rest.
using Factory = std::function<std::unique_ptr<DiskModel>()>;

template <class Model, class ModelParameters>
Factory factory(const ModelParameters& parameters) {
  return [parameters] { return std::make_unique<Model>(parameters); };
}

}  // namespace mpisim::disk
