#pragma once
// The disk LP: a disk of an I/O node and its queue, first come, first served.
//
//   start = max(arrival, end of the request before);   end = start + service time of the disk model
//
// A list of ranges is served one after the other. The parts of a disk-directed access wait until all members'
// are here; then the runs of bytes that they touch are served by ascending address, and each part is answered
// when its last run is done.
#include <map>
#include <utility>
#include <vector>

#include "pfssim/file_disk.hpp"
#include "pfssim/file_system.hpp"
#include "pfssim/transaction.hpp"
#include "simkernel/component_lp.hpp"

namespace mpisim::pfs {

class DiskUnit final : public kernel::ComponentLp {
 public:
  DiskUnit(kernel::Engine& engine, kernel::LpId id, const FileSystem& system);
  ~DiskUnit() override;

 protected:
  void handle(kernel::Event* event) override;

 private:
  using Meeting = std::pair<std::uint64_t, std::uint32_t>;  // Transaction's meeting and turn
  void serve(Transaction& access, const Range& range);
  void answer(Transaction* access, kernel::SimTime at);
  void meet(Transaction* access);
  void serve_together(const std::vector<Transaction*>& accesses);

  FileDisk disk_;
  kernel::SimTime free_;
  std::map<Meeting, std::vector<Transaction*>> meetings_;
};

}  // namespace mpisim::pfs
