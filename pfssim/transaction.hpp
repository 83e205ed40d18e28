#pragma once
// What the LPs of the file system and the ranks that use it send each other. One event goes the whole way:
//
//   rank --request--> cnode --part--> ionode --access--> disk --served--> ionode --answer--> cnode
//        --reply--> rank
//
// with a part for each cell that a read or write touches, and a single one, to the first I/O node and no
// further, for calls about files. A disk that chooses among requests tells itself with `finished` that it is
// free.
//
// A request may have a list of ranges instead of one (list I/O: Ching, Choudhary, Liao, Ross, Gropp,
// "Noncontiguous I/O through PVFS", CLUSTER 2002); its parts then have the lists of their cells, which the
// disks serve in that order. In a disk-directed access (Kotz, "Disk-directed I/O for MIMD multiprocessors",
// ACM TOCS 15(1), 1997) each of `members` clients sends a part to every cell, perhaps without ranges; a disk
// waits until all are there and serves what they ask for in the order of its addresses, each run of bytes
// once.
//
// With object servers (object_client.hpp, object_server.hpp) parts and answers are also about locks.
//
// With caches a request may be answered by the cnode, a part by the ionode; parts, answers and commands then
// are about blocks: caching_client.hpp, caching_io_node.hpp.
#include <cstdint>
#include <vector>

#include "pfssim/block_key.hpp"
#include "pfssim/layout.hpp"
#include "simkernel/event.hpp"

namespace mpisim::pfs {

/// Kinds below are those of messages between ranks.
enum class EventKind : std::uint16_t {
  request = 16,
  part,
  access,
  served,
  answer,
  reply,
  finished,
  command,  ///< from an I/O node to a compute node's cache, or from one cache to another
  work,     ///< an I/O node's processor is ready for a part; to itself
  timer,    ///< of a cache that writes back; to itself
  end
};

enum class Operation : std::uint8_t {
  read,
  write,
  open,     ///< the file of a name gets a number, which the reply brings
  remove,   ///< the name is forgotten
  rename,   ///< the name's file has another, whose name is `meeting`
  make,     ///< a name that is not opened: of a directory, a link
  look_up,  ///< any other call about a name
  inquire,  ///< any other call about a file: close, sizes
  sync,     ///< what has been written to the file is on disk afterwards

  // From a compute node's cache to a block's home:
  own,           ///< the only copy, to be changed without asking again
  write_back,    ///< changes of an owned block, which is owned no longer
  hand_back,     ///< a block that the cache has no room for
  retire,        ///< the cache does not have the block any more
  placed,        ///< it has the block now
  acknowledge,   ///< a command has been obeyed
  forward_miss,  ///< a block cannot be forwarded: it is not here

  // Commands to a compute node's cache:
  invalidate,  ///< forget the block
  update,      ///< change the block
  recall,      ///< write back changes of the block
  forward,     ///< send the block to `requester`
  place,       ///< keep the block
  pass_on,     ///< the block that was retired goes to `requester`

  // Of object servers:
  lock,    ///< the right to read or write bytes; the answer brings it, perhaps of more bytes
  unlock,  ///< a lock is given back
  revoke,  ///< command: a lock is wanted back
};

/// Whether `name` says what the call is about.
constexpr bool is_named(Operation operation) {
  return operation >= Operation::open && operation <= Operation::look_up;
}

constexpr bool moves_data(Operation operation) {
  return operation == Operation::read || operation == Operation::write;
}

/// What the disks did, and where blocks were found: each block that is read counts once.
template <class Count>
struct BasicTally {
  Count reads = 0;
  Count writes = 0;
  Count seeks = 0;
  Count cnode_hits = 0;   ///< in the cache of the rank's compute node, or on the way there
  Count remote_hits = 0;  ///< in the cache of another
  Count ionode_hits = 0;  ///< in the cache of the home, or on the way there
  Count misses = 0;       ///< on disk

  template <class OtherCount>
  void add(const BasicTally<OtherCount>& other) {
    static_assert(sizeof(OtherCount) <= sizeof(Count));
    reads += other.reads;
    writes += other.writes;
    seeks += other.seeks;
    cnode_hits += other.cnode_hits;
    remote_hits += other.remote_hits;
    ionode_hits += other.ionode_hits;
    misses += other.misses;
  }
};
using Tally = BasicTally<std::uint32_t>;     ///< of a request
using TallySum = BasicTally<std::uint64_t>;  ///< of many requests

/// Consecutive bytes of a file, or of a cell.
struct Range {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

/// Version of a block with changes that their home has not answered yet.
inline constexpr std::uint64_t newest_version = ~std::uint64_t{0};

struct TransactionData {
  Operation operation = Operation::read;
  std::uint32_t file = 0;  ///< its number
  std::uint64_t name = 0;  ///< open and remove: what tells the name from others (an open and its answer have
                           ///< more: pack_shape()); answer to lock: the object's size, as far as written
  std::uint64_t offset = 0;   ///< in the file; of parts: in the cell
  std::uint64_t bytes = 0;    ///< of all ranges; open: of the file, before anybody in the run has written to
                              ///< it, as whoever opens it first finds it, and as all are told
  std::uint32_t cell = 0;     ///< of parts
  kernel::LpId client = 0;    ///< of parts: the cnode that waits for the answer
  std::uint32_t ticket = 0;   ///< of parts: what it is an answer to
  std::uint32_t tag = 0;      ///< the asker's own, which the reply brings back
  std::uint64_t meeting = 0;  ///< disk-directed: with `turn`, what tells this access from others; of locks:
                              ///< the number of the lock
  std::uint32_t turn = 0;
  std::uint32_t members = 0;  ///< of a disk-directed access; 0: it is none
  Tally tally{};              ///< of what has been served

  // Of systems with caches:
  kernel::LpId requester = 0;  ///< of commands: the cnode that a block goes to
  std::uint32_t room = 0;      ///< of parts: free places of the client's cache
  std::uint64_t version = 0;   ///< of a block: when the write was ordered that made it so, in ps
  bool caches = false;         ///< of parts: the client has a cache
  bool keep = false;           ///< write_back, recall: the cache keeps the block; place: whatever has to go
  bool managed = false;        ///< place, forward: in the share of the cache that homes manage
  bool exclusive = false;      ///< lock: to write
  std::uint8_t chances = 0;    ///< of a block that is passed on: how often again
  std::uint32_t after = 0;     ///< forward: so many of the cnode's parts the home knew when it sent this
};

struct Transaction : kernel::Event, TransactionData {
  std::vector<Range> list;  ///< empty: the one range of `offset` and `bytes`, unless there are members
  /// Of parts: blocks of this home that the client does not have any more.
  std::vector<BlockKey> retired;
  /// Of parts to object servers and their answers, if versions are kept (for tests): of each page, in order.
  std::vector<std::uint64_t> versions;
  Transaction* next_spare = nullptr;
};

/// Calls visit(range) for each range of a transaction; of disk-directed ones there may be none.
template <class Visit>
void for_each_range(const Transaction& transaction, Visit&& visit) {
  if (transaction.list.empty()) {
    if (transaction.members == 0) visit(Range{transaction.offset, transaction.bytes});
    return;
  }
  for (const Range& range : transaction.list) visit(range);
}

/// The shape of a file, or what is asked for, in an open and its answer, which need no offsets.
template <class FileShape>
void pack_shape(TransactionData& open, const FileShape& shape) {
  open.offset = shape.unit;
  open.cell = shape.cells;
  open.turn = shape.first;
  open.version = 0;
  for (const std::uint16_t number : shape.own) open.version = open.version << 16 | number;
}

template <class FileShape>
FileShape unpack_shape(const TransactionData& open) {
  FileShape shape;
  shape.unit = open.offset;
  shape.cells = open.cell;
  shape.first = open.turn;
  std::uint64_t own = open.version;
  for (std::size_t i = shape.own.size(); i-- > 0; own >>= 16)
    shape.own[i] = static_cast<std::uint16_t>(own & 0xFFFF);
  return shape;
}

namespace detail {
/// Transactions that are free again, the last one first, because it is still in the caches; their lists keep
/// their room. Nothing goes back to the system before the end. One list per thread, so no locks.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local Transaction* spare_transactions;
}  // namespace detail

/// With empty lists.
inline Transaction* make_transaction(const TransactionData& data) {
  Transaction* transaction = detail::spare_transactions;
  if (transaction != nullptr) [[likely]]
    detail::spare_transactions = transaction->next_spare;
  else
    transaction = new Transaction;
  static_cast<TransactionData&>(*transaction) = data;
  return transaction;
}
Transaction* make_transaction(const TransactionData& data, std::vector<Range> list);

/// What an LP sends itself; `ticket` tells its timers from each other.
inline Transaction* make_timer(std::uint32_t ticket = 0) {
  Transaction* timer = make_transaction({.ticket = ticket});
  timer->kind = static_cast<std::uint16_t>(EventKind::timer);
  return timer;
}

/// Makes a rank's request the answer that it waits for.
inline void turn_into_reply(Transaction& request, const Tally& tally, std::uint64_t version) {
  request.kind = static_cast<std::uint16_t>(EventKind::reply);
  request.list.clear();
  request.tally = tally;
  request.version = version;
}

/// Null: nothing to do.
inline void dispose(Transaction* transaction) {
  if (transaction == nullptr) return;
  // Lists of requests of very many pieces are rare and large.
  constexpr std::size_t kept = 64;
  transaction->list.clear();
  transaction->retired.clear();
  transaction->versions.clear();
  if (transaction->list.capacity() > kept) transaction->list = {};
  if (transaction->retired.capacity() > kept) transaction->retired = {};
  transaction->next_spare = detail::spare_transactions;
  detail::spare_transactions = transaction;
}

/// How transactions travel between host processes.
class TransactionCodec final : public kernel::EventCodec {
 public:
  void encode(const kernel::Event& event, kernel::PacketWriter& out) const override;
  kernel::Event* decode(kernel::PacketReader& in) const override;
  void dispose(kernel::Event* event) const override;
};

}  // namespace mpisim::pfs
