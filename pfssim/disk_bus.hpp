#pragma once
// The LP of a bus that the disks of an I/O node share, between it and them.
//
// Requests and data go over it one after the other:
//
//   request of a read   leaves when the bus is free
//   write               leaves when the bus is free and occupies it for its bytes, while the disk takes them
//   data of a read      are at the node at max(when the disk has them, when the bus is free + bytes)
//
// A disk is off the bus while it works (SCSI's disconnect), so that others use it meanwhile. What a disk's
// own model charges for the way of the data (`bus` of disk_models/drive.hpp) is the time of a bus that is
// free; here is what sharing adds: none with one request at a time. Commands and status take no time. An
// array is one device of the bus. Source: C. Ruemmler, J. Wilkes, "An introduction to disk drive modeling",
// IEEE Computer 27(3), 1994, "bus"; 10 MB/s of SCSI-2. Cost: an event more each way.
#include "pfssim/file_system.hpp"
#include "simkernel/component_lp.hpp"

namespace mpisim::pfs {

class DiskBus final : public kernel::ComponentLp {
 public:
  DiskBus(kernel::Engine& engine, kernel::LpId id, const FileSystem& system);

 protected:
  void handle(kernel::Event* event) override;

 private:
  const FileSystem& system_;
  kernel::LpId io_node_;
  kernel::SimTime free_;
};

}  // namespace mpisim::pfs
