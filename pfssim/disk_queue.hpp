#pragma once
// A disk and the requests that wait for it: which one is served next is chosen when the disk is free, by its
// queue discipline (disk_models/queue_discipline.hpp).
//
//   start = when the disk serves fewer requests than it can at once and the discipline chooses this one
//   end   = start + service time of the disk model
//
// Whoever owns the queue tells it when a service is over. Cost: that of discipline and model.
#include <cstdint>
#include <memory>
#include <optional>

#include "disk_models/disk_model.hpp"
#include "disk_models/queue_discipline.hpp"
#include "pfssim/disk_statistics.hpp"
#include "pfssim/pool.hpp"

namespace mpisim::pfs {

class DiskQueue {
 public:
  /// Bytes of a request as statistics count it; none: it is the rest of one that they have counted.
  using Counted = std::optional<kernel::Bytes>;
  /// A service that ends at `end`, when finish() is to be called.
  struct Started {
    kernel::SimTime end;
    std::uint32_t operation = 0;
  };
  struct Finished {
    std::uint32_t token = 0;
    disk::Service service;
    bool write = false;
    std::optional<Started> next;
  };

  DiskQueue(std::unique_ptr<disk::DiskModel> disk, const disk::Discipline& discipline);

  /// A request arrives at `now`, not before the last call; finish() will return `token` for it.
  std::optional<Started> add(const disk::Request& request, std::uint32_t token, kernel::SimTime now,
                             const Counted& counted);
  Finished finish(std::uint32_t operation, kernel::SimTime now);
  /// Requests that wait or are served.
  std::uint32_t length() const { return waiting_ + serving_; }
  /// Cylinders from where the head is, or will be after the services that have begun, to an address.
  std::uint64_t distance(std::uint64_t address) const;
  const DiskStatistics& statistics() const { return meter_.statistics; }

 private:
  struct Operation {
    disk::Request request;
    std::uint32_t token = 0;
    kernel::SimTime arrival;
    Counted counted;
    disk::Service service;
  };

  std::optional<Started> start_next(kernel::SimTime now);

  std::unique_ptr<disk::DiskModel> disk_;
  std::unique_ptr<disk::QueueDiscipline> discipline_;
  Pool<Operation> operations_;
  DiskMeter meter_;
  std::uint64_t arrivals_ = 0;
  std::uint32_t waiting_ = 0;
  std::uint32_t counted_waiting_ = 0;
  std::uint32_t serving_ = 0;
};

}  // namespace mpisim::pfs
