// Requests of ranks and the answers of homes.
#include "pfssim/caching_client.hpp"

#include <algorithm>
#include <utility>

#include "pfssim/delays.hpp"
#include "pfssim/flushing.hpp"

namespace mpisim::pfs {

using kernel::SimTime;

namespace {
/// Blocks of the cache that are the node's own to manage.
std::uint64_t own_blocks(const FileSystem& system) {
  return system.parameters().caching.cnode.blocks - system.managed_blocks();
}
}  // namespace

CachingClient::CachingClient(kernel::Engine& engine, kernel::LpId id, const FileSystem& system)
    : ComponentLp(engine, id),
      system_(system),
      caching_(system.parameters().caching),
      policy_(system.policy()),
      node_(system.node_of(id)),
      cache_(own_blocks(system), caching_.cnode.ways, system.parameters().cells(), caching_.versions),
      // A block that is in one cache only has to be there as a whole, unless it is owned.
      allocate_(caching_.cnode.allocate && (caching_.cnode.write_back || !policy_.moves_blocks())),
      retired_(system.parameters().io_nodes),
      sent_(system.parameters().io_nodes),
      ledger_(id - system.first_cnode(), system.client_kind()),
      shapes_(system.parameters()) {
  cache_.set_age_step(age_step(caching_.cnode.flush_interval));
  make_immediate();
}

CachingClient::~CachingClient() {
  // Requests of a run that was stopped.
  for (Transaction* part : batches_) dispose(part);
  for (std::uint32_t ticket = 0; ticket < pending_.size(); ++ticket) dispose(pending_[ticket].request);
  for (std::uint32_t number = 0; number < fetches_.size(); ++number)
    for (Transaction* command : fetches_[number].forwards) dispose(command);
}

NodeStatistics CachingClient::statistics() const {
  NodeStatistics statistics = ledger_.total();
  statistics.left_dirty = cache_.dirty_blocks();
  return statistics;
}

void CachingClient::handle(kernel::Event* event) {
  auto* transaction = static_cast<Transaction*>(event);
  switch (static_cast<EventKind>(event->kind)) {
    case EventKind::request:
      submit(transaction);
      return;
    case EventKind::command:
      obey(transaction);
      return;
    case EventKind::timer:
      dispose(transaction);
      timer_set_ = false;
      flush();
      return;
    default:
      collect(transaction);
  }
}

void CachingClient::submit(Transaction* request) {
  const std::uint32_t ticket = pending_.take();
  Pending& pending = pending_[ticket];
  pending = {request, 1, now(), {}, 0, false};
  ledger_.begin(*request);
  if (request->operation == Operation::sync) {
    submit_sync(ticket);
  } else if (!moves_data(request->operation)) {
    ++pending.waits;
    TransactionData part = *request;
    part.client = id();
    part.ticket = ticket;
    part.caches = true;
    send_part(make_transaction(part), system_.metadata_of(part), now());
  } else if (request->members > 0) {
    submit_directed(ticket);
  } else {
    submit_ranges(ticket);
  }
  send_batches();
  settle(ticket);
}

/// Stays what it is until the next call.
const std::vector<CellRange>& CachingClient::divided(std::uint32_t file, std::uint64_t offset,
                                                     std::uint64_t bytes) {
  system_.divide(shapes_.of(file), offset, bytes, ranges_);
  return ranges_;
}

void CachingClient::submit_ranges(std::uint32_t ticket) {
  const Transaction& request = *pending_[ticket].request;
  const bool write = request.operation == Operation::write;
  for_each_range(request, [&](const Range& range) {
    for (const CellRange& part : divided(request.file, range.offset, range.bytes)) {
      for_each_block(part.offset, part.bytes, block(), [&](std::uint64_t index, const Extent& bytes) {
        want({index, request.file, part.cell}, {ticket, bytes, write});
      });
    }
  });
  if (!write && caching_.cnode.read_ahead > 0) read_ahead(request);
}

void CachingClient::want(const BlockKey& key, const Wish& wish) {
  if (!attempt(key, wish)) ++pending_[wish.ticket].waits;
}

/// Whether the wish is granted at once; else it waits for a fetch.
bool CachingClient::attempt(const BlockKey& key, const Wish& wish) {
  if (!wish.write) return read(key, wish);
  return caching_.cnode.write_back ? write_back(key, wish) : write_through(key, wish);
}

bool CachingClient::read(const BlockKey& key, const Wish& wish) {
  const Slot slot = cache_.find(key);
  if (slot != BlockCache::none) {
    BlockCache::Block& block = cache_.at(slot);
    if (block.valid.covers(wish.bytes)) {
      cache_.touch(slot);
      block.passed_on = false;
      block.chances = 0;
      Pending& pending = pending_[wish.ticket];
      ++pending.tally.cnode_hits;
      pending.version = std::max(pending.version, version_of(slot));
      copy(pending, wish.bytes.bytes(), now());
      return true;
    }
  }
  if (const std::uint32_t* under_way = fetch_of_.find(key)) {
    fetches_[*under_way].wishes.push_back(wish);
    return false;
  }
  if (slot != BlockCache::none && !cache_.at(slot).dirty.empty()) send_changes(slot, true, wish.ticket);
  Fetch& asked = fetch(key, Operation::read, wish.ticket);
  asked.asked = true;
  asked.wishes.push_back(wish);
  return false;
}

bool CachingClient::write_through(const BlockKey& key, const Wish& wish) {
  Slot slot = cache_.find(key);
  const std::uint32_t* under_way = fetch_of_.find(key);
  if (under_way != nullptr) {
    invalidate(key);  // what is under way lacks this write
  } else if (slot == BlockCache::none && allocate_) {
    slot = store(key, wish.ticket);
  }
  slot = cache_.find(key);
  if (slot != BlockCache::none && cache_.at(slot).valid.touches(wish.bytes)) {
    cache_.at(slot).valid = cache_.at(slot).valid.hull(wish.bytes);
    cache_.touch(slot);
    copy(pending_[wish.ticket], wish.bytes.bytes(), now());
  }
  pass(key, wish);
  return true;
}

/// Sends a write to the home. Until it is answered the data stays here, and is laid over copies that come.
void CachingClient::pass(const BlockKey& key, const Wish& wish) {
  if (caching_.versions) {
    std::uint32_t* before = unanswered_.find(key);
    ++(before != nullptr ? *before : unanswered_.insert(key, 0));
  }
  batch(Operation::write, key, wish.bytes, wish.ticket, 0, allocate_);
}

bool CachingClient::write_back(const BlockKey& key, const Wish& wish) {
  const Slot slot = cache_.find(key);
  if (slot != BlockCache::none && !cache_.at(slot).dirty.empty()) {
    if (cache_.at(slot).valid.touches(wish.bytes)) {
      Pending& pending = pending_[wish.ticket];
      pending.version = std::max(pending.version, cache_.version_of(slot));
      copy(pending, wish.bytes.bytes(), now());
      change(slot, wish.bytes, wish.ticket);
      return true;
    }
    send_changes(slot, true, wish.ticket);
  }
  if (const std::uint32_t* under_way = fetch_of_.find(key)) {
    fetches_[*under_way].wishes.push_back(wish);
    return false;
  }
  if (cache_.find(key) == BlockCache::none && !allocate_) {
    pass(key, wish);
    return true;
  }
  Fetch& asked = fetch(key, Operation::own, wish.ticket);
  asked.own = asked.asked = true;
  asked.wishes.push_back(wish);
  return false;
}

/// The blocks that follow in the file, if the one before the request's first is here: the file is being read
/// in order, or from its beginning. Where the file ends is not known.
void CachingClient::read_ahead(const Transaction& request) {
  const std::uint64_t end = request.offset + request.bytes;
  if (!request.list.empty()) return;
  bool in_order = request.offset == 0;
  if (!in_order) {
    const CellRange byte = divided(request.file, request.offset - 1, 1).front();
    in_order = cache_.find({byte.offset / block(), request.file, byte.cell}) != BlockCache::none;
  }
  if (!in_order) return;
  const std::uint64_t begin = (end + block() - 1) / block() * block();
  const std::uint64_t bytes = caching_.cnode.read_ahead * block();
  const std::uint64_t most = system_.largest_file(shapes_.of(request.file));
  if (begin > most || bytes > most - begin) return;
  for (const CellRange& part : divided(request.file, begin, bytes)) {
    for_each_block(part.offset, part.bytes, block(), [&](std::uint64_t index, const Extent&) {
      const BlockKey key{index, request.file, part.cell};
      if (cache_.find(key) != BlockCache::none || fetch_of_.find(key) != nullptr) return;
      ++ledger_.node().read_ahead;
      fetch(key, Operation::read, nobody);
    });
  }
}

/// Accesses whose order the disks choose go past the caches: what has been changed is written back before,
/// and what is written is forgotten.
void CachingClient::submit_directed(std::uint32_t ticket) {
  const Transaction& request = *pending_[ticket].request;
  const bool write = request.operation == Operation::write;
  std::vector<std::vector<Range>> lists(system_.parameters().cells());
  for (const Range& range : request.list) {
    for (const CellRange& part : divided(request.file, range.offset, range.bytes)) {
      lists[part.cell].push_back({part.offset, part.bytes});
      for_each_block(part.offset, part.bytes, block(), [&](std::uint64_t index, const Extent&) {
        const BlockKey key{index, request.file, part.cell};
        const Slot slot = cache_.find(key);
        if (slot != BlockCache::none && !cache_.at(slot).dirty.empty()) send_changes(slot, true, ticket);
        if (write) invalidate(key);
      });
    }
  }
  send_batches();
  TransactionData part = request;
  part.client = id();
  part.ticket = ticket;
  part.caches = true;
  for (part.cell = 0; part.cell < lists.size(); ++part.cell) {
    std::vector<Range>& list = lists[part.cell];
    part.offset = list.empty() ? 0 : list.front().offset;
    part.bytes = 0;
    for (const Range& range : list) part.bytes += range.bytes;
    ++pending_[ticket].waits;
    send_part(make_transaction(part, std::move(list)), system_.io_node_of_cell(part.cell), now());
  }
}

void CachingClient::submit_sync(std::uint32_t ticket) {
  const std::uint32_t file = pending_[ticket].request->file;
  for (const Slot slot : changed_blocks(cache_, &file)) send_changes(slot, true, nobody);
  send_batches();
  const auto entry = written_.find(file);
  if (entry == written_.end() || entry->second.under_way == 0) return;
  ++pending_[ticket].waits;
  entry->second.waiting.push_back(ticket);
}

/// All changes of this node are at the homes, which may have them in their own caches.
void CachingClient::sync_homes(std::uint32_t ticket) {
  Pending& pending = pending_[ticket];
  pending.flushed = true;
  const auto entry = written_.find(pending.request->file);
  if (entry == written_.end() || caching_.ionode.blocks == 0 || !caching_.ionode.write_back) return;
  TransactionData part = *pending.request;
  part.client = id();
  part.ticket = ticket;
  part.caches = true;
  for (const std::uint32_t home : std::exchange(entry->second.homes, {})) {
    ++pending.waits;
    send_part(make_transaction(part), system_.io_node(home), now());
  }
}

/// One thing that the request waited for has come; replies if it was the last.
void CachingClient::settle(std::uint32_t ticket) {
  Pending& pending = pending_[ticket];
  if (--pending.waits > 0) return;
  if (pending.request->operation == Operation::sync && !pending.flushed) {
    sync_homes(ticket);
    if (pending.waits > 0) return;
  }
  Transaction* reply = std::exchange(pending.request, nullptr);
  if (moves_data(reply->operation)) ledger_.end(reply->file, pending.tally);
  turn_into_reply(*reply, pending.tally, pending.version);
  const SimTime done = pending.done;
  pending_.release(ticket);
  send(reply->key.source, until(done, now()), reply);
}

void CachingClient::copy(Pending& pending, std::uint32_t bytes, SimTime from) {
  memory_free_ = kernel::max(from, memory_free_) + caching_.copy * kernel::Bytes(bytes);
  pending.done = kernel::max(pending.done, memory_free_);
}

void CachingClient::collect(Transaction* answer) {
  const bool data = answer->operation == Operation::read;
  const SimTime taken =
      system_.network().take_from(system_.node_of(answer->key.source), node_,
                                  block_answer_size(system_.parameters(), *answer), now(), port_);
  const std::uint32_t ticket = answer->ticket;
  if (ticket == nobody) {
    ledger_.node().background.add(answer->tally);
  } else {
    pending_[ticket].tally.add(answer->tally);
    pending_[ticket].done = kernel::max(pending_[ticket].done, taken);
  }
  const bool blocks = answer->members == 0 && (data || answer->operation == Operation::own);
  if (blocks) {
    for_each_range(*answer, [&](const Range& range) {
      for_each_block(range.offset, range.bytes, block(), [&](std::uint64_t index, const Extent&) {
        arrive({index, answer->file, answer->cell}, *answer, taken);
      });
    });
  } else if (answer->operation == Operation::write_back || answer->operation == Operation::write) {
    written(*answer);
  } else if (answer->operation == Operation::open) {
    const auto shape = unpack_shape<Shape>(*answer);
    shapes_.learn(answer->file, shape);
    pending_[ticket].request->file = answer->file;
    pack_shape(*pending_[ticket].request, shape);
    pending_[ticket].version = answer->version;
  }
  send_batches();
  if (!blocks && ticket != nobody) settle(ticket);
  dispose(answer);
}

/// A block that was asked for, or the right to change it.
void CachingClient::arrive(const BlockKey& key, const Transaction& answer, SimTime at) {
  const std::uint32_t* under_way = fetch_of_.find(key);
  if (under_way == nullptr) return;  // it has been answered twice: by its home, and before that by a cnode
  const std::uint32_t number = *under_way;
  fetch_of_.erase(key);
  std::swap(come_, fetches_[number]);
  fetches_.release(number);
  const Fetch& come = come_;
  const auto now_here = static_cast<std::uint64_t>(now().ps());
  const std::uint64_t version = std::max(come.version, std::min(answer.version, now_here));
  std::uint32_t first = answer.ticket;
  if (!come.wishes.empty()) first = come.wishes.front().ticket;
  if (come.own || come.kept || come.moves_on) {
    Slot slot = cache_.find(key);
    if (slot == BlockCache::none) slot = store(key, first);
    if (!come.own) cache_.at(slot).valid = {0, static_cast<std::uint32_t>(block())};
    cache_.set_version(slot, std::max(version, cache_.version_of(slot)));
    cache_.touch(slot);
  }
  for (Transaction* command : come.forwards) forward(command, now());
  if (!come.own && !come.kept && cache_.find(key) == BlockCache::none)
    retired_[home_of(key) - system_.io_node(0)].push_back(key);
  bool again = false;  // the rest is to be tried again, in its order
  for (std::size_t i = 0; i < come.wishes.size(); ++i) {
    const Wish& wish = come.wishes[i];
    const Slot slot = cache_.find(key);
    if (come.own) {
      again = again || !wish.write || slot == BlockCache::none ||
              !(cache_.at(slot).dirty.empty() || cache_.at(slot).valid.touches(wish.bytes));
    } else {
      again = again || wish.write || (!come.kept && i >= come.served);
    }
    if (again) {
      if (attempt(key, wish)) settle(wish.ticket);
      continue;
    }
    Pending& pending = pending_[wish.ticket];
    pending.version = std::max(pending.version, version);
    if (!come.own && (i > 0 || !come.asked)) ++pending.tally.cnode_hits;
    copy(pending, wish.bytes.bytes(), at);
    if (come.own) change(slot, wish.bytes, wish.ticket);
    settle(wish.ticket);
  }
  if (come.recalled) {
    const Slot slot = cache_.find(key);
    if (slot != BlockCache::none && !cache_.at(slot).dirty.empty()) send_changes(slot, come.stays, nobody);
  }
  come_.clear();
}

/// A copy with changes that their home has not ordered yet is newer than anything that has been.
std::uint64_t CachingClient::version_of(Slot slot) {
  return unanswered_.find(cache_.at(slot).key) != nullptr ? newest_version : cache_.version_of(slot);
}

/// Changes are at their home.
void CachingClient::written(const Transaction& answer) {
  if (answer.ticket != nobody)
    pending_[answer.ticket].version = std::max(pending_[answer.ticket].version, answer.version);
  if (answer.operation == Operation::write && caching_.versions) {
    for_each_range(answer, [&](const Range& range) {
      for_each_block(range.offset, range.bytes, block(), [&](std::uint64_t index, const Extent&) {
        const BlockKey key{index, answer.file, answer.cell};
        std::uint32_t* before = unanswered_.find(key);
        if (before != nullptr && --*before == 0) unanswered_.erase(key);
        update(key, answer.version);
      });
    });
  }
  if (answer.operation != Operation::write_back) return;
  Written& file = written_[answer.file];
  if (--file.under_way > 0) return;
  for (const std::uint32_t ticket : std::exchange(file.waiting, {})) settle(ticket);
}

}  // namespace mpisim::pfs
