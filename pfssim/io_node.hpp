#pragma once
// The ionode LP: an I/O node, which serves requests one after the other and keeps its disks busy.
//
// A message is taken through the node's port in the order of arrival, then costs server_overhead of the
// node's processor, one message after the other, and goes to the disk of its cell, or, on the first I/O node
// of a machine without metadata servers, to the metadata service (metadata_service.hpp). Answers leave when
// they are ready, through the port, one after the other. The node's memory and bus do not delay anything.
#include "pfssim/file_system.hpp"
#include "pfssim/metadata_service.hpp"
#include "pfssim/statistics.hpp"
#include "pfssim/transaction.hpp"
#include "simkernel/component_lp.hpp"

namespace mpisim::pfs {

class IoNode : public kernel::ComponentLp, public Counting {
 public:
  IoNode(kernel::Engine& engine, kernel::LpId id, const FileSystem& system);

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

  kernel::SimTime processor_free_;
  MetadataService metadata_;
};

}  // namespace mpisim::pfs
