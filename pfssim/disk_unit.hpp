#pragma once
// The disk LP: a disk of an I/O node and its queue.
//
// First come, first served, the default:
//
//   start = max(arrival, end of a request before, so that the disk never serves more than it can at once)
//   end   = start + service time of the disk model
//
// so that each request is answered as soon as it is here. With another queue discipline the disk chooses when
// it is free (disk_queue.hpp), and so do the members of an array, which may be in place of the disk
// (disk_array.hpp). A list of ranges is queued at once, in its order. The parts of a disk-directed access
// wait until all members' are here; then the runs of bytes that they touch are queued by ascending address,
// and each part is answered when its last run is done.
#include <map>
#include <memory>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "pfssim/disk_array.hpp"
#include "pfssim/file_disk.hpp"
#include "pfssim/file_system.hpp"
#include "pfssim/pool.hpp"
#include "pfssim/transaction.hpp"
#include "simkernel/component_lp.hpp"

namespace mpisim::pfs {

class DiskUnit final : public kernel::ComponentLp {
 public:
  DiskUnit(kernel::Engine& engine, kernel::LpId id, const FileSystem& system);
  ~DiskUnit() override;

  /// Of the disk, or of each member of the array.
  std::vector<DiskStatistics> statistics() const;

 protected:
  void handle(kernel::Event* event) override;

 private:
  using Meeting = std::pair<std::uint64_t, std::uint32_t>;  // Transaction's meeting and turn
  /// Bytes that are served in one go, for accesses of one file and operation; counted for the first of them.
  struct Run {
    Range range;
    std::vector<Transaction*> askers;
  };
  struct Queued {
    std::vector<Transaction*> askers;
    std::uint32_t chains = 0;  ///< that are not done
    bool counted = false;
  };

  kernel::SimTime serve(Transaction& access, const Range& range);
  void enqueue(Run run);
  void begin(const std::vector<DiskArray::Started>& services);
  void finish(std::uint32_t member, std::uint32_t operation);
  void complete(Queued& run);
  void answer(Transaction* access, kernel::SimTime at);
  void meet(Transaction* access);
  void serve_together(const std::vector<Transaction*>& accesses);

  std::uint32_t io_node_;
  std::uint32_t number_;  // of the I/O node's disks
  FileDisk disk_;         // in order
  std::priority_queue<kernel::SimTime, std::vector<kernel::SimTime>, std::greater<>>
      ends_;  // of what it serves
  DiskMeter meter_;
  std::unique_ptr<DiskArray> queue_;  // null: in order
  bool one_disk_;
  FilePlacement placement_;
  Pool<Queued> queued_;
  std::unordered_map<Transaction*, std::uint32_t> unserved_;  // runs that a queued access waits for
  std::map<Meeting, std::vector<Transaction*>> meetings_;
};

}  // namespace mpisim::pfs
