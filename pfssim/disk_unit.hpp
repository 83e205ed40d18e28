#pragma once
// The disk LP: a disk of an I/O node and its queue, first come, first served.
//
//   start = max(arrival, end of the request before);   end = start + service time of the disk model
#include "pfssim/file_disk.hpp"
#include "pfssim/file_system.hpp"
#include "pfssim/transaction.hpp"
#include "simkernel/component_lp.hpp"

namespace mpisim::pfs {

class DiskUnit final : public kernel::ComponentLp {
 public:
  DiskUnit(kernel::Engine& engine, kernel::LpId id, const FileSystem& system);

 protected:
  void handle(kernel::Event* event) override;

 private:
  FileDisk disk_;
  kernel::SimTime free_;
};

}  // namespace mpisim::pfs
