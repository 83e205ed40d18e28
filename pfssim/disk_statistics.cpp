#include "pfssim/disk_statistics.hpp"

namespace mpisim::pfs {

using kernel::SimTime;

void DiskMeter::served(const disk::Request& request, const disk::Service& service, SimTime arrival,
                       SimTime start) {
  const std::uint64_t bytes = request.bytes.count();
  ++(request.write ? statistics.writes : statistics.reads)[DiskStatistics::class_of(bytes)];
  (request.write ? statistics.bytes_written : statistics.bytes_read) += bytes;
  if (service.seek) ++statistics.seeks;
  statistics.waited += static_cast<unsigned __int128>((start - arrival).ps());
  went_on(service, start);
}

void DiskMeter::went_on(const disk::Service& service, SimTime start) {
  statistics.cylinders += service.cylinders;
  const SimTime end = start + service.time;
  if (end <= statistics.last_end) return;
  statistics.busy += end - kernel::max(start, statistics.last_end);
  statistics.last_end = end;
}

void DiskMeter::waiting(std::uint64_t requests) {
  statistics.longest_queue = std::max(statistics.longest_queue, static_cast<std::uint32_t>(requests));
}

void DiskMeter::joined(SimTime arrival, SimTime start) {
  while (!starts_.empty() && starts_.front() <= arrival) starts_.pop_front();
  if (start == arrival) return;
  starts_.push_back(start);
  waiting(starts_.size());
}

}  // namespace mpisim::pfs
