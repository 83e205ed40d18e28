#pragma once
// The cnode LP of a system with burst buffers: what the ranks of a compute node send their requests to.
//
// With a buffer on each compute node all reads and writes go to the node's own. With buffers on nodes of
// their own, stripe s of a file (of `stripe` bytes) is on buffer (file number + s) mod buffers: a request is
// one message for each buffer that it touches, sent and answered as in compute_node.hpp. A sync goes to all
// buffers, other calls about files to the metadata server. It has no cache.
#include <vector>

#include "pfssim/file_system.hpp"
#include "pfssim/pool.hpp"
#include "pfssim/statistics.hpp"
#include "pfssim/transaction.hpp"
#include "simkernel/component_lp.hpp"

namespace mpisim::pfs {

class BurstClient final : public kernel::ComponentLp, public Counting {
 public:
  BurstClient(kernel::Engine& engine, kernel::LpId id, const FileSystem& system);
  ~BurstClient() override;

  NodeStatistics statistics() const override { return ledger_.total(); }
  std::vector<FileStatistics> files() const override { return ledger_.files(); }

 protected:
  void handle(kernel::Event* event) override;

 private:
  /// A request that waits for answers.
  struct Pending {
    Transaction* request = nullptr;
    std::uint32_t parts = 0;
    kernel::SimTime done;  ///< when the last answer so far was taken
    Tally tally;
    std::uint64_t version = 0;
  };

  void submit(Transaction* request);
  void divide(const Transaction& request, const TransactionData& like);
  void send_part(const TransactionData& part, kernel::LpId to, std::vector<Range> list = {});
  void collect(Transaction* answer);
  bool on_this_node(kernel::LpId lp) const { return system_.node_of(lp) == node_; }

  const FileSystem& system_;
  network::NodeId node_;
  network::Adapter port_;
  ClientLedger ledger_;
  Pool<Pending> pending_;
};

}  // namespace mpisim::pfs
