#pragma once
// The cnode LP of a system with caches at its compute nodes: the file system's client, as in
// compute_node.hpp, and its cache, which the ranks of the node share.
//
// A read takes what the cache has; the other blocks are fetched, as a whole, from their homes, with one
// message for each cell. Blocks that are under way are not fetched twice: who needs one waits for it. A write
// passes through to the homes (write-through), or changes blocks that this cache owns and returns
// (write-back); a block that it does not own is asked for first, which costs a message to the home but brings
// no data. What is written partly is never read first: see block_cache.hpp; only if the pieces of an owned
// block do not touch each other, the earlier ones are written back before.
//
// Order. Messages between a cnode and an ionode do not overtake each other. So what a home tells about a
// block is what it decided last, and a block that was written back or handed back has arrived before it is
// asked for again.
//
// No stale data. A home answers a write when all other copies are gone or changed. A fetch that is under way
// when its block is invalidated, or written here, still serves those who waited before, but is not kept;
// those who came later fetch again.
//
// Costs: client_overhead before a request gets here (delays.hpp) and for each command of other nodes, one
// after the other; the port, as in compute_node.hpp; caching.copy for each byte between cache and program.
#include <map>
#include <set>
#include <vector>

#include "pfssim/block_cache.hpp"
#include "pfssim/block_map.hpp"
#include "pfssim/cache_policy.hpp"
#include "pfssim/channels.hpp"
#include "pfssim/file_system.hpp"
#include "pfssim/pool.hpp"
#include "pfssim/statistics.hpp"
#include "pfssim/transaction.hpp"
#include "simkernel/component_lp.hpp"

namespace mpisim::pfs {

class CachingClient final : public kernel::ComponentLp, public Counting {
 public:
  CachingClient(kernel::Engine& engine, kernel::LpId id, const FileSystem& system);
  ~CachingClient() override;

  NodeStatistics statistics() const override;
  std::vector<FileStatistics> files() const override { return ledger_.files(); }

 protected:
  void handle(kernel::Event* event) override;

 private:
  using Slot = BlockCache::Slot;
  static constexpr std::uint32_t nobody = 0xFFFFFFFF;  ///< instead of a ticket: no request waits

  /// A request of a rank.
  struct Pending {
    Transaction* request = nullptr;
    std::uint32_t waits = 0;  ///< for so many blocks and messages
    kernel::SimTime done;     ///< when its data has been copied, as far as it is here
    Tally tally;
    std::uint64_t version = 0;
    bool flushed = false;  ///< sync: all is at the homes
  };

  /// What a request wants of a block.
  struct Wish {
    std::uint32_t ticket = 0;
    Extent bytes;
    bool write = false;
  };

  struct FetchState {
    std::uint32_t number = nobody;  ///< of the part that asks, among those to its home; not sent yet
    bool own = false;               ///< to be changed, without its data
    bool asked = false;             ///< the first wish is why; else it is read ahead
    bool kept = true;
    bool recalled = false;   ///< own: the changes are wanted back as soon as they are made
    bool stays = false;      ///< recalled: the block may be kept without them
    bool moves_on = false;   ///< not kept, since it goes on to another node when it is here
    std::size_t served = 0;  ///< if not kept: so many wishes came before
    std::uint64_t version = 0;
  };

  /// A block that has been asked for.
  struct Fetch : FetchState {
    std::vector<Wish> wishes;
    std::vector<Transaction*> forwards;  ///< commands that wait for it

    /// As if it were new, but the lists keep their room.
    void clear() {
      static_cast<FetchState&>(*this) = {};
      wishes.clear();
      forwards.clear();
    }
  };

  // Requests (caching_client.cpp).
  void submit(Transaction* request);
  void submit_ranges(std::uint32_t ticket);
  void submit_directed(std::uint32_t ticket);
  void submit_sync(std::uint32_t ticket);
  void sync_homes(std::uint32_t ticket);
  void want(const BlockKey& key, const Wish& wish);
  bool attempt(const BlockKey& key, const Wish& wish);
  bool read(const BlockKey& key, const Wish& wish);
  bool write_through(const BlockKey& key, const Wish& wish);
  bool write_back(const BlockKey& key, const Wish& wish);
  void pass(const BlockKey& key, const Wish& wish);
  void read_ahead(const Transaction& request);
  void settle(std::uint32_t ticket);
  void copy(Pending& pending, std::uint32_t bytes, kernel::SimTime from);

  const std::vector<CellRange>& divided(std::uint32_t file, std::uint64_t offset, std::uint64_t bytes);

  // Answers (caching_client.cpp).
  void collect(Transaction* answer);
  void arrive(const BlockKey& key, const Transaction& answer, kernel::SimTime at);
  void written(const Transaction& answer);
  std::uint64_t version_of(Slot slot);

  // The cache and its home (client_blocks.cpp).
  Fetch& fetch(const BlockKey& key, Operation operation, std::uint32_t ticket);
  Slot store(const BlockKey& key, std::uint32_t ticket, bool pass_on = true);
  void make_room(const BlockKey& key, std::uint32_t ticket, bool pass_on);
  void change(Slot slot, const Extent& bytes, std::uint32_t ticket);
  void send_changes(Slot slot, bool keep, std::uint32_t ticket);
  void flush();
  void set_timer();
  void batch(Operation operation, const BlockKey& key, const Extent& bytes, std::uint32_t ticket,
             std::uint64_t version = 0, bool keep = false, std::uint8_t chances = 0);
  void send_batches();
  void send_part(Transaction* part, kernel::LpId io_node, kernel::SimTime ready);

  // Commands (client_commands.cpp).
  void obey(Transaction* command);
  void forward(Transaction* command, kernel::SimTime ready);
  void send_blocks(const Transaction& command, std::vector<Range> list, std::uint64_t version,
                   kernel::SimTime ready);
  void place(Transaction* command, kernel::SimTime ready);
  void pass_on(Transaction* command, kernel::SimTime ready);
  void recall(const Transaction& command);
  void obey_invalidation(const BlockKey& key);
  void invalidate(const BlockKey& key);
  void update(const BlockKey& key, std::uint64_t version);
  void tell_home(const Transaction& command, Operation operation, std::vector<Range> list,
                 kernel::SimTime ready);

  std::uint64_t block() const { return caching_.block; }
  kernel::LpId home_of(const BlockKey& key) const { return system_.io_node_of_cell(key.cell); }

  const FileSystem& system_;
  const CachingParameters& caching_;
  const CachePolicy& policy_;
  network::NodeId node_;
  network::Adapter port_;
  Channels channels_;  ///< to the I/O nodes
  BlockCache cache_;
  bool allocate_;  ///< blocks that are written enter the cache
  Pool<Pending> pending_;
  Pool<Fetch> fetches_;
  Fetch come_;  ///< the one whose block arrive() is about
  BlockMap<std::uint32_t> fetch_of_;
  BlockMap<std::uint32_t> unanswered_;          ///< writes of blocks, if versions are kept
  std::vector<Transaction*> batches_;           ///< messages in the making
  std::vector<std::vector<BlockKey>> retired_;  ///< of each I/O node, not told yet
  std::vector<std::uint32_t> sent_;             ///< parts to each I/O node
  kernel::SimTime memory_free_;
  kernel::SimTime processor_free_;
  bool timer_set_ = false;
  ClientLedger ledger_;
  KnownShapes shapes_;
  std::vector<CellRange> ranges_;  ///< of divided()

  struct Written {
    std::uint32_t under_way = 0;         ///< messages with changes that homes have not acknowledged
    std::set<std::uint32_t> homes;       ///< numbers of I/O nodes that got any since the last sync
    std::vector<std::uint32_t> waiting;  ///< tickets of syncs
  };
  std::map<std::uint32_t, Written> written_;  ///< by file; of caches that write back
};

}  // namespace mpisim::pfs
