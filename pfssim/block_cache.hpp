#pragma once
// What a cache holds: blocks in sets, the least recently used of a set first to go.
//
// A set has `ways` places (1: direct-mapped; all blocks: fully associative); a block may be in the set
// (number of the block in its file) mod sets only, where blocks count across the cells: neighbours in the
// file are in different sets. Within a set blocks leave in the order of their last use (LRU). A block need
// not be there as a whole: `valid` bytes of it are, of which `dirty` ones wait to be written. Both are one
// run of bytes each (as in the NFS clients of UNIX systems), so that a program that writes consecutive bytes
// reads nothing.
//
// Every operation is O(1), whatever the size and the number of ways: a hash table leads to a block, each set
// and the dirty blocks are doubly linked lists. Memory: at most block_bookkeeping bytes per block that the
// cache has room for, taken as it fills, and less than a hundred ages of dirty blocks if none stays dirty for
// longer than so many steps.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "pfssim/block_key.hpp"

namespace mpisim::pfs {

class BlockCache {
 public:
  /// A place in the cache.
  using Slot = std::uint32_t;
  static constexpr Slot none = 0xFFFFFFFF;

  struct Block {
    BlockKey key;
    // The cache's own: chain of the hash table, which is followed with the key, or of free places; circular
    // list of the set; list of dirty blocks in the order in which they became so.
    Slot chain = none;
    Slot newer = none, older = none;
    Slot next_dirty = none, before_dirty = none;
    Extent valid;
    Extent dirty;              ///< within valid
    std::uint8_t chances = 0;  ///< left to be passed on (N-chance forwarding)
    bool passed_on = false;    ///< came from another cache, and has not been used since
    std::uint16_t age = 0;     ///< the cache's own: of dirty blocks, number of an Age
  };

  /// Room for `blocks` blocks (may be 0) in sets of `ways` (0: all in one); `stride`: the number of cells,
  /// the distance in the file between a cell's neighbouring blocks. `versions`: version_of() works, for 8
  /// bytes a block more.
  BlockCache(std::uint64_t blocks, std::uint64_t ways, std::uint32_t stride, bool versions = false);

  std::uint64_t capacity() const { return capacity_; }
  std::uint64_t size() const { return size_; }
  std::uint64_t dirty_blocks() const { return dirty_count_; }

  Slot find(const BlockKey& key) const;
  Block& at(Slot slot) { return blocks_[slot]; }
  const Block& at(Slot slot) const { return blocks_[slot]; }

  /// The block has been used.
  void touch(Slot slot);
  /// The block that would have to go for `key`; none if there is room.
  Slot victim(const BlockKey& key) const;
  /// `key` is not there, and there is room for it. Valid nowhere.
  Slot insert(const BlockKey& key);
  void erase(Slot slot);

  /// More bytes are dirty, and valid, at `at`, which never decreases. They touch the valid ones, or nothing
  /// is dirty and they replace them.
  void make_dirty(Slot slot, const Extent& bytes, kernel::SimTime at = {});
  void make_clean(Slot slot);
  /// The block that has been dirty for the longest time; none if none is.
  Slot first_dirty() const { return first_dirty_; }
  Slot next_dirty(Slot slot) const { return blocks_[slot].next_dirty; }
  /// Since when that block has been dirty; if others became dirty before it within age_step() and are clean
  /// by now, perhaps up to so much later. Some block is dirty.
  kernel::SimTime dirty_since() const;
  /// Times closer to each other than this need not be told from each other.
  void set_age_step(kernel::SimTime step) { age_step_ = step; }

  /// What tells the states of a block from each other; of caches made for it only.
  std::uint64_t version_of(Slot slot) const { return versions_.empty() ? 0 : versions_[slot]; }
  void set_version(Slot slot, std::uint64_t version) {
    if (!versions_.empty()) versions_[slot] = version;
  }

 private:
  std::uint64_t set_of(const BlockKey& key) const;
  Slot new_slot();
  void link(Slot slot, Slot& newest);
  void unlink(Slot slot, Slot& newest);
  void rehash(std::size_t buckets);
  void note_age(Slot slot, kernel::SimTime at);

  /// Blocks that became dirty one after the other, within one step. Blocks have no time of their own, which
  /// would be 8 bytes for each.
  struct Age {
    kernel::SimTime first, last;
    Slot slot = none;  ///< that became dirty first, while it is
  };

  std::uint64_t capacity_;
  std::uint64_t ways_;
  std::uint64_t sets_;
  std::uint32_t stride_;
  bool keeps_versions_;
  std::uint64_t size_ = 0;
  std::uint64_t dirty_count_ = 0;
  std::vector<Block> blocks_;
  std::vector<Slot> buckets_;        // of the hash table, by the upper bits of hash_of()
  std::vector<Slot> newest_;         // of each set
  std::vector<std::uint32_t> used_;  // places of each set, if there are several sets of several ways
  std::vector<std::uint64_t> versions_;
  Slot free_ = none;
  Slot first_dirty_ = none;
  Slot last_dirty_ = none;
  kernel::SimTime age_step_;
  std::deque<Age> ages_;         // in the order of times
  std::uint16_t first_age_ = 0;  // number of the first of them
};

/// Of a full cache, per block: itself, a bucket and a set's head (and its count, shared by two ways or more).
inline constexpr std::size_t block_bookkeeping = sizeof(BlockCache::Block) + 2 * sizeof(BlockCache::Slot);
static_assert(block_bookkeeping <= 64);

}  // namespace mpisim::pfs
