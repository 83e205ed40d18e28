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
  kernel::SimTime time;  ///< from the start of service to its end
  bool seek = false;     ///< the request did not continue where the one before it ended
};

/// Where data can be.
struct Space {
  std::uint64_t bytes = 0;  ///< 0: without bounds, and without a meaning of distances
  std::uint64_t unit = 1;   ///< files begin at multiples of it
};

/// One disk: what it does next depends on what it did before (position of the head). Requests come one after
/// the other; queueing is the business of whoever owns the disk.
class DiskModel {
 public:
  virtual ~DiskModel() = default;
  DiskModel(const DiskModel&) = delete;
  DiskModel& operator=(const DiskModel&) = delete;

  /// A request that lies within the disk's space, and whose service begins at `start`, not before the end of
  /// the last one's.
  virtual Service serve(const Request& request, kernel::SimTime start) = 0;
  virtual Space space() const = 0;

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
