#include "pfssim/disk_queue.hpp"

#include <utility>

namespace mpisim::pfs {

namespace {

// The discipline knows a request by its number in the order of arrival, which ends in its place.
constexpr unsigned place_bits = 28;

}  // namespace

DiskQueue::DiskQueue(std::unique_ptr<disk::DiskModel> disk, const disk::Discipline& discipline)
    : disk_(std::move(disk)), discipline_(discipline.make()) {}

std::optional<DiskQueue::Started> DiskQueue::add(const disk::Request& request, std::uint32_t token,
                                                 kernel::SimTime now, const Counted& counted) {
  const std::uint32_t place = operations_.take();
  operations_[place] = {request, token, now, counted, {}};
  discipline_->add({disk_->cylinder_of(request.address), arrivals_++ << place_bits | place});
  ++waiting_;
  if (counted) ++counted_waiting_;
  const std::optional<Started> started = start_next(now);
  meter_.waiting(counted_waiting_);
  return started;
}

std::uint64_t DiskQueue::distance(std::uint64_t address) const {
  const std::uint64_t there = disk_->cylinder_of(address);
  const std::uint64_t here = disk_->head();
  return there > here ? there - here : here - there;
}

std::optional<DiskQueue::Started> DiskQueue::start_next(kernel::SimTime now) {
  if (waiting_ == 0 || serving_ == disk_->depth()) return std::nullopt;
  const std::uint64_t chosen = discipline_->take(disk_->head());
  const auto place = static_cast<std::uint32_t>(chosen & ((std::uint64_t{1} << place_bits) - 1));
  Operation& operation = operations_[place];
  operation.service = disk_->serve(operation.request, now);
  if (operation.counted) {
    disk::Request counted = operation.request;
    counted.bytes = *operation.counted;
    meter_.served(counted, operation.service, operation.arrival, now);
    --counted_waiting_;
  } else {
    meter_.went_on(operation.service, now);
  }
  --waiting_;
  ++serving_;
  return Started{now + operation.service.time, place};
}

DiskQueue::Finished DiskQueue::finish(std::uint32_t operation, kernel::SimTime now) {
  const Operation& done = operations_[operation];
  Finished finished{done.token, done.service, done.request.write, std::nullopt};
  operations_.release(operation);
  --serving_;
  finished.next = start_next(now);
  return finished;
}

}  // namespace mpisim::pfs
