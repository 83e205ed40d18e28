#pragma once
// The cnode LP: the file system's client on a compute node, which the ranks of the node share.
//
// A request that reaches it (client_overhead after the call) is divided by the layout; each part leaves in a
// message of its own, header and data of writes, through the client's port, which sends one message after the
// other. Answers (header, data of reads) are taken through the port in the order in which they arrive. The
// rank goes on when the last of its answers has been taken. The client's port is apart from those of the
// ranks: messages of the program and of the file system do not delay each other.
//
// Data is copied by the node's processor at client_copy, one request after the other: all that a write sends
// before its first message, what an answer brings when it has been taken.
//
// A contiguous request of which a disk would get more than request_limit goes in pieces, each as long as the
// limit allows (the Paragon's PFS: AFRL-IF-RS-TR-2000-120, table 7-5); with lock_step the next one begins
// client_overhead after the one before is answered and copied. Lists are not cut.
#include <vector>

#include "pfssim/file_system.hpp"
#include "pfssim/pool.hpp"
#include "pfssim/statistics.hpp"
#include "pfssim/transaction.hpp"
#include "simkernel/component_lp.hpp"

namespace mpisim::pfs {

class ComputeNode final : public kernel::ComponentLp, public Counting {
 public:
  ComputeNode(kernel::Engine& engine, kernel::LpId id, const FileSystem& system);

  NodeStatistics statistics() const override { return ledger_.total(); }
  std::vector<FileStatistics> files() const override { return ledger_.files(); }

 protected:
  void handle(kernel::Event* event) override;

 private:
  /// A request that waits for answers.
  struct Pending {
    kernel::LpId rank = 0;
    std::uint32_t file = 0;
    bool moves_data = false;
    std::uint32_t parts = 0;
    kernel::SimTime done;  ///< when the last answer so far was taken, and copied
    Tally tally;
    std::uint64_t next = 0, end = 0;  ///< what is left of a contiguous read or write
  };

  void submit(Transaction* request);
  void prepare(Transaction* request, std::uint64_t bytes);
  void submit_prepared(const Transaction& request);
  void submit_piece(TransactionData part);
  kernel::SimTime copied(std::uint64_t bytes, kernel::SimTime from);
  void submit_lists(const Transaction& request, const TransactionData& part);
  void send_part(const TransactionData& part, kernel::LpId io_node, std::vector<Range> list = {});
  void collect(Transaction* answer);

  const FileSystem& system_;
  network::NodeId node_;
  network::Adapter port_;
  ClientLedger ledger_;
  KnownShapes shapes_;
  std::vector<CellRange> ranges_;  ///< of the request that is being divided
  Pool<Pending> pending_;          ///< by ticket
  kernel::SimTime copier_free_;
};

}  // namespace mpisim::pfs
