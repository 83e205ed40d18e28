// The extent locks of a client.
#include <algorithm>

#include "pfssim/delays.hpp"
#include "pfssim/object_client.hpp"

namespace mpisim::pfs {

namespace {
/// Whole pages; locks reach no less.
Interval rounded(std::uint64_t begin, std::uint64_t end, std::uint64_t page) {
  return {begin / page * page, (end + page - 1) / page * page};
}
}  // namespace

Interval ObjectClient::pages_of(const Piece& piece) const {
  std::uint64_t begin = no_end;
  std::uint64_t end = 0;
  for (const Range& range : piece.ranges) {
    begin = std::min(begin, range.offset);
    end = std::max(end, range.offset + range.bytes);
  }
  return rounded(begin, end, page());
}

/// The piece goes on as soon as there is a lock for it.
void ObjectClient::want_lock(std::uint32_t number) {
  const Piece& piece = pieces_[number];
  const Interval extent = pages_of(piece);
  Object& object = all_[piece.object];
  for (const std::uint32_t held : object.locks) {
    const Lock& lock = locks_[held];
    if (lock.called || !lock.extent.covers(extent) || (piece.write && !lock.write)) continue;
    ++ledger_.node().objects.lock_matches;
    use(number, held);
    return;
  }
  for (const std::uint32_t asked : object.wishes) {
    Wish& wish = wishes_[asked];
    if (!wish.extent.covers(extent) || (piece.write && !wish.write)) continue;
    ++ledger_.node().objects.lock_matches;
    wish.pieces.push_back(number);
    return;
  }
  const std::uint32_t ticket = wishes_.take();
  wishes_[ticket] = {extent, piece.write, {number}};
  object.wishes.push_back(ticket);
  ++ledger_.node().objects.lock_requests;
  TransactionData part{.operation = Operation::lock, .file = piece.object.file};
  part.offset = extent.begin;
  part.bytes = extent.end - extent.begin;
  part.cell = piece.object.cell;
  part.client = id();
  part.ticket = ticket;
  part.exclusive = piece.write;
  send_part(part, system_.io_node_of_cell(part.cell), now());
}

void ObjectClient::granted(const Transaction& answer) {
  const ObjectKey key{answer.file, answer.cell};
  Object& object = all_[key];
  object.size = std::max(object.size, answer.name);
  ++ledger_.node().objects.locks_granted;
  const std::uint32_t lock = locks_.take();
  locks_[lock] = {};
  locks_[lock].number = answer.meeting;
  locks_[lock].object = key;
  locks_[lock].extent = {answer.offset, answer.offset + answer.bytes};
  locks_[lock].write = answer.exclusive;
  object.locks.push_back(lock);
  std::erase(object.wishes, answer.ticket);
  const std::vector<std::uint32_t> pieces = std::move(wishes_[answer.ticket].pieces);
  wishes_.release(answer.ticket);
  ++locks_[lock].users;  // it stays until all have begun
  for (const std::uint32_t piece : pieces) use(piece, lock);
  release(lock);
}

void ObjectClient::use(std::uint32_t number, std::uint32_t lock) {
  ++locks_[lock].users;
  pieces_[number].lock = lock;
  if (pieces_[number].write)
    write(number);
  else
    read(number);
}

void ObjectClient::release(std::uint32_t lock) {
  if (--locks_[lock].users == 0 && locks_[lock].called) write_out(lock);
}

void ObjectClient::called(const Transaction& command) {
  ++ledger_.node().objects.revocations;
  for (const std::uint32_t held : all_[{command.file, command.cell}].locks) {
    Lock& lock = locks_[held];
    if (lock.number != command.meeting) continue;
    lock.called = true;
    if (lock.users == 0) write_out(held);
    return;
  }
}

/// What is dirty in the extent goes to the disk before anything else, behind what is on its way already.
void ObjectClient::write_out(std::uint32_t number) {
  Lock& lock = locks_[number];
  const Interval pages{lock.extent.begin / page(),
                       lock.extent.end == no_end ? no_end : lock.extent.end / page()};
  Object& object = all_[lock.object];
  for (const std::uint32_t write : object.writes) rpcs_[write].urgent = true;
  make_ready(lock.object, pages, true);
  for (const std::uint32_t write : object.writes) {
    const std::vector<Range>& ranges = rpcs_[write].ranges;
    const bool inside = std::any_of(ranges.begin(), ranges.end(), [&lock](const Range& range) {
      return lock.extent.overlaps({range.offset, range.offset + range.bytes});
    });
    if (!inside) continue;
    rpcs_[write].locks.push_back(number);
    ++lock.writes;
  }
  dispatch(lock.object.cell);
  if (lock.writes == 0) give_back(number);
}

void ObjectClient::give_back(std::uint32_t number) {
  const Lock lock = locks_[number];
  locks_[number] = {};
  locks_.release(number);
  Object& object = all_[lock.object];
  std::erase(object.locks, number);
  for (auto at = object.pages.lower_bound(lock.extent.begin / page());
       at != object.pages.end() && *at * page() < lock.extent.end;) {
    const Interval bytes{*at * page(), (*at + 1) * page()};
    const bool covered = std::any_of(object.locks.begin(), object.locks.end(),
                                     [&](std::uint32_t other) { return locks_[other].extent.covers(bytes); });
    if (covered) {
      ++at;
      continue;
    }
    cache_.erase(cache_.find({*at, lock.object.file, lock.object.cell}));
    ++ledger_.node().invalidated;
    at = object.pages.erase(at);
  }
  TransactionData part{.operation = Operation::unlock, .file = lock.object.file};
  part.cell = lock.object.cell;
  part.client = id();
  part.meeting = lock.number;
  send_part(part, system_.io_node_of_cell(part.cell), now());
}

}  // namespace mpisim::pfs
