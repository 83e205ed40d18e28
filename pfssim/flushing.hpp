#pragma once
// When a cache that writes back does so, besides when blocks have to leave it: the parts that caches of
// compute nodes and of I/O nodes share.
//
// All changed blocks leave flush_interval after the first of them was changed (the update demon of UNIX
// systems; blocks that have left before do not count; then it may be later by a 64th), so that nothing stays
// in a cache for ever: a simulation goes on after its last rank has ended until nothing is left to do. And as
// soon as more than high_water of the blocks are changed, the request that changed the last of them waits
// until the oldest, down to low_water of the blocks, have been written: programs cannot write faster for long
// than what is below takes it.
#include <algorithm>
#include <utility>
#include <vector>

#include "pfssim/block_cache.hpp"
#include "pfssim/caching.hpp"
#include "pfssim/delays.hpp"
#include "simkernel/division.hpp"

namespace mpisim::pfs {

/// What BlockCache::dirty_since() tells apart.
inline kernel::SimTime age_step(kernel::SimTime flush_interval) {
  return kernel::SimTime::picoseconds(flush_interval.ps() / 64);
}

/// Whether a timer has come too early for what is changed now: the block that it was set for has left before.
inline bool flush_is_early(const BlockCache& cache, kernel::SimTime flush_interval, kernel::SimTime now) {
  return cache.dirty_blocks() > 0 && cache.dirty_since() + flush_interval > now;
}

/// From now until what has been changed for the longest time has to leave; something is changed.
inline kernel::SimTime time_to_flush(const BlockCache& cache, kernel::SimTime flush_interval,
                                     kernel::SimTime now) {
  return until(cache.dirty_since() + flush_interval, now);
}

/// Changed blocks that have to leave now because they are too many; empty most of the time.
inline std::vector<BlockCache::Slot> above_high_water(const BlockCache& cache,
                                                      const CacheParameters& parameters) {
  std::vector<BlockCache::Slot> leaving;
  const auto blocks = static_cast<double>(cache.capacity());
  if (static_cast<double>(cache.dirty_blocks()) <= parameters.high_water * blocks) return leaving;
  const auto stay = static_cast<std::uint64_t>(parameters.low_water * blocks);
  BlockCache::Slot slot = cache.first_dirty();
  for (std::uint64_t left = cache.dirty_blocks(); left > stay; --left, slot = cache.next_dirty(slot))
    leaving.push_back(slot);
  return leaving;
}

/// Changed blocks, in the order of files and places on disks; of one file, or of all.
inline std::vector<BlockCache::Slot> changed_blocks(const BlockCache& cache, const std::uint32_t* file) {
  std::vector<std::pair<BlockKey, BlockCache::Slot>> found;
  for (BlockCache::Slot slot = cache.first_dirty(); slot != BlockCache::none; slot = cache.next_dirty(slot))
    if (file == nullptr || cache.at(slot).key.file == *file) found.emplace_back(cache.at(slot).key, slot);
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<BlockCache::Slot> slots;
  slots.reserve(found.size());
  for (const auto& [key, slot] : found) slots.push_back(slot);
  return slots;
}

/// Calls visit(index, extent) for each block that the range touches.
template <class Visit>
void for_each_block(std::uint64_t offset, std::uint64_t bytes, std::uint64_t block, Visit&& visit) {
  const std::uint64_t end = offset + bytes;
  while (offset < end) {
    const std::uint64_t index = kernel::divided(offset, block).quotient;
    const std::uint64_t begin = index * block;
    const std::uint64_t stop = std::min(end, begin + block);
    visit(index,
          Extent{static_cast<std::uint32_t>(offset - begin), static_cast<std::uint32_t>(stop - begin)});
    offset = stop;
  }
}

}  // namespace mpisim::pfs
