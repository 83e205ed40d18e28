#pragma once
// The LP of a metadata server on a node of its own. A message is taken through the node's port in the order
// of arrival, waits for a thread (metadata_service.hpp), and its answer leaves through the port. Names are
// spread over the servers of the machine by a hash (as the directories of Lustre's distributed name space
// are); calls about an open file go to the server that gave it its number.
#include "pfssim/file_system.hpp"
#include "pfssim/metadata_service.hpp"
#include "pfssim/statistics.hpp"
#include "simkernel/component_lp.hpp"

namespace mpisim::pfs {

class MetadataServer final : public kernel::ComponentLp, public Counting {
 public:
  MetadataServer(kernel::Engine& engine, kernel::LpId id, const FileSystem& system);

  NodeStatistics statistics() const override;

 protected:
  void handle(kernel::Event* event) override;

 private:
  void answer(Transaction* call);

  const FileSystem& system_;
  network::NodeId node_;
  network::Adapter port_;
  MetadataService service_;
  NodeStatistics statistics_;
  std::uint32_t waiting_ = 0;  // calls that have come and have not been answered
};

}  // namespace mpisim::pfs
