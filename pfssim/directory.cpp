// A home's directory: who has copies of its blocks, and what happens to one block, one thing after the other.
#include <algorithm>
#include <cassert>
#include <utility>

#include "pfssim/caching_io_node.hpp"
#include "pfssim/delays.hpp"

namespace mpisim::pfs {

using kernel::LpId;

CachingIoNode::Entry* CachingIoNode::find(const BlockKey& key) {
  const std::uint32_t* number = entry_of_.find(key);
  return number == nullptr ? nullptr : &entries_[*number];
}

/// The block's entry, made if there is none; it stays until tidy() finds nothing in it.
CachingIoNode::Entry& CachingIoNode::entry_of(const BlockKey& key) {
  if (Entry* entry = find(key)) return *entry;
  const std::uint32_t number = entries_.take();
  entry_of_.insert(key, number);
  entries_[number] = {};
  entries_[number].key = key;
  return entries_[number];
}

void CachingIoNode::tidy(Entry& entry) {
  if (entry.busy || entry.reading || entry.writing > 0 || entry.owner != 0 || entry.holders != none ||
      entry.first_wish != none)
    return;
  const BlockKey key = entry.key;
  const std::uint32_t number = *entry_of_.find(key);
  entry_of_.erase(key);
  entries_.release(number);
}

void CachingIoNode::queue(Entry& entry, const Wish& wish) {
  if (!entry.busy && entry.first_wish == none) {
    run(entry, wish);
    if (!entry.busy) tidy(entry);
    return;
  }
  const std::uint32_t number = wishes_.take();
  wishes_[number] = wish;
  wishes_[number].next = none;
  (entry.last_wish == none ? entry.first_wish : wishes_[entry.last_wish].next) = number;
  entry.last_wish = number;
}

/// Does what waits for the block until something has to wait again.
void CachingIoNode::go_on(Entry& entry) {
  while (!entry.busy && entry.first_wish != none) {
    const std::uint32_t number = entry.first_wish;
    const Wish wish = wishes_[number];
    wishes_.release(number);
    entry.first_wish = wish.next;
    if (entry.first_wish == none) entry.last_wish = none;
    run(entry, wish);
  }
  tidy(entry);
}

bool CachingIoNode::holds(const Entry& entry, LpId cnode) {
  for (std::uint32_t holder = entry.holders; holder != none; holder = holders_[holder].next)
    if (holders_[holder].cnode == cnode) return true;
  return false;
}

/// The cnode is the block's latest holder.
void CachingIoNode::hold(Entry& entry, LpId cnode, bool whole) {
  if (entry.holders != none) {  // most often it is already
    Holder& latest = holders_[entry.holders];
    if (latest.cnode == cnode && (latest.next == none || !policy_.moves_blocks())) {
      latest.whole = latest.whole || whole;
      return;
    }
  }
  for (std::uint32_t holder = entry.holders; holder != none; holder = holders_[holder].next)
    if (holders_[holder].cnode == cnode) whole = whole || holders_[holder].whole;
  if (policy_.moves_blocks())
    release_all(entry);
  else
    release(entry, cnode);
  const std::uint32_t holder = holders_.take();
  holders_[holder] = {cnode, whole, entry.holders};
  entry.holders = holder;
}

void CachingIoNode::release(Entry& entry, LpId cnode) {
  for (std::uint32_t* link = &entry.holders; *link != none; link = &holders_[*link].next) {
    if (holders_[*link].cnode != cnode) continue;
    const std::uint32_t gone = *link;
    *link = holders_[gone].next;
    holders_.release(gone);
    return;
  }
}

void CachingIoNode::release_all(Entry& entry) {
  while (entry.holders != none) release(entry, holders_[entry.holders].cnode);
}

/// Recalls changes, and before a write sees to the other copies; whether the wish may be granted now, or the
/// entry is busy with it.
bool CachingIoNode::make_coherent(Entry& entry, const Wish& wish) {
  const Transaction& message = *parts_[wish.part].message;
  const bool write = message.operation != Operation::read;
  const bool own = message.operation == Operation::own;
  if (entry.owner != 0 && entry.owner != message.client) {
    TransactionData why = message;
    why.keep = !write && !policy_.moves_blocks();
    why.version = 0;
    entry.busy = true;
    entry.current = wish;
    order(Operation::recall, entry.owner, entry.key, {0, static_cast<std::uint32_t>(block())}, why);
    return false;
  }
  if (!write) return true;
  // A block that moves leaves where it was if the writer keeps it.
  const bool update = message.members == 0 && !own &&
                      (policy_.moves_blocks() ? !message.keep : caching_.coherence == Coherence::update);
  const auto another = [&](std::uint32_t holder) { return holders_[holder].cnode != message.client; };
  std::uint32_t first = entry.holders;
  while (first != none && !another(first)) first = holders_[first].next;
  if (first == none) return true;
  TransactionData why = message;
  why.version = static_cast<std::uint64_t>(now().ps());
  for (std::uint32_t holder = entry.holders; holder != none; holder = holders_[holder].next) {
    if (!another(holder)) continue;
    ++entry.acks;
    order(update ? Operation::update : Operation::invalidate, holders_[holder].cnode, entry.key,
          update ? wish.bytes : Extent{0, static_cast<std::uint32_t>(block())}, why);
  }
  if (!update) {
    for (std::uint32_t* link = &entry.holders; *link != none;) {
      if (holders_[*link].cnode == message.client)
        link = &holders_[*link].next;
      else
        release(entry, holders_[*link].cnode);
    }
  }
  entry.busy = true;
  entry.current = wish;
  // Copies that were updated are so already: nobody is told twice.
  entry.current.coherent = true;
  entry.current.version = why.version;
  return false;
}

void CachingIoNode::run(Entry& entry, const Wish& wish) {
  const Transaction& message = *parts_[wish.part].message;
  if (!wish.coherent && !make_coherent(entry, wish)) return;
  if (message.members > 0)
    serve_directed(entry, wish);
  else if (message.operation == Operation::read)
    serve_read(entry, wish);
  else if (message.operation == Operation::own)
    grant(entry, wish);
  else
    serve_write(entry, wish);
}

/// One thing that the part waited for is done.
void CachingIoNode::done(std::uint32_t part) {
  if (--parts_[part].waits == 0) finished_.push_back(part);
}

/// The block, or the right to change it, is part of the answer.
void CachingIoNode::answer_block(Entry& entry, const Wish& wish, std::uint64_t version) {
  Part& part = parts_[wish.part];
  Transaction& message = *part.message;
  message.version = std::max(message.version, version);
  if (message.caches) {
    const Range whole{entry.key.index * block(), block()};
    std::vector<Range>& answered = part.answered;
    if (!answered.empty() && answered.back().offset + answered.back().bytes == whole.offset)
      answered.back().bytes += whole.bytes;
    else
      answered.push_back(whole);
    // A reader whose read goes on without other cnodes has been entered before, and the block may have been
    // promised to another one since.
    if (!wish.direct) hold(entry, message.client, message.operation == Operation::read);
  }
  done(wish.part);
}

void CachingIoNode::serve_read(Entry& entry, const Wish& wish) {
  Transaction& message = *parts_[wish.part].message;
  const Extent needed = message.caches ? Extent{0, static_cast<std::uint32_t>(block())} : wish.bytes;
  // Where blocks move, one that has changes to be written may be here and on a cnode: it moves from there.
  if (message.caches && policy_.moves_blocks() && forward_to_holder(entry, wish)) return;
  const Slot slot = cache_.find(entry.key);
  if (slot != BlockCache::none && cache_.at(slot).valid.covers(needed)) {
    ++message.tally.ionode_hits;
    cache_.touch(slot);
    const std::uint64_t version = cache_.version_of(slot);
    if (message.caches && policy_.moves_blocks() && cache_.at(slot).dirty.empty()) cache_.erase(slot);
    answer_block(entry, wish, version);
    return;
  }
  if (message.caches) {
    const Slot managed = managed_.find(entry.key);
    if (managed != BlockCache::none) {
      managed_.touch(managed);
      forward(entry, wish, system_.first_cnode() + managed % system_.cnodes(), managed);
      return;
    }
    if (forward_to_holder(entry, wish)) return;
  }
  entry.busy = true;
  entry.current = wish;
  if (entry.writing == 0) read_from_disk(entry, wish.part);
}

/// Whether the wish is forwarded: to the cnode that got the block last.
bool CachingIoNode::forward_to_holder(Entry& entry, const Wish& wish) {
  if (!policy_.forwards() || wish.direct) return false;
  const LpId client = parts_[wish.part].message->client;
  for (std::uint32_t holder = entry.holders; holder != none; holder = holders_[holder].next) {
    if (holders_[holder].cnode == client || !holders_[holder].whole) continue;
    forward(entry, wish, holders_[holder].cnode, BlockCache::none);
    return true;
  }
  return false;
}

/// `managed`: in the share that homes manage of the cnode's cache.
void CachingIoNode::forward(Entry& entry, const Wish& wish, LpId cnode, Slot managed) {
  const Transaction& message = *parts_[wish.part].message;
  TransactionData why = message;
  why.requester = message.client;
  why.managed = managed != BlockCache::none;
  why.version = why.managed ? managed_.version_of(managed) : 0;
  why.after = heard_[number_of(cnode)];
  if (policy_.moves_blocks() && !why.managed) ++rooms_[number_of(cnode)];  // it leaves its place
  order(Operation::forward, cnode, entry.key, {0, static_cast<std::uint32_t>(block())}, why);
  hold(entry, message.client, true);
  done(wish.part);
}

void CachingIoNode::serve_write(Entry& entry, const Wish& wish) {
  Transaction& message = *parts_[wish.part].message;
  const auto version = wish.version != 0 ? wish.version : static_cast<std::uint64_t>(now().ps());
  message.version = std::max(message.version, version);
  if (message.caches && message.keep) hold(entry, message.client, false);
  write(entry.key, wish.bytes, version, wish.part);
  change_managed(entry.key, wish.bytes, version);
  done(wish.part);
}

void CachingIoNode::grant(Entry& entry, const Wish& wish) {
  entry.owner = parts_[wish.part].message->client;
  answer_block(entry, wish, static_cast<std::uint64_t>(now().ps()));
}

/// What the disks are asked for in their own order passes the cache by.
void CachingIoNode::serve_directed(Entry& entry, const Wish& wish) {
  const bool write = parts_[wish.part].message->operation == Operation::write;
  const Slot slot = cache_.find(entry.key);
  if (slot != BlockCache::none) {
    if (!cache_.at(slot).dirty.empty()) send_changes(slot, none);
    if (write) cache_.erase(slot);
  }
  if (write) {
    const Slot managed = managed_.find(entry.key);
    if (managed != BlockCache::none) managed_.erase(managed);
  }
  done(wish.part);
}

/// Adds a block to a command, which leaves with send_orders().
void CachingIoNode::order(Operation operation, LpId cnode, const BlockKey& key, const Extent& bytes,
                          const TransactionData& why) {
  if (operation == Operation::invalidate) ++statistics_.invalidated;
  if (operation == Operation::forward) ++statistics_.forwarded;
  const Range range{key.index * block() + bytes.begin, bytes.bytes()};
  for (auto other = orders_.rbegin(); other != orders_.rend(); ++other) {
    TransactionData& command = other->command;
    if (other->cnode != cnode || command.operation != operation || command.cell != key.cell ||
        command.file != key.file || command.requester != why.requester || command.ticket != why.ticket ||
        command.keep != why.keep || command.managed != why.managed || command.chances != why.chances ||
        command.version != why.version || command.after != why.after)
      continue;
    Range& last = other->list.back();
    if (last.offset + last.bytes == range.offset)
      last.bytes += range.bytes;
    else
      other->list.push_back(range);
    command.bytes += range.bytes;
    return;
  }
  Order& fresh = orders_.emplace_back();
  fresh.command = why;
  fresh.command.operation = operation;
  fresh.command.file = key.file;
  fresh.command.cell = key.cell;
  fresh.command.offset = range.offset;
  fresh.command.bytes = range.bytes;
  fresh.command.tally = {};
  fresh.command.members = 0;  // commands are about blocks, whoever's access they are for
  fresh.cnode = cnode;
  fresh.list.push_back(range);
}

void CachingIoNode::send_orders() {
  for (Order& ready : orders_) {
    if (ready.list.size() == 1) ready.list.clear();
    Transaction* command = make_transaction(ready.command, std::move(ready.list));
    command->kind = static_cast<std::uint16_t>(EventKind::command);
    const bool data = command->operation == Operation::place || command->operation == Operation::update;
    const kernel::SimTime at = data ? copied(command->bytes) : now();
    const network::Transit transit = system_.network().transit(
        node_, system_.node_of(ready.cnode), message_size(system_.parameters(), *command, data), at, port_);
    const kernel::SimTime arrival = channels_.arrival(number_of(ready.cnode), transit.arrival);
    send(ready.cnode, arrival - now(), command);
  }
  orders_.clear();
}

}  // namespace mpisim::pfs
