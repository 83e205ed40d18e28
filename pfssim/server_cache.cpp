// A home's cache and its disks.
#include <algorithm>
#include <cassert>
#include <utility>

#include "pfssim/caching_io_node.hpp"
#include "pfssim/delays.hpp"
#include "pfssim/flushing.hpp"

namespace mpisim::pfs {

using kernel::SimTime;

SimTime CachingIoNode::copied(std::uint64_t bytes) {
  memory_free_ = kernel::max(now(), memory_free_) + caching_.copy * kernel::Bytes(bytes);
  return memory_free_;
}

/// A place for a block that is not in the cache, which has room for some; `part` waits for what has to be
/// written before.
CachingIoNode::Slot CachingIoNode::store(const BlockKey& key, std::uint32_t part) {
  const Slot slot = cache_.victim(key);
  if (slot != BlockCache::none) {
    const BlockKey gone = cache_.at(slot).key;
    const bool whole = cache_.at(slot).valid.bytes() == block();
    const std::uint64_t version = cache_.version_of(slot);
    send_changes(slot, part);
    cache_.erase(slot);
    if (whole) put_elsewhere(gone, version);
  }
  return cache_.insert(key);
}

/// A whole block that the cache has no room for.
void CachingIoNode::put_elsewhere(const BlockKey& key, std::uint64_t version) {
  const Extent whole{0, static_cast<std::uint32_t>(block())};
  TransactionData why;
  why.version = version;
  if (managed_.capacity() > 0) {
    Slot slot = managed_.find(key);
    if (slot != BlockCache::none) {
      managed_.touch(slot);
      return;
    }
    slot = managed_.victim(key);
    if (slot != BlockCache::none) managed_.erase(slot);
    slot = managed_.insert(key);
    managed_.set_version(slot, version);
    why.managed = true;
    order(Operation::place, system_.first_cnode() + slot % system_.cnodes(), key, whole, why);
    return;
  }
  const std::uint32_t cnode = policy_.spread_to(key, rooms_);
  if (cnode == CachePolicy::nowhere) return;
  if (rooms_[cnode] > 0) --rooms_[cnode];
  Entry& entry = entry_of(key);
  if (entry.busy || entry.owner != 0 || entry.holders != none) return;  // somebody has it, or soon will
  hold(entry, system_.first_cnode() + cnode, true);
  order(Operation::place, system_.first_cnode() + cnode, key, whole, why);
}

/// Copies in the share that homes manage are changed where they are.
void CachingIoNode::change_managed(const BlockKey& key, const Extent& bytes, std::uint64_t version) {
  const Slot slot = managed_.find(key);
  if (slot == BlockCache::none) return;
  managed_.set_version(slot, version);
  TransactionData why;
  why.managed = true;
  why.version = version;
  order(Operation::update, system_.first_cnode() + slot % system_.cnodes(), key, bytes, why);
}

/// Bytes of a block are written by `part`, which waits for the disk if they cannot stay here.
void CachingIoNode::write(const BlockKey& key, const Extent& bytes, std::uint64_t version,
                          std::uint32_t part) {
  const CacheParameters& mode = caching_.ionode;
  Slot slot = cache_.find(key);
  if (slot == BlockCache::none && mode.allocate && cache_.capacity() > 0) slot = store(key, part);
  if (slot == BlockCache::none) {
    access(true, key, bytes, part, version);
    return;
  }
  cache_.touch(slot);
  copied(bytes.bytes());
  if (mode.write_back) {
    if (!cache_.at(slot).dirty.empty() && !cache_.at(slot).valid.touches(bytes)) send_changes(slot, part);
    cache_.make_dirty(slot, bytes, now());
    cache_.set_version(slot, version);
    for (const Slot leaving : above_high_water(cache_, mode)) send_changes(leaving, part);
    set_timer();
    return;
  }
  BlockCache::Block& block = cache_.at(slot);
  if (block.valid.touches(bytes)) {
    block.valid = block.valid.hull(bytes);
    cache_.set_version(slot, version);
  } else {
    cache_.erase(slot);  // two pieces cannot be told from what is between them
  }
  access(true, key, bytes, part, version);
}

/// Writes a changed block to its disk, if it is one; it stays in the cache.
void CachingIoNode::send_changes(Slot slot, std::uint32_t part) {
  const BlockCache::Block& block = cache_.at(slot);
  if (block.dirty.empty()) return;
  ++statistics_.written_back;
  access(true, block.key, block.dirty, part, cache_.version_of(slot));
  cache_.make_clean(slot);
}

void CachingIoNode::flush() {
  if (flush_is_early(cache_, caching_.ionode.flush_interval, now())) {
    set_timer();
    return;
  }
  for (const Slot slot : changed_blocks(cache_, nullptr)) send_changes(slot, none);
}

/// For the block that has been changed for the longest time.
void CachingIoNode::set_timer() {
  if (timer_set_ || cache_.dirty_blocks() == 0) return;
  timer_set_ = true;
  send(id(), time_to_flush(cache_, caching_.ionode.flush_interval, now()), make_timer());
}

void CachingIoNode::read_from_disk(Entry& entry, std::uint32_t part) {
  entry.reading = true;
  access(false, entry.key, {0, static_cast<std::uint32_t>(block())}, part, 0);
  read_ahead(entry.key);
}

void CachingIoNode::read_ahead(const BlockKey& last) {
  if (caching_.ionode.read_ahead == 0 || cache_.capacity() == 0) return;
  BlockKey key = last;
  if (last.index > 0) {
    --key.index;
    const Entry* before = find(key);
    if (cache_.find(key) == BlockCache::none && (before == nullptr || !before->reading)) return;
    ++key.index;
  }
  for (std::uint64_t i = 0; i < caching_.ionode.read_ahead; ++i) {
    ++key.index;
    if ((key.index + 1) * block() > system_.largest_cell()) return;
    if (cache_.find(key) != BlockCache::none || managed_.find(key) != BlockCache::none) continue;
    Entry& entry = entry_of(key);
    if (entry.busy || entry.writing > 0 || entry.holders != none) continue;  // it was not made here
    ++statistics_.read_ahead;
    entry.busy = entry.reading = true;
    entry.current = {};
    access(false, key, {0, static_cast<std::uint32_t>(block())}, none, 0);
  }
}

/// Adds bytes of a block to an access, which begins with send_accesses(). A part waits for what is written
/// for it, and for what is read through the block's entry.
void CachingIoNode::access(bool write, const BlockKey& key, const Extent& bytes, std::uint32_t part,
                           std::uint64_t version) {
  const std::uint64_t offset = key.index * block() + bytes.begin;
  if (!wanted_.empty()) {
    Access& last = wanted_.back();
    if (last.write == write && last.part == part && last.first.file == key.file &&
        last.first.cell == key.cell && last.offset + last.bytes == offset &&
        (!caching_.versions || last.version == version)) {
      last.bytes += bytes.bytes();
      if (last.first.index + last.blocks == key.index) {
        ++last.blocks;
        if (write) ++entry_of(key).writing;
      }
      return;
    }
  }
  if (write) ++entry_of(key).writing;
  wanted_.push_back({key, 1, part, write, offset, bytes.bytes(), version});
  if (write && part != none) ++parts_[part].waits;
}

void CachingIoNode::send_accesses() {
  for (const Access& ready : wanted_) {
    const std::uint32_t number = accesses_.take();
    accesses_[number] = ready;
    if (ready.write) ++writing_;
    TransactionData data{.operation = ready.write ? Operation::write : Operation::read,
                         .file = ready.first.file,
                         .offset = ready.offset,
                         .bytes = ready.bytes};
    data.cell = ready.first.cell;
    data.client = id();
    data.ticket = number;
    Transaction* access = make_transaction(data);
    access->kind = static_cast<std::uint16_t>(EventKind::access);
    send(system_.way_to_disk(data.cell), until(now(), now()), access);
  }
  wanted_.clear();
}

/// A disk, or the metadata server, has done something.
void CachingIoNode::served(Transaction* transaction) {
  if (transaction->members > 0 || !moves_data(transaction->operation)) {
    send_answer(take_part(transaction, 0));
    return;
  }
  const Access done_now = accesses_[transaction->ticket];
  accesses_.release(transaction->ticket);
  count_access(done_now, transaction->tally);
  dispose(transaction);
  BlockKey key = done_now.first;
  for (std::uint32_t i = 0; i < done_now.blocks; ++i, ++key.index) {
    if (!done_now.write) {
      read_done(key, done_now.part);
      continue;
    }
    if (caching_.versions) {
      on_disk_.erase(key);
      on_disk_.insert(key, done_now.version);
    }
    Entry& entry = *find(key);
    --entry.writing;
    if (entry.writing == 0 && entry.busy && entry.acks == 0 && !entry.reading && entry.current.part != none &&
        entry.owner == 0) {
      entry.busy = false;  // a read that waited for it; perhaps it is in a cache by now
      const Wish wish = entry.current;
      run(entry, wish);
    }
    go_on(entry);
  }
  if (!done_now.write) return;
  if (done_now.part != none) done(done_now.part);
  if (--writing_ > 0) return;
  for (const std::uint32_t part : std::exchange(syncs_, {})) finished_.push_back(part);
}

void CachingIoNode::count_access(const Access& access, const Tally& tally) {
  if (access.part == none)
    statistics_.background.add(tally);
  else
    parts_[access.part].message->tally.add(tally);
}

/// A block has come from the disk, for `part` or ahead of it.
void CachingIoNode::read_done(const BlockKey& key, std::uint32_t part) {
  Entry& entry = *find(key);
  entry.reading = false;
  if (entry.writing > 0 && part != none) return;  // changes left the cache meanwhile: read again after them
  entry.busy = false;
  if (entry.writing > 0) {
    go_on(entry);
    return;
  }
  const std::uint64_t* stored = on_disk_.find(key);
  const std::uint64_t version = stored == nullptr ? 0 : *stored;
  const bool stays = part == none || !parts_[part].message->caches || !policy_.moves_blocks();
  Slot slot = cache_.find(key);
  if (slot == BlockCache::none && stays && cache_.capacity() > 0) slot = store(key, part);
  if (slot != BlockCache::none) {
    cache_.at(slot).valid = {0, static_cast<std::uint32_t>(block())};
    cache_.set_version(slot, std::max(version, cache_.version_of(slot)));
  }
  if (part != none) {
    ++parts_[part].message->tally.misses;
    const Wish wish = entry.current;
    answer_block(entry, wish, slot == BlockCache::none ? version : cache_.version_of(slot));
  }
  // Who waited for the block gets it while it is here, even if it does not stay.
  while (!policy_.moves_blocks() && entry.first_wish != none) {
    const Wish wish = wishes_[entry.first_wish];
    const Transaction& message = *parts_[wish.part].message;
    if (message.operation != Operation::read || message.members > 0) break;
    wishes_.release(entry.first_wish);
    entry.first_wish = wish.next;
    if (entry.first_wish == none) entry.last_wish = none;
    ++parts_[wish.part].message->tally.ionode_hits;
    answer_block(entry, wish, slot == BlockCache::none ? version : cache_.version_of(slot));
  }
  go_on(entry);
}

}  // namespace mpisim::pfs
