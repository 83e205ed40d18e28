#pragma once
// The ionode LP of a system of object servers (`io.service: objects`), in the manner of Lustre's: it keeps
// objects (the parts of files in its cells) on its disks and the extent locks of each.
//
// A message is taken through the node's port in the order of arrival. A request for data (an RPC of at most
// rpc_size) waits for one of `threads` threads, first come, first served; the thread works server_overhead,
// gives the access to the object's disk, waits for it, and is free when the answer leaves. So
//
//   data rate of a server <= min(disks, port, threads * RPC / (server_overhead + disk))
//
// A request about a lock takes one of as many other threads for lock_cost; what it leads to
// (extent_locks.hpp), answers and calls of holders, leaves through the port. No thread waits for a lock or
// for a client: servers cannot deadlock. Servers have no cache: what was written is on disk when it is
// answered.
#include <deque>
#include <map>
#include <utility>

#include "pfssim/block_map.hpp"
#include "pfssim/channels.hpp"
#include "pfssim/extent_locks.hpp"
#include "pfssim/file_system.hpp"
#include "pfssim/metadata_service.hpp"
#include "pfssim/statistics.hpp"
#include "simkernel/component_lp.hpp"

namespace mpisim::pfs {

class ObjectServer final : public kernel::ComponentLp, public Counting {
 public:
  ObjectServer(kernel::Engine& engine, kernel::LpId id, const FileSystem& system);
  ~ObjectServer() override;

  NodeStatistics statistics() const override;

 protected:
  void handle(kernel::Event* event) override;

 private:
  struct Object {
    explicit Object(const GrowthRules& rules) : locks(rules) {}
    ExtentLocks locks;
    std::uint64_t size = 0;  ///< end of what has been written
  };
  using ObjectKey = std::pair<std::uint32_t, std::uint32_t>;  // file, cell

  void accept(Transaction* part);
  void perform(Transaction* part);
  void begin(Transaction* rpc);
  void follow_versions(Transaction& rpc);
  void served(Transaction* part);
  void decide(Transaction* part);
  void tell(const ExtentLocks::Lock& lock, const Transaction& about, Operation operation, EventKind kind);
  void send_to_client(Transaction* message, EventKind kind, kernel::Bytes size);
  Object& object_of(const Transaction& part);

  const FileSystem& system_;
  const ObjectParameters& objects_;
  network::NodeId node_;
  network::Adapter port_;
  Channels channels_;  ///< to the cnodes
  MetadataService metadata_;
  ServiceThreads lock_threads_;
  std::uint32_t busy_threads_ = 0;
  std::deque<Transaction*> waiting_for_thread_;
  std::map<ObjectKey, Object> all_;
  BlockMap<std::uint64_t> on_disk_;  ///< versions of pages, if they are kept
  NodeStatistics statistics_;
  std::uint32_t waiting_ = 0;  ///< parts that have come and have not been answered
};

}  // namespace mpisim::pfs
