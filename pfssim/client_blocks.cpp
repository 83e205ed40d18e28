// How blocks enter and leave the cache of a compute node, and its messages to their homes.
#include <algorithm>
#include <utility>

#include "pfssim/caching_client.hpp"
#include "pfssim/delays.hpp"
#include "pfssim/flushing.hpp"

namespace mpisim::pfs {

using kernel::SimTime;

CachingClient::Fetch& CachingClient::fetch(const BlockKey& key, Operation operation, std::uint32_t ticket) {
  const std::uint32_t number = fetches_.take();
  fetch_of_.insert(key, number);
  batch(operation, key, {0, static_cast<std::uint32_t>(block())}, ticket);
  return fetches_[number];
}

/// A place for a block that is not in the cache. `pass_on`: what has to go may go to another compute node.
CachingClient::Slot CachingClient::store(const BlockKey& key, std::uint32_t ticket, bool pass_on) {
  make_room(key, ticket, pass_on);
  return cache_.insert(key);
}

void CachingClient::make_room(const BlockKey& key, std::uint32_t ticket, bool pass_on) {
  const Slot slot = cache_.victim(key);
  if (slot == BlockCache::none) return;
  const BlockCache::Block& block = cache_.at(slot);
  if (!block.dirty.empty()) {
    send_changes(slot, false, ticket);
    return;
  }
  if (fetch_of_.find(block.key) !=
      nullptr) {  // it is a part, and the rest, or the right to change it, will come
    cache_.erase(slot);
    return;
  }
  const bool whole = block.valid.bytes() == caching_.block;
  const bool used = !block.passed_on;
  switch (policy_.leaving()) {
    case CachePolicy::Leaving::hand_back:
      if (whole) {
        batch(Operation::hand_back, block.key, block.valid, nobody, version_of(slot));
        break;
      }
      [[fallthrough]];
    case CachePolicy::Leaving::drop:
      retired_[home_of(block.key) - system_.io_node(0)].push_back(block.key);
      break;
    case CachePolicy::Leaving::last_copy:
      if (whole && pass_on && (used || block.chances > 0)) {
        const auto chances = used ? policy_.chances() : block.chances;
        batch(Operation::retire, block.key, block.valid, nobody, version_of(slot), true,
              static_cast<std::uint8_t>(chances - 1));
      } else {
        retired_[home_of(block.key) - system_.io_node(0)].push_back(block.key);
      }
      break;
  }
  cache_.erase(slot);
}

/// Bytes of an owned block are written.
void CachingClient::change(Slot slot, const Extent& bytes, std::uint32_t ticket) {
  cache_.make_dirty(slot, bytes, now());
  cache_.touch(slot);
  cache_.at(slot).passed_on = false;
  for (const Slot leaving : above_high_water(cache_, caching_.cnode)) send_changes(leaving, true, ticket);
  set_timer();
}

/// For the block that has been changed for the longest time.
void CachingClient::set_timer() {
  if (timer_set_ || cache_.dirty_blocks() == 0) return;
  timer_set_ = true;
  send(id(), time_to_flush(cache_, caching_.cnode.flush_interval, now()), make_timer());
}

/// Writes a changed block back, and drops it unless it may be kept; `ticket` waits until it is at its home.
void CachingClient::send_changes(Slot slot, bool keep, std::uint32_t ticket) {
  const BlockCache::Block& block = cache_.at(slot);
  ++ledger_.node().written_back;
  keep = keep && (!policy_.moves_blocks() || block.valid.bytes() == caching_.block);
  batch(Operation::write_back, block.key, block.dirty, ticket, cache_.version_of(slot), keep);
  if (keep)
    cache_.make_clean(slot);
  else
    cache_.erase(slot);
}

void CachingClient::flush() {
  if (flush_is_early(cache_, caching_.cnode.flush_interval, now())) {
    set_timer();
    return;
  }
  for (const Slot slot : changed_blocks(cache_, nullptr)) send_changes(slot, true, nobody);
  send_batches();
}

namespace {
/// Behind those that the message has; the first one needs no list.
void add_range(Transaction& part, const Range& range) {
  if (part.list.empty()) {
    if (part.offset + part.bytes != range.offset) part.list = {{part.offset, part.bytes}, range};
  } else if (Range& last = part.list.back(); last.offset + last.bytes == range.offset) {
    last.bytes += range.bytes;
  } else {
    part.list.push_back(range);
  }
  part.bytes += range.bytes;
}
}  // namespace

/// Adds bytes of a block to a message to its home, which leaves with send_batches().
void CachingClient::batch(Operation operation, const BlockKey& key, const Extent& bytes, std::uint32_t ticket,
                          std::uint64_t version, bool keep, std::uint8_t chances) {
  const Range range{key.index * block() + bytes.begin, bytes.bytes()};
  for (auto other = batches_.rbegin(); other != batches_.rend(); ++other) {
    Transaction& part = **other;
    if (part.operation != operation || part.cell != key.cell || part.file != key.file || part.keep != keep ||
        part.ticket != ticket || part.chances != chances || (caching_.versions && part.version != version))
      continue;
    add_range(part, range);
    return;
  }
  Transaction* fresh = make_transaction(
      {.operation = operation, .file = key.file, .offset = range.offset, .bytes = range.bytes});
  fresh->cell = key.cell;
  fresh->client = id();
  fresh->ticket = ticket;
  fresh->version = version;
  fresh->caches = true;
  fresh->keep = keep;
  fresh->chances = chances;
  batches_.push_back(fresh);
  // The other answers are waited for block by block, or there are none.
  const bool waits = operation == Operation::write || operation == Operation::write_back;
  if (waits && ticket != nobody) ++pending_[ticket].waits;
}

void CachingClient::send_batches() {
  for (Transaction* part : batches_) {
    const kernel::LpId home = system_.io_node_of_cell(part->cell);
    const Operation operation = part->operation;
    if (caching_.write_back() && (operation == Operation::write || operation == Operation::write_back)) {
      Written& file = written_[part->file];
      file.homes.insert(home - system_.io_node(0));
      if (operation == Operation::write_back) ++file.under_way;
    }
    if (operation == Operation::read && policy_.forwards()) {
      const std::uint32_t number = sent_[home - system_.io_node(0)] + 1;
      for_each_range(*part, [&](const Range& range) {
        for_each_block(range.offset, range.bytes, block(), [&](std::uint64_t index, const Extent&) {
          fetches_[*fetch_of_.find({index, part->file, part->cell})].number = number;
        });
      });
    }
    send_part(part, home, now());
  }
  batches_.clear();
}

void CachingClient::send_part(Transaction* part, kernel::LpId io_node, SimTime ready) {
  part->kind = static_cast<std::uint16_t>(EventKind::part);
  if (!system_.is_io_node(io_node)) {  // a metadata server
    const network::Transit transit = system_.network().transit(
        node_, system_.node_of(io_node), part_size(system_.parameters(), *part), ready, port_);
    send(io_node, transit.arrival - now(), part);
    return;
  }
  const std::uint32_t number = io_node - system_.io_node(0);
  ++sent_[number];
  // What is under way has its place already.
  const std::uint64_t taken = cache_.size() + fetch_of_.size();
  part->room = static_cast<std::uint32_t>(cache_.capacity() - std::min(taken, cache_.capacity()));
  part->retired.swap(retired_[number]);  // empty so far
  const network::Transit transit = system_.network().transit(
      node_, system_.node_of(io_node), part_size(system_.parameters(), *part), ready, port_);
  send(io_node, channels_.arrival(number, transit.arrival) - now(), part);
}

}  // namespace mpisim::pfs
