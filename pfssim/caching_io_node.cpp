// What comes to a home, and its answers.
#include "pfssim/caching_io_node.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

#include "pfssim/delays.hpp"
#include "pfssim/flushing.hpp"

namespace mpisim::pfs {

using kernel::SimTime;

CachingIoNode::CachingIoNode(kernel::Engine& engine, kernel::LpId id, const FileSystem& system)
    : IoNode(engine, id, system),
      caching_(system.parameters().caching),
      policy_(system.policy()),
      cache_(caching_.ionode.blocks, caching_.ionode.ways, system.parameters().cells(), caching_.versions),
      managed_(std::uint64_t{system.managed_blocks()} / system.parameters().io_nodes * system.cnodes(), 0, 1,
               caching_.versions),
      rooms_(system.cnodes()),
      heard_(system.cnodes()) {
  cache_.set_age_step(age_step(caching_.ionode.flush_interval));
}

CachingIoNode::~CachingIoNode() {
  for (std::uint32_t part = 0; part < parts_.size(); ++part) dispose(parts_[part].message);
}

NodeStatistics CachingIoNode::statistics() const {
  NodeStatistics statistics = IoNode::statistics();
  statistics.left_dirty = cache_.dirty_blocks();
  return statistics;
}

void CachingIoNode::handle(kernel::Event* event) {
  auto* transaction = static_cast<Transaction*>(event);
  switch (static_cast<EventKind>(event->kind)) {
    case EventKind::part: {
      const SimTime at = accept(*transaction);
      if (at > now()) {
        transaction->kind = static_cast<std::uint16_t>(EventKind::work);
        // The answer goes to the client, whatever the event's source is from now on.
        send(id(), at - now(), transaction);
        return;
      }
      perform(transaction);
      break;
    }
    case EventKind::work:
      perform(transaction);
      break;
    case EventKind::timer:
      dispose(transaction);
      timer_set_ = false;
      flush();
      break;
    case EventKind::served:
      served(transaction);
      break;
    default:
      assert(false);
  }
  send_accesses();
  send_orders();
  for (std::size_t i = 0; i < finished_.size(); ++i) finish(finished_[i]);
  finished_.clear();
  send_accesses();
}

void CachingIoNode::perform(Transaction* message) {
  for (const BlockKey& key : message->retired) {
    if (Entry* entry = find(key)) {
      release(*entry, message->client);
      tidy(*entry);
    }
  }
  message->retired.clear();
  if (message->caches) {
    rooms_[number_of(message->client)] = message->room;
    ++heard_[number_of(message->client)];
  }
  switch (message->operation) {
    case Operation::read:
    case Operation::write:
    case Operation::own:
      begin(message);
      return;
    case Operation::write_back:
      take_changes(message);
      return;
    case Operation::hand_back:
      take_back(message);
      break;
    case Operation::acknowledge:
      acknowledge(message);
      break;
    case Operation::retire:
      retire(message);
      break;
    case Operation::placed:
      placed(message);
      break;
    case Operation::forward_miss:
      forward_again(message);
      return;
    case Operation::sync:
      sync(message);
      return;
    default:
      serve_metadata(message, now());
      return;
  }
  --waiting_;
  dispose(message);
}

namespace {

template <class Visit>
void for_each_block_of(const Transaction& message, std::uint64_t block, Visit&& visit) {
  for_each_range(message, [&](const Range& range) {
    for_each_block(range.offset, range.bytes, block, [&](std::uint64_t index, const Extent& bytes) {
      visit(BlockKey{index, message.file, message.cell}, bytes);
    });
  });
}

}  // namespace

void CachingIoNode::begin(Transaction* message, bool direct) {
  const std::uint32_t part = take_part(message, 1);
  for_each_block_of(*message, block(), [&](const BlockKey& key, const Extent& bytes) {
    ++parts_[part].waits;
    queue(entry_of(key), {.part = part, .bytes = bytes, .direct = direct});
  });
  if (--parts_[part].waits == 0) finished_.push_back(part);
}

std::uint32_t CachingIoNode::take_part(Transaction* message, std::uint32_t waits) {
  const std::uint32_t number = parts_.take();
  Part& part = parts_[number];
  part.message = message;
  part.waits = waits;
  return number;
}

/// Nothing is left to do for a part; its message.
Transaction* CachingIoNode::release_part(std::uint32_t number) {
  Part& part = parts_[number];
  part.answered.clear();
  parts_.release(number);
  return std::exchange(part.message, nullptr);
}

/// The last of what a part waited for is done.
void CachingIoNode::finish(std::uint32_t part) {
  Transaction* message = parts_[part].message;
  if (message->members > 0) {
    finish_directed(part);
    return;
  }
  if (message->operation == Operation::read && message->caches && parts_[part].answered.empty()) {
    // All has been forwarded; nothing was read for it, or there would be something to answer.
    count_answer(*message);
    dispose(release_part(part));
    return;
  }
  send_answer(part);
}

/// Goes on to the disk, which waits for the other members' parts.
void CachingIoNode::finish_directed(std::uint32_t part) {
  Transaction* message = release_part(part);
  message->kind = static_cast<std::uint16_t>(EventKind::access);
  send_accesses();
  send(system_.way_to_disk(message->cell), until(now(), now()), message);
}

void CachingIoNode::send_answer(std::uint32_t number) {
  Transaction* message = parts_[number].message;
  count_answer(*message);
  const bool blocks = message->operation == Operation::read || message->operation == Operation::own;
  SimTime ready = now();
  if (message->members == 0 && blocks && message->caches) {
    message->list.swap(parts_[number].answered);
    message->offset = message->list.front().offset;
    message->bytes = 0;
    for (const Range& range : message->list) message->bytes += range.bytes;
    if (message->list.size() == 1) message->list.clear();
  } else if (!caching_.versions || message->members > 0 || !message->caches) {
    message->list.clear();
  }
  release_part(number);
  if (message->operation == Operation::read) ready = copied(message->bytes);
  message->kind = static_cast<std::uint16_t>(EventKind::answer);
  const network::Transit transit =
      system_.network().transit(node_, system_.node_of(message->client),
                                block_answer_size(system_.parameters(), *message), ready, port_);
  const SimTime arrival = channels_.arrival(number_of(message->client), transit.arrival);
  send(message->client, arrival - now(), message);
}

/// Changes of blocks that the sender owned.
void CachingIoNode::take_changes(Transaction* message) {
  const std::uint32_t part = take_part(message, 1);
  copied(message->bytes);
  for_each_block_of(*message, block(), [&](const BlockKey& key, const Extent& bytes) {
    Entry& entry = entry_of(key);
    assert(entry.owner == message->client);
    entry.owner = 0;
    if (!message->keep)
      release(entry, message->client);
    else if (policy_.moves_blocks())
      hold(entry, message->client, true);
    write(key, bytes, message->version, part);
    change_managed(key, bytes, message->version);
    if (entry.busy && entry.acks == 0 && !entry.reading && entry.current.part != none) {
      entry.busy = false;  // it was recalled
      const Wish wish = entry.current;
      run(entry, wish);
    }
    go_on(entry);
  });
  if (--parts_[part].waits == 0) finished_.push_back(part);
}

/// Blocks for which a compute node has no room.
void CachingIoNode::take_back(Transaction* message) {
  copied(message->bytes);
  message->version = std::min(message->version, static_cast<std::uint64_t>(now().ps()));
  for_each_block_of(*message, block(), [&](const BlockKey& key, const Extent& bytes) {
    Entry* entry = find(key);
    if (entry == nullptr || !holds(*entry, message->client)) return;  // it has moved on meanwhile
    release(*entry, message->client);
    if (cache_.capacity() == 0) {
      put_elsewhere(key, message->version);
    } else if (cache_.find(key) == BlockCache::none) {
      const Slot slot = store(key, none);
      cache_.at(slot).valid = bytes;
      cache_.set_version(slot, message->version);
    }
    tidy(entry_of(key));
  });
}

void CachingIoNode::acknowledge(Transaction* message) {
  for_each_block_of(*message, block(), [&](const BlockKey& key, const Extent&) {
    Entry* entry = find(key);
    assert(entry != nullptr && entry->acks > 0);
    if (--entry->acks > 0) return;
    entry->busy = false;
    const Wish wish = entry->current;
    run(*entry, wish);
    go_on(*entry);
  });
}

/// Blocks that a compute node has dropped, or (`keep`) would pass on if it had the last copy.
void CachingIoNode::retire(Transaction* message) {
  for_each_block_of(*message, block(), [&](const BlockKey& key, const Extent& bytes) {
    Entry* entry = find(key);
    if (entry == nullptr) return;
    release(*entry, message->client);
    const bool last = entry->holders == none && !entry->busy;
    if (message->keep && last && system_.cnodes() > 1) {
      const std::uint32_t peer = policy_.pass_to(key, turn_++, number_of(message->client), system_.cnodes());
      if (peer != CachePolicy::nowhere) {
        entry->busy = true;  // until the block is where it goes
        entry->current = {};
        TransactionData why = *message;
        why.requester = system_.first_cnode() + peer;
        order(Operation::pass_on, message->client, key, bytes, why);
        return;
      }
    }
    tidy(*entry);
  });
}

void CachingIoNode::placed(Transaction* message) {
  for_each_block_of(*message, block(), [&](const BlockKey& key, const Extent&) {
    Entry& entry = entry_of(key);
    hold(entry, message->client, true);
    entry.busy = false;
    go_on(entry);
  });
}

/// Blocks that the sender does not have any more: the read goes on without other cnodes.
void CachingIoNode::forward_again(Transaction* message) {
  message->operation = Operation::read;
  message->client = message->requester;
  message->caches = true;
  begin(message, true);
}

/// Answers when nothing that was written to the file waits for a disk.
void CachingIoNode::sync(Transaction* message) {
  const std::uint32_t part = take_part(message, 1);
  for (const Slot slot : changed_blocks(cache_, &message->file)) send_changes(slot, none);
  send_accesses();
  if (writing_ > 0)
    syncs_.push_back(part);
  else
    finished_.push_back(part);
}

}  // namespace mpisim::pfs
