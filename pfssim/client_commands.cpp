// What other nodes tell a compute node's cache to do.
#include <algorithm>
#include <utility>

#include "pfssim/caching_client.hpp"
#include "pfssim/delays.hpp"
#include "pfssim/flushing.hpp"

namespace mpisim::pfs {

using kernel::SimTime;

void CachingClient::obey(Transaction* command) {
  const bool data = command->operation == Operation::place || command->operation == Operation::update;
  const SimTime taken =
      system_.network().take_from(system_.node_of(command->key.source), node_,
                                  message_size(system_.parameters(), *command, data), now(), port_);
  processor_free_ = kernel::max(taken, processor_free_) + system_.parameters().client_overhead;
  const SimTime ready = processor_free_;
  switch (command->operation) {
    case Operation::forward:
      forward(command, ready);
      break;
    case Operation::place:
      place(command, ready);
      break;
    case Operation::pass_on:
      pass_on(command, ready);
      break;
    case Operation::recall:
      recall(*command);
      dispose(command);
      break;
    default: {  // invalidate, update
      const bool change = command->operation == Operation::update;
      if (!command->managed) {
        for_each_range(*command, [&](const Range& range) {
          for_each_block(range.offset, range.bytes, block(), [&](std::uint64_t index, const Extent&) {
            const BlockKey key{index, command->file, command->cell};
            if (change)
              update(key, command->version);
            else
              obey_invalidation(key);
          });
        });
        tell_home(*command, Operation::acknowledge, std::move(command->list), ready);
      }
      dispose(command);
    }
  }
  send_batches();
}

/// Blocks that are here go to `requester`; of the others, those that are under way wait, the rest is not
/// here.
void CachingClient::forward(Transaction* command, SimTime ready) {
  if (command->managed) {
    std::vector<Range> all;
    for_each_range(*command, [&all](const Range& range) { all.push_back(range); });
    send_blocks(*command, std::move(all), command->version, ready);
    dispose(command);
    return;
  }
  std::vector<Range> here, missing;
  std::uint64_t version = 0;
  const auto add = [](std::vector<Range>& list, const Range& range) {
    if (!list.empty() && list.back().offset + list.back().bytes == range.offset)
      list.back().bytes += range.bytes;
    else
      list.push_back(range);
  };
  for_each_range(*command, [&](const Range& range) {
    for_each_block(range.offset, range.bytes, block(), [&](std::uint64_t index, const Extent& bytes) {
      const BlockKey key{index, command->file, command->cell};
      const Range whole{index * block(), bytes.bytes()};
      const Slot slot = cache_.find(key);
      if (slot != BlockCache::none && cache_.at(slot).valid.bytes() == block()) {
        version = std::max(version, version_of(slot));
        add(here, whole);
        if (policy_.moves_blocks())
          cache_.erase(slot);
        else
          cache_.touch(slot);
        return;
      }
      const std::uint32_t* under_way = fetch_of_.find(key);
      // The home knew of a fetch that it has forwarded this to. It did not know of one that began after the
      // block had left this cache: that may itself wait for the requester.
      if (under_way != nullptr && fetches_[*under_way].kept && !fetches_[*under_way].own &&
          command->after >= fetches_[*under_way].number) {
        TransactionData later = *command;
        later.offset = whole.offset;
        later.bytes = whole.bytes;
        Fetch& fetch = fetches_[*under_way];
        fetch.forwards.push_back(make_transaction(later));
        if (policy_.moves_blocks()) {  // who comes from now on has to ask again
          fetch.kept = false;
          fetch.moves_on = true;
          fetch.served = fetch.wishes.size();
        }
        return;
      }
      add(missing, whole);
    });
  });
  if (!here.empty()) send_blocks(*command, std::move(here), version, ready);
  if (!missing.empty()) tell_home(*command, Operation::forward_miss, std::move(missing), ready);
  dispose(command);
}

void CachingClient::send_blocks(const Transaction& command, std::vector<Range> list, std::uint64_t version,
                                SimTime ready) {
  TransactionData part = command;
  part.operation = Operation::read;
  part.version = version;
  part.bytes = 0;
  part.tally = {};
  for (const Range& range : list) part.bytes += range.bytes;
  part.tally.remote_hits = static_cast<std::uint32_t>(part.bytes / block());
  ledger_.node().forwarded += part.tally.remote_hits;
  part.offset = list.front().offset;
  if (list.size() == 1) list.clear();
  memory_free_ = kernel::max(ready, memory_free_) + caching_.copy * kernel::Bytes(part.bytes);
  Transaction* answer = make_transaction(part, std::move(list));
  answer->kind = static_cast<std::uint16_t>(EventKind::answer);
  const network::Transit transit =
      system_.network().transit(node_, system_.node_of(command.requester),
                                block_answer_size(system_.parameters(), *answer), memory_free_, port_);
  send(command.requester, transit.arrival - now(), answer);
}

/// A block that a home has no room for comes if there is room here; one that a compute node passes on,
/// anyway.
void CachingClient::place(Transaction* command, SimTime ready) {
  if (command->managed) {
    dispose(command);
    return;
  }
  std::vector<Range> refused;
  for_each_range(*command, [&](const Range& range) {
    for_each_block(range.offset, range.bytes, block(), [&](std::uint64_t index, const Extent& bytes) {
      const BlockKey key{index, command->file, command->cell};
      if (cache_.find(key) != BlockCache::none) return;
      if (!command->keep && cache_.victim(key) != BlockCache::none) {
        refused.push_back({index * block(), bytes.bytes()});
        return;
      }
      const Slot slot = store(key, nobody, false);
      BlockCache::Block& placed = cache_.at(slot);
      placed.valid = bytes;
      placed.passed_on = true;
      placed.chances = command->chances;
      cache_.set_version(slot, command->version);
    });
  });
  if (command->keep) {
    std::vector<Range> all;
    for_each_range(*command, [&all](const Range& range) { all.push_back(range); });
    tell_home(*command, Operation::placed, std::move(all), ready);
  } else if (!refused.empty()) {
    tell_home(*command, Operation::retire, std::move(refused), ready);
  }
  dispose(command);
}

/// The block that has just left goes to another compute node.
void CachingClient::pass_on(Transaction* command, SimTime ready) {
  command->operation = Operation::place;
  command->kind = static_cast<std::uint16_t>(EventKind::command);
  command->keep = true;
  memory_free_ = kernel::max(ready, memory_free_) + caching_.copy * kernel::Bytes(command->bytes);
  const network::Transit transit =
      system_.network().transit(node_, system_.node_of(command->requester),
                                message_size(system_.parameters(), *command, true), memory_free_, port_);
  send(command->requester, transit.arrival - now(), command);
}

/// Changes go home. A block that is about to be owned is changed first: the recall may have come before the
/// right to do so. Where there are no changes any more, they are on their way.
void CachingClient::recall(const Transaction& command) {
  for_each_range(command, [&](const Range& range) {
    for_each_block(range.offset, range.bytes, block(), [&](std::uint64_t index, const Extent&) {
      const BlockKey key{index, command.file, command.cell};
      const Slot slot = cache_.find(key);
      if (slot == BlockCache::none || cache_.at(slot).dirty.empty()) {
        const std::uint32_t* under_way = fetch_of_.find(key);
        if (under_way == nullptr || !fetches_[*under_way].own) return;
        fetches_[*under_way].recalled = true;
        fetches_[*under_way].stays = command.keep;
        return;
      }
      send_changes(slot, command.keep, nobody);
    });
  });
}

void CachingClient::obey_invalidation(const BlockKey& key) {
  if (cache_.find(key) != BlockCache::none) ++ledger_.node().invalidated;
  invalidate(key);
}

void CachingClient::invalidate(const BlockKey& key) {
  const Slot slot = cache_.find(key);
  if (slot != BlockCache::none) cache_.erase(slot);
  if (const std::uint32_t* under_way = fetch_of_.find(key)) {
    Fetch& fetch = fetches_[*under_way];
    if (fetch.kept) fetch.served = fetch.wishes.size();
    fetch.kept = false;
  }
}

/// A copy that is here, or on its way here, has been changed: the change is laid over it.
void CachingClient::update(const BlockKey& key, std::uint64_t version) {
  const Slot slot = cache_.find(key);
  if (slot != BlockCache::none) cache_.set_version(slot, std::max(version, cache_.version_of(slot)));
  if (const std::uint32_t* under_way = fetch_of_.find(key)) {
    Fetch& fetch = fetches_[*under_way];
    fetch.version = std::max(fetch.version, version);
  }
}

void CachingClient::tell_home(const Transaction& command, Operation operation, std::vector<Range> list,
                              SimTime ready) {
  TransactionData part = command;
  part.operation = operation;
  part.client = id();
  part.keep = false;
  if (!list.empty()) {
    part.offset = list.front().offset;
    part.bytes = 0;
    for (const Range& range : list) part.bytes += range.bytes;
    if (list.size() == 1) list.clear();
  }
  send_part(make_transaction(part, std::move(list)), system_.io_node_of_cell(command.cell), ready);
}

}  // namespace mpisim::pfs
