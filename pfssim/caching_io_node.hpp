#pragma once
// The ionode LP of a system with caches: as in io_node.hpp, and the home of the blocks of its disks.
//
// It has a cache of its own (which may have no room), the directory of which compute nodes have copies of its
// blocks, and, with some policies, a share of their caches. What parts ask for is done block by block, for
// each block one thing after the other:
//
// - A block that a compute node owns is recalled first; the changes come back with a write_back.
// - Before a write, or before a compute node may own the block, all other copies are invalidated (or, before
// a
//   write, updated), and their cnodes' acknowledgements are waited for.
// - A read is answered from the cache; or forwarded to the cnode where the homes' share has the block, or to
//   another cnode that has it (as the policy says), which sends it to the reader; or read from the disk.
//   Neighbouring blocks of a part are one access to the disk. Who reads a block that is under way from the
//   disk waits for it.
// - A write changes the block in the cache and goes to the disk (write-through), or stays (write-back).
//   A block that is being written is not read from the disk before that is done.
//
// A part is answered when all its blocks are done, without those that were forwarded.
//
// The directory may take a cnode for the holder of a block that it has dropped meanwhile (the notice comes
// with its next message): a superset of what is true, never less. A cnode that cannot forward a block says
// so, and the home reads it from its disk.
//
// Read-ahead: after a read from the disk that continues in its cell what is in the cache, or is at the
// beginning of the cell, the next ionode.read_ahead blocks of the cell are read, too.
//
// Costs beside those of io_node.hpp: caching.copy for each byte between cache and message.
#include <functional>
#include <map>
#include <vector>

#include "pfssim/block_cache.hpp"
#include "pfssim/block_map.hpp"
#include "pfssim/cache_policy.hpp"
#include "pfssim/channels.hpp"
#include "pfssim/io_node.hpp"
#include "pfssim/pool.hpp"

namespace mpisim::pfs {

class CachingIoNode final : public IoNode {
 public:
  CachingIoNode(kernel::Engine& engine, kernel::LpId id, const FileSystem& system);
  ~CachingIoNode() override;

  NodeStatistics statistics() const override;

 protected:
  void handle(kernel::Event* event) override;

 private:
  using Slot = BlockCache::Slot;
  static constexpr std::uint32_t none = 0xFFFFFFFF;

  /// A message that is being worked on.
  struct Part {
    Transaction* message = nullptr;
    std::uint32_t waits = 0;  ///< for so many blocks and accesses to disks
    std::vector<Range> answered;
  };

  /// What a part wants of a block.
  struct Wish {
    std::uint32_t part = none;
    Extent bytes;
    std::uint32_t next = none;  ///< that waits for the block
    bool coherent = false;      ///< other copies have been seen to
    bool direct = false;        ///< not to be forwarded
    std::uint64_t version = 0;  ///< of writes: what the block becomes; 0: not decided yet
  };

  struct Holder {
    kernel::LpId cnode = 0;
    bool whole = false;  ///< it has, or will have, all of the block
    std::uint32_t next = none;
  };

  /// A block that somebody has a copy of, or that something is done with.
  struct Entry {
    BlockKey key;
    kernel::LpId owner = 0;                             ///< 0: nobody (LP 0 is a rank)
    std::uint32_t holders = none;                       ///< a list, the latest first; the owner among them
    std::uint32_t acks = 0;                             ///< acknowledgements that the current wish waits for
    std::uint32_t writing = 0;                          ///< accesses that write it to the disk
    std::uint32_t first_wish = none, last_wish = none;  ///< that wait
    Wish current;
    bool busy = false;     ///< with the current wish, or a block is being passed on
    bool reading = false;  ///< from the disk
  };

  /// An access to a disk.
  struct Access {
    BlockKey first;
    std::uint32_t blocks = 0;
    std::uint32_t part = none;  ///< that it was made for
    bool write = false;
    std::uint64_t offset = 0;  ///< in the cell
    std::uint64_t bytes = 0;
    std::uint64_t version = 0;
  };

  /// A command in the making.
  struct Order {
    TransactionData command;
    kernel::LpId cnode = 0;
    std::vector<Range> list;
  };

  // Parts (caching_io_node.cpp).
  void perform(Transaction* message);
  void begin(Transaction* message, bool direct = false);
  std::uint32_t take_part(Transaction* message, std::uint32_t waits);
  Transaction* release_part(std::uint32_t number);
  void finish(std::uint32_t part);
  void finish_directed(std::uint32_t part);
  void send_answer(std::uint32_t part);
  void take_changes(Transaction* message);
  void take_back(Transaction* message);
  void acknowledge(Transaction* message);
  void retire(Transaction* message);
  void placed(Transaction* message);
  void forward_again(Transaction* message);
  void sync(Transaction* message);

  // The directory (directory.cpp).
  Entry& entry_of(const BlockKey& key);
  Entry* find(const BlockKey& key);
  void queue(Entry& entry, const Wish& wish);
  void go_on(Entry& entry);
  void tidy(Entry& entry);
  bool make_coherent(Entry& entry, const Wish& wish);
  void run(Entry& entry, const Wish& wish);
  void serve_read(Entry& entry, const Wish& wish);
  void serve_write(Entry& entry, const Wish& wish);
  void serve_directed(Entry& entry, const Wish& wish);
  void grant(Entry& entry, const Wish& wish);
  void hold(Entry& entry, kernel::LpId cnode, bool whole);
  void release(Entry& entry, kernel::LpId cnode);
  void release_all(Entry& entry);
  bool holds(const Entry& entry, kernel::LpId cnode);
  void answer_block(Entry& entry, const Wish& wish, std::uint64_t version);
  bool forward_to_holder(Entry& entry, const Wish& wish);
  void forward(Entry& entry, const Wish& wish, kernel::LpId cnode, Slot managed);
  void order(Operation operation, kernel::LpId cnode, const BlockKey& key, const Extent& bytes,
             const TransactionData& why);
  void done(std::uint32_t part);
  void send_orders();

  // The cache and the disks (server_cache.cpp).
  Slot store(const BlockKey& key, std::uint32_t part);
  void write(const BlockKey& key, const Extent& bytes, std::uint64_t version, std::uint32_t part);
  void send_changes(Slot slot, std::uint32_t part);
  void put_elsewhere(const BlockKey& key, std::uint64_t version);
  void change_managed(const BlockKey& key, const Extent& bytes, std::uint64_t version);
  void read_from_disk(Entry& entry, std::uint32_t part);
  void read_ahead(const BlockKey& last);
  void access(bool write, const BlockKey& key, const Extent& bytes, std::uint32_t part,
              std::uint64_t version);
  void send_accesses();
  void served(Transaction* access);
  void read_done(const BlockKey& key, std::uint32_t part);
  void count_access(const Access& access, const Tally& tally);
  void flush();
  void set_timer();
  kernel::SimTime copied(std::uint64_t bytes);

  std::uint64_t block() const { return caching_.block; }
  std::uint32_t number_of(kernel::LpId cnode) const { return cnode - system_.first_cnode(); }

  const CachingParameters& caching_;
  const CachePolicy& policy_;
  Channels channels_;  ///< to the cnodes
  BlockCache cache_;
  BlockCache managed_;  ///< this home's part of the share of the cnodes' caches that homes manage
  std::vector<std::uint32_t> rooms_;  ///< free places of each cnode's cache, as last heard
  std::vector<std::uint32_t> heard_;  ///< parts of each cnode, so far
  BlockMap<std::uint32_t> entry_of_;
  Pool<Entry> entries_;
  Pool<Wish> wishes_;
  Pool<Holder> holders_;
  Pool<Part> parts_;
  Pool<Access> accesses_;
  std::vector<Access> wanted_;  ///< accesses in the making
  std::vector<Order> orders_;
  std::vector<std::uint32_t> finished_;  ///< parts whose last wish was granted in the current event
  kernel::SimTime memory_free_;
  bool timer_set_ = false;
  std::uint64_t turn_ = 0;            ///< blocks that were passed on
  std::uint32_t writing_ = 0;         ///< accesses to disks that write
  std::vector<std::uint32_t> syncs_;  ///< parts that wait until none is left
  BlockMap<std::uint64_t> on_disk_;   ///< versions of blocks, if they are kept
};

}  // namespace mpisim::pfs
