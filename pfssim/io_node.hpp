#pragma once
// The ionode LP: an I/O node, which serves requests one after the other and keeps its disks busy.
//
// A message is taken through the node's port in the order of arrival, then costs server_overhead of the
// node's processor, one message after the other, and goes to the disk of its cell, or, on the first I/O node
// of a machine without metadata servers, to the metadata service (metadata_service.hpp). Answers leave when
// they are ready, through the port, one after the other. The node's memory does not delay anything.
//
// With a write buffer, a contiguous write of whole units, at most up_to bytes of a disk, is answered as soon
// as there is room for it, in the order of arrival, and goes to its disk behind what is there already; its
// room is free again when it has been written. Other writes wait for the disk. A sync is answered when the
// buffer is empty. (What an "undocumented buffer" in or near the Paragon's disk driver looks like from
// outside: AFRL-IF-RS-TR-2000-120, section 7.4.4.)
#include <deque>

#include "pfssim/file_system.hpp"
#include "pfssim/metadata_service.hpp"
#include "pfssim/statistics.hpp"
#include "pfssim/transaction.hpp"
#include "simkernel/component_lp.hpp"

namespace mpisim::pfs {

class IoNode : public kernel::ComponentLp, public Counting {
 public:
  IoNode(kernel::Engine& engine, kernel::LpId id, const FileSystem& system);
  ~IoNode() override;

  NodeStatistics statistics() const override;

 protected:
  void handle(kernel::Event* event) override;
  /// When a part that has just arrived has been through the port and the processor.
  kernel::SimTime accept(const Transaction& part);
  /// A part is answered.
  void count_answer(const Transaction& answer);
  /// A call about files, which the processor has finished with at `at`; answered later by an event to itself.
  void serve_metadata(Transaction* part, kernel::SimTime at);

  const FileSystem& system_;
  network::NodeId node_;
  network::Adapter port_;
  NodeStatistics statistics_;
  std::uint32_t waiting_ = 0;  ///< parts that have come and have not been answered

 private:
  void answer(Transaction* part);
  bool goes_through_buffer(const Transaction& part) const;
  void buffer(Transaction* part);
  void fill_buffer();
  void written(Transaction* access);

  std::deque<Transaction*> to_buffer_;  ///< writes that wait for room, syncs that wait for an empty buffer
  std::uint64_t buffered_ = 0;          ///< bytes
  kernel::SimTime processor_free_;
  MetadataService metadata_;
};

}  // namespace mpisim::pfs
