#include "pfssim/block_cache.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <limits>

namespace mpisim::pfs {

BlockCache::BlockCache(std::uint64_t blocks, std::uint64_t ways, std::uint32_t stride, bool versions)
    : ways_(ways == 0 ? std::max<std::uint64_t>(blocks, 1)
                      : std::clamp<std::uint64_t>(ways, 1, std::max<std::uint64_t>(blocks, 1))),
      sets_(blocks / ways_),
      stride_(stride),
      keeps_versions_(versions) {
  capacity_ = sets_ * ways_;
  assert(capacity_ < none);
  newest_.resize(sets_, none);
  if (sets_ > 1 && ways_ > 1) used_.resize(sets_);
}

std::uint64_t BlockCache::set_of(const BlockKey& key) const {
  if (sets_ <= 1) return 0;
  // Files begin in different sets, a golden step of all sets apart.
  constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;
  const auto first =
      static_cast<std::uint64_t>(static_cast<unsigned __int128>(key.file * golden_ratio) * sets_ >> 64);
  return (first + key.index * stride_ + key.cell) % sets_;
}

BlockCache::Slot BlockCache::find(const BlockKey& key) const {
  if (buckets_.empty()) return none;
  Slot slot = buckets_[hash_of(key) & (buckets_.size() - 1)];
  while (slot != none && !(blocks_[slot].key == key)) slot = blocks_[slot].chain;
  return slot;
}

void BlockCache::link(Slot slot, Slot& newest) {
  Block& block = blocks_[slot];
  if (newest == none) {
    block.newer = block.older = slot;
  } else {
    // Between the newest and the oldest, which is the newest's `newer` in the circle.
    const Slot oldest = blocks_[newest].newer;
    block.older = newest;
    block.newer = oldest;
    blocks_[newest].newer = slot;
    blocks_[oldest].older = slot;
  }
  newest = slot;
}

void BlockCache::unlink(Slot slot, Slot& newest) {
  Block& block = blocks_[slot];
  if (block.newer == slot) {
    newest = none;
    return;
  }
  blocks_[block.newer].older = block.older;
  blocks_[block.older].newer = block.newer;
  if (newest == slot) newest = block.older;
}

void BlockCache::touch(Slot slot) {
  Slot& newest = newest_[set_of(blocks_[slot].key)];
  if (newest == slot) return;
  unlink(slot, newest);
  link(slot, newest);
}

BlockCache::Slot BlockCache::victim(const BlockKey& key) const {
  if (sets_ == 1) return size_ < capacity_ ? none : blocks_[newest_[0]].newer;
  const std::uint64_t set = set_of(key);
  if (!used_.empty() && used_[set] < ways_) return none;
  return newest_[set] == none ? none : blocks_[newest_[set]].newer;
}

void BlockCache::rehash(std::size_t buckets) {
  // Addresses for all that there will ever be: what a smaller table would leave behind is too small for the
  // next one, and adds up to as much. A cache without bounds gets them when it has the blocks.
  constexpr std::uint64_t most_ahead = std::uint64_t{1} << 22;
  if (buckets_.capacity() == 0) buckets_.reserve(std::min(std::bit_floor(capacity_), most_ahead));
  buckets_.assign(buckets, none);
  for (Slot slot = 0; slot < blocks_.size(); ++slot) {
    Slot& first = buckets_[hash_of(blocks_[slot].key) & (buckets - 1)];
    blocks_[slot].chain = first;
    first = slot;
  }
}

BlockCache::Slot BlockCache::new_slot() {
  if (free_ != none) {
    const Slot slot = free_;
    free_ = blocks_[slot].chain;
    blocks_[slot] = {};
    return slot;
  }
  if (blocks_.size() == blocks_.capacity()) {
    const std::size_t room =
        std::min<std::uint64_t>(capacity_, std::max<std::size_t>(blocks_.size() * 2, 16));
    blocks_.reserve(room);
    if (keeps_versions_) versions_.resize(room);
  }
  // All places so far are in use: none of them is in the list of free ones.
  if (buckets_.empty() || (blocks_.size() >= buckets_.size() && buckets_.size() * 2 <= capacity_))
    rehash(std::max<std::size_t>(buckets_.size() * 2, 1));
  blocks_.emplace_back();
  return static_cast<Slot>(blocks_.size() - 1);
}

BlockCache::Slot BlockCache::insert(const BlockKey& key) {
  assert(find(key) == none && victim(key) == none);
  const Slot slot = new_slot();
  blocks_[slot].key = key;
  const std::uint64_t set = set_of(key);
  link(slot, newest_[set]);
  if (!used_.empty()) ++used_[set];
  Slot& first = buckets_[hash_of(key) & (buckets_.size() - 1)];
  blocks_[slot].chain = first;
  first = slot;
  ++size_;
  set_version(slot, 0);
  return slot;
}

void BlockCache::erase(Slot slot) {
  make_clean(slot);
  const BlockKey key = blocks_[slot].key;
  const std::uint64_t set = set_of(key);
  unlink(slot, newest_[set]);
  if (!used_.empty()) --used_[set];
  Slot* link = &buckets_[hash_of(key) & (buckets_.size() - 1)];
  while (*link != slot) link = &blocks_[*link].chain;
  *link = blocks_[slot].chain;
  blocks_[slot].chain = free_;
  free_ = slot;
  --size_;
}

void BlockCache::note_age(Slot slot, kernel::SimTime at) {
  if (ages_.empty() || at > ages_.back().first + age_step_) {
    ages_.push_back({at, at, slot});
    assert(ages_.size() <= std::numeric_limits<std::uint16_t>::max());
  } else {
    ages_.back().last = at;
  }
  blocks_[slot].age = static_cast<std::uint16_t>(first_age_ + ages_.size() - 1);
}

kernel::SimTime BlockCache::dirty_since() const {
  const Age& age = ages_[static_cast<std::uint16_t>(blocks_[first_dirty_].age - first_age_)];
  return age.slot == first_dirty_ ? age.first : age.last;
}

void BlockCache::make_dirty(Slot slot, const Extent& bytes, kernel::SimTime at) {
  Block& block = blocks_[slot];
  assert(block.dirty.empty() || block.valid.touches(bytes));
  block.valid = block.valid.touches(bytes) ? block.valid.hull(bytes) : bytes;
  if (block.dirty.empty()) {
    block.next_dirty = none;
    block.before_dirty = last_dirty_;
    (last_dirty_ == none ? first_dirty_ : blocks_[last_dirty_].next_dirty) = slot;
    last_dirty_ = slot;
    ++dirty_count_;
    note_age(slot, at);
  }
  block.dirty = block.dirty.hull(bytes);
}

void BlockCache::make_clean(Slot slot) {
  Block& block = blocks_[slot];
  if (block.dirty.empty()) return;
  (block.before_dirty == none ? first_dirty_ : blocks_[block.before_dirty].next_dirty) = block.next_dirty;
  (block.next_dirty == none ? last_dirty_ : blocks_[block.next_dirty].before_dirty) = block.before_dirty;
  block.dirty = {};
  --dirty_count_;
  Age& age = ages_[static_cast<std::uint16_t>(block.age - first_age_)];
  if (age.slot == slot) age.slot = none;
  const auto past = first_dirty_ == none ? ages_.size()
                                         : static_cast<std::uint16_t>(blocks_[first_dirty_].age - first_age_);
  ages_.erase(ages_.begin(), ages_.begin() + static_cast<std::ptrdiff_t>(past));
  first_age_ = static_cast<std::uint16_t>(first_age_ + past);
}

}  // namespace mpisim::pfs
