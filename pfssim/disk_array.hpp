#pragma once
// The disks of a cell, each with its queue: one, or the members of an array (disk_models/array.hpp).
//
// A request becomes requests of members, which are queued when it arrives, those that need the results of
// others when those are done. A read of a mirrored array goes to the member with the fewest requests, of
// several the one whose head is nearest, then the first.
#include <cstdint>
#include <vector>

#include "disk_models/array.hpp"
#include "pfssim/disk_queue.hpp"
#include "pfssim/pool.hpp"

namespace mpisim::pfs {

class DiskArray {
 public:
  /// A member's service that ends at `end`, when finish() is to be called.
  struct Started {
    kernel::SimTime end;
    std::uint32_t member = 0;
    std::uint32_t operation = 0;
  };
  struct Finished {
    std::uint32_t token = 0;
    disk::Service service;
    bool write = false;
    bool chain_done = false;  ///< one of those that add() told
  };

  DiskArray(const disk::ArrayParameters& array, const disk::Factory& disk,
            const disk::Discipline& discipline);

  disk::Space space() const { return array_.space(); }
  const std::vector<DiskQueue>& members() const { return members_; }

  /// A request arrives at `now`, not before the last call. Returns the number of its chains, each of which
  /// finish() will tell when it is done. Adds to `started`. `counted`: see DiskQueue::add; members of arrays
  /// count what they do.
  std::uint32_t add(const disk::Request& request, std::uint32_t token, kernel::SimTime now,
                    const DiskQueue::Counted& counted, std::vector<Started>& started);
  /// Adds to `started`.
  Finished finish(std::uint32_t member, std::uint32_t operation, kernel::SimTime now,
                  std::vector<Started>& started);

 private:
  struct Underway {
    std::uint32_t token = 0;
    std::uint32_t left = 0;  ///< requests of members that are not done
    std::vector<disk::MemberRequest> then;
  };

  void queue(const std::vector<disk::MemberRequest>& requests, std::uint32_t chain, kernel::SimTime now,
             const DiskQueue::Counted* counted, std::vector<Started>& started);
  std::uint32_t choose(std::uint64_t address) const;

  disk::Array array_;
  bool one_disk_;
  std::vector<DiskQueue> members_;
  Pool<Underway> chains_;
};

}  // namespace mpisim::pfs
