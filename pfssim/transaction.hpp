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
#include <cstdint>
#include <vector>

#include "simkernel/event.hpp"

namespace mpisim::pfs {

/// Kinds below are those of messages between ranks.
enum class EventKind : std::uint16_t { request = 16, part, access, served, answer, reply, finished, end };

enum class Operation : std::uint8_t {
  read,
  write,
  open,     ///< the file of a name gets a number, which the reply brings
  remove,   ///< the name is forgotten
  inquire,  ///< any other call about a file: close, sizes
};

constexpr bool moves_data(Operation operation) {
  return operation == Operation::read || operation == Operation::write;
}

/// What the disks did for a request.
struct Tally {
  std::uint32_t reads = 0;
  std::uint32_t writes = 0;
  std::uint32_t seeks = 0;

  void add(const Tally& other) {
    reads += other.reads;
    writes += other.writes;
    seeks += other.seeks;
  }
};

/// Consecutive bytes of a file, or of a cell.
struct Range {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
};

struct TransactionData {
  Operation operation = Operation::read;
  std::uint32_t file = 0;     ///< its number
  std::uint64_t name = 0;     ///< open and remove: what tells the name from others
  std::uint64_t offset = 0;   ///< in the file; of parts: in the cell
  std::uint64_t bytes = 0;    ///< of all ranges
  std::uint32_t cell = 0;     ///< of parts
  kernel::LpId client = 0;    ///< of parts: the cnode that waits for the answer
  std::uint32_t ticket = 0;   ///< of parts: what it is an answer to
  std::uint32_t tag = 0;      ///< the asker's own, which the reply brings back
  std::uint64_t meeting = 0;  ///< disk-directed: with `turn`, what tells this access from others
  std::uint32_t turn = 0;
  std::uint32_t members = 0;  ///< of a disk-directed access; 0: it is none
  Tally tally{};              ///< of what has been served
};

struct Transaction : kernel::Event, TransactionData {
  std::vector<Range> list;  ///< empty: the one range of `offset` and `bytes`, unless there are members
};

Transaction* make_transaction(const TransactionData& data, std::vector<Range> list = {});
void dispose(Transaction* transaction);

/// How transactions travel between host processes.
class TransactionCodec final : public kernel::EventCodec {
 public:
  void encode(const kernel::Event& event, kernel::PacketWriter& out) const override;
  kernel::Event* decode(kernel::PacketReader& in) const override;
  void dispose(kernel::Event* event) const override;
};

}  // namespace mpisim::pfs
