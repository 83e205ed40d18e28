// The pages of a client's cache, and the RPCs that bring and fetch them.
#include <algorithm>
#include <utility>

#include "pfssim/delays.hpp"
#include "pfssim/flushing.hpp"
#include "pfssim/object_client.hpp"

namespace mpisim::pfs {

void ObjectClient::read(std::uint32_t number) {
  const Piece& piece = pieces_[number];
  const ObjectKey object = piece.object;
  std::set<std::uint64_t> missing;
  Tally& tally = pending_[piece.ticket].tally;
  for (const Range& range : piece.ranges) {
    for_each_block(range.offset, range.bytes, page(), [&](std::uint64_t index, const Extent&) {
      const BlockKey key{index, object.file, object.cell};
      const Slot slot = cache_.find(key);
      if (slot != BlockCache::none) {
        cache_.touch(slot);
        ++tally.cnode_hits;
      } else if (wait_for_page(key, number)) {
        ++tally.cnode_hits;
      } else if (missing.insert(index).second) {
        ++tally.misses;
      }
    });
  }
  fetch(object, piece.lock, piece.ticket, number, {missing.begin(), missing.end()});
  if (objects_.read_ahead > 0) read_ahead(piece);
  if (piece.waits == 0) finish(number);
}

/// What the file's objects had before the run, which is the same whenever it is told.
void ObjectClient::learn_contents(std::uint32_t file, const Shape& shape, std::uint64_t bytes) {
  std::vector<CellRange> parts;
  system_.divide(shape, 0, bytes, parts);
  for (const CellRange& part : parts) {
    std::vector<Range>& contents = all_[{file, part.cell}].contents;
    std::erase_if(contents, [&part](const Range& range) { return range.offset == part.offset; });
    contents.push_back({part.offset, part.bytes});
  }
}

/// Where what is at `from` ends; at most `from` if nothing is there.
std::uint64_t ObjectClient::end_behind(const Object& object, std::uint64_t from) {
  std::uint64_t end = object.size;
  for (const Range& range : object.contents)
    if (range.offset <= from) end = std::max(end, range.offset + range.bytes);
  return end;
}

void ObjectClient::read_ahead(const Piece& piece) {
  const ObjectKey object = piece.object;
  const std::uint64_t begin = piece.ranges.front().offset / page();
  const Range& last = piece.ranges.back();
  const auto known = [&](std::uint64_t index) {
    const BlockKey key{index, object.file, object.cell};
    return cache_.find(key) != BlockCache::none || rpc_of_page_.find(key) != nullptr;
  };
  if (begin > 0 && !known(begin - 1)) return;
  const std::uint64_t first = (last.offset + last.bytes + page() - 1) / page();
  const std::uint64_t there = (end_behind(all_[object], first * page()) + page() - 1) / page();
  const std::uint64_t reach =
      std::min(std::min(locks_[piece.lock].extent.end, system_.largest_cell()) / page(), there);
  const std::uint64_t end = std::min(first + objects_.read_ahead / page(), reach);
  std::vector<std::uint64_t> pages;
  for (std::uint64_t index = first; index < end; ++index)
    if (!known(index)) pages.push_back(index);
  // Whole RPCs only, unless the lock or the object ends: else each read would send a small one.
  if (pages.size() < pages_per_rpc() && end < reach && objects_.read_ahead >= objects_.rpc_size) return;
  ledger_.node().read_ahead += pages.size();
  fetch(object, piece.lock, none, none, pages);
}

/// Reads pages, in ascending order, for a piece or ahead.
void ObjectClient::fetch(const ObjectKey& object, std::uint32_t lock, std::uint32_t ticket,
                         std::uint32_t piece, const std::vector<std::uint64_t>& pages) {
  Target& target = targets_[object.cell];
  for (std::size_t next = 0; next < pages.size();) {
    const std::uint32_t number = rpcs_.take();
    Rpc& rpc = rpcs_[number];
    rpc = {};
    rpc.object = object;
    rpc.lock = lock;
    rpc.ticket = ticket;
    ++locks_[lock].users;
    for (std::uint64_t count = 0; count < pages_per_rpc() && next < pages.size(); ++count, ++next) {
      const std::uint64_t offset = pages[next] * page();
      const std::uint64_t bytes = std::min(page(), system_.largest_cell() - offset);
      rpc_of_page_.insert({pages[next], object.file, object.cell}, number);
      rpc.bytes += bytes;
      if (!rpc.ranges.empty() && rpc.ranges.back().offset + rpc.ranges.back().bytes == offset)
        rpc.ranges.back().bytes += bytes;
      else
        rpc.ranges.push_back({offset, bytes});
    }
    if (piece != none) {
      rpc.pieces.push_back(piece);
      ++pieces_[piece].waits;
    }
    target.ready.push_back(number);
  }
  dispatch(object.cell);
}

/// Whether the page is being read; then the piece waits for it.
bool ObjectClient::wait_for_page(const BlockKey& key, std::uint32_t piece) {
  const std::uint32_t* rpc = rpc_of_page_.find(key);
  if (rpc == nullptr) return false;
  std::vector<std::uint32_t>& pieces = rpcs_[*rpc].pieces;
  if (std::find(pieces.begin(), pieces.end(), piece) == pieces.end()) {
    pieces.push_back(piece);
    ++pieces_[piece].waits;
  }
  return true;
}

/// Goes on where the piece stopped.
void ObjectClient::write(std::uint32_t number) {
  Piece& piece = pieces_[number];
  for (; piece.range < piece.ranges.size(); ++piece.range, piece.offset = 0) {
    const Range& range = piece.ranges[piece.range];
    while (piece.offset < range.bytes) {
      const std::uint64_t at = range.offset + piece.offset;
      const auto begin = static_cast<std::uint32_t>(at % page());
      const auto end = static_cast<std::uint32_t>(std::min(page(), begin + range.bytes - piece.offset));
      if (!write_page(number, {at / page(), piece.object.file, piece.object.cell}, {begin, end})) return;
      piece.offset += end - begin;
    }
  }
  finish(number);
}

/// Whether the bytes are in the cache now; else the piece waits for the page, or for room.
bool ObjectClient::write_page(std::uint32_t number, const BlockKey& key, const Extent& bytes) {
  const Piece& piece = pieces_[number];
  Object& object = all_[piece.object];
  Target& target = targets_[key.cell];
  Slot slot = cache_.find(key);
  if (slot == BlockCache::none && bytes.bytes() < page() && key.index * page() < object.size) {
    if (!wait_for_page(key, number)) fetch(piece.object, piece.lock, piece.ticket, number, {key.index});
    return false;
  }
  const bool fresh = slot == BlockCache::none || cache_.at(slot).dirty.empty();
  if (fresh && target.dirty + page() > objects_.max_dirty) {
    ++ledger_.node().objects.dirty_waits;
    target.waiting.push_back(number);
    if (target.idle()) flush_target(key.cell);
    return false;
  }
  if (slot == BlockCache::none) slot = store(key);
  cache_.touch(slot);
  cache_.make_dirty(slot, bytes, now());
  if (fresh) {
    target.dirty += page();
    object.dirty.insert(key.index);
  }
  object.size = std::max(object.size, key.index * page() + bytes.end);
  last_version_ = std::max(static_cast<std::uint64_t>(now().ps()), last_version_ + 1);
  cache_.set_version(slot, last_version_);
  pending_[piece.ticket].version = last_version_;
  copy(piece.ticket, bytes.bytes());
  set_timer();
  if (object.dirty.size() >= pages_per_rpc()) make_ready(piece.object, {0, no_end}, false);
  return true;
}

/// A place for a page that is not in the cache; all of it counts as being there.
ObjectClient::Slot ObjectClient::store(const BlockKey& key) {
  const Slot leaving = cache_.victim(key);
  if (leaving != BlockCache::none) {
    const BlockKey other = cache_.at(leaving).key;
    if (!cache_.at(leaving).dirty.empty()) make_ready({other.file, other.cell}, {0, no_end}, false);
    all_[{other.file, other.cell}].pages.erase(other.index);
    cache_.erase(leaving);
  }
  const Slot slot = cache_.insert(key);
  cache_.at(slot).valid = {0, static_cast<std::uint32_t>(page())};
  all_[{key.file, key.cell}].pages.insert(key.index);
  return slot;
}

/// Makes RPCs of the object's dirty pages with numbers in [pages.begin, pages.end).
void ObjectClient::make_ready(const ObjectKey& key, Interval pages, bool urgent) {
  Object& object = all_[key];
  Target& target = targets_[key.cell];
  auto next = object.dirty.lower_bound(pages.begin);
  while (next != object.dirty.end() && *next < pages.end) {
    const std::uint32_t number = rpcs_.take();
    Rpc& rpc = rpcs_[number];
    rpc = {};
    rpc.write = true;
    rpc.urgent = urgent;
    rpc.object = key;
    rpc.ready = memory_free_;
    for (; next != object.dirty.end() && *next < pages.end && rpc.pages < pages_per_rpc(); ++rpc.pages) {
      const Slot slot = cache_.find({*next, key.file, key.cell});
      const Extent dirty = cache_.at(slot).dirty;
      const std::uint64_t offset = *next * page() + dirty.begin;
      rpc.bytes += dirty.bytes();
      if (!rpc.ranges.empty() && rpc.ranges.back().offset + rpc.ranges.back().bytes == offset)
        rpc.ranges.back().bytes += dirty.bytes();
      else
        rpc.ranges.push_back({offset, dirty.bytes()});
      if (system_.parameters().caching.versions) rpc.versions.push_back(cache_.version_of(slot));
      cache_.make_clean(slot);
      next = object.dirty.erase(next);
    }
    ledger_.node().written_back += rpc.pages;
    object.writes.push_back(number);
    target.ready.push_back(number);
  }
  dispatch(key.cell);
}

/// Sends what may be on its way to a disk, urgent RPCs first.
void ObjectClient::dispatch(std::uint32_t cell) {
  Target& target = targets_[cell];
  while (target.in_flight < objects_.rpcs_in_flight && !target.ready.empty()) {
    auto next = std::find_if(target.ready.begin(), target.ready.end(),
                             [this](std::uint32_t rpc) { return rpcs_[rpc].urgent; });
    if (next == target.ready.end()) next = target.ready.begin();
    const std::uint32_t rpc = *next;
    target.ready.erase(next);
    ++target.in_flight;
    send_rpc(rpc);
  }
}

void ObjectClient::send_rpc(std::uint32_t number) {
  const Rpc& rpc = rpcs_[number];
  ++(rpc.write ? ledger_.node().objects.write_rpcs : ledger_.node().objects.read_rpcs);
  if (!rpc.write && rpc.ticket == none) ++ledger_.node().objects.ahead_rpcs;
  TransactionData part{.operation = rpc.write ? Operation::write : Operation::read, .file = rpc.object.file};
  part.offset = rpc.ranges.front().offset;
  part.bytes = rpc.bytes;
  part.cell = rpc.object.cell;
  part.client = id();
  part.ticket = number;
  std::vector<Range> list;
  if (rpc.ranges.size() > 1) list = rpc.ranges;
  send_part(part, system_.io_node_of_cell(part.cell), kernel::max(now(), rpc.ready), std::move(list),
            rpc.versions);
}

void ObjectClient::answered(Transaction* answer) {
  const std::uint32_t number = answer->ticket;
  const std::uint32_t cell = rpcs_[number].object.cell;
  --targets_[cell].in_flight;
  if (rpcs_[number].write) {
    ledger_.node().background.add(answer->tally);
    written(number);
  } else {
    arrived(number, *answer);
    admit(cell);  // a write that waits for room may have found the disk busy with this read
  }
  dispatch(cell);
  dispose(answer);
}

/// Pages have been read.
void ObjectClient::arrived(std::uint32_t number, const Transaction& answer) {
  const Rpc rpc = std::move(rpcs_[number]);
  rpcs_.release(number);
  if (rpc.ticket == none)
    ledger_.node().background.add(answer.tally);
  else
    pending_[rpc.ticket].tally.add(answer.tally);
  std::size_t next = 0;
  for (const Range& range : rpc.ranges) {
    for_each_block(range.offset, range.bytes, page(), [&](std::uint64_t index, const Extent&) {
      const BlockKey key{index, rpc.object.file, rpc.object.cell};
      const std::uint64_t version = answer.versions.empty() ? 0 : answer.versions[next++];
      rpc_of_page_.erase(key);
      if (cache_.find(key) == BlockCache::none) cache_.set_version(store(key), version);  // not written since
    });
  }
  for (const std::uint32_t piece : rpc.pieces) {
    --pieces_[piece].waits;
    if (pieces_[piece].write)
      write(piece);
    else if (pieces_[piece].waits == 0)
      finish(piece);
  }
  release(rpc.lock);
}

/// Pages are on disk.
void ObjectClient::written(std::uint32_t number) {
  const Rpc rpc = std::move(rpcs_[number]);
  rpcs_.release(number);
  targets_[rpc.object.cell].dirty -= rpc.pages * page();
  std::erase(all_[rpc.object].writes, number);
  for (const std::uint32_t lock : rpc.locks)
    if (--locks_[lock].writes == 0) give_back(lock);
  for (const std::uint32_t ticket : rpc.syncs) {
    pending_[ticket].done = kernel::max(pending_[ticket].done, now());
    settle(ticket);
  }
  admit(rpc.object.cell);
}

/// Writes that waited for room go on, in the order in which they began to wait.
void ObjectClient::admit(std::uint32_t cell) {
  Target& target = targets_[cell];
  while (!target.waiting.empty() && target.dirty + page() <= objects_.max_dirty) {
    const std::uint32_t piece = target.waiting.front();
    target.waiting.pop_front();
    write(piece);
  }
  if (!target.waiting.empty() && target.idle()) flush_target(cell);
}

void ObjectClient::flush_target(std::uint32_t cell) {
  for (auto& [key, object] : all_)
    if (key.cell == cell && !object.dirty.empty()) make_ready(key, {0, no_end}, false);
}

void ObjectClient::flush() {
  if (flush_is_early(cache_, objects_.flush_interval, now())) {
    set_timer();
    return;
  }
  for (auto& [key, object] : all_)
    if (!object.dirty.empty()) make_ready(key, {0, no_end}, false);
}

/// For the page that has been dirty for the longest time.
void ObjectClient::set_timer() {
  if (timer_set_ || cache_.dirty_blocks() == 0) return;
  timer_set_ = true;
  send(id(), time_to_flush(cache_, objects_.flush_interval, now()), make_timer());
}

}  // namespace mpisim::pfs
