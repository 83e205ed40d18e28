#pragma once
// What the LPs of the file system and the ranks that use it send each other. One event goes the whole way:
//
//   rank --request--> cnode --part--> ionode --access--> disk --served--> ionode --answer--> cnode
//        --reply--> rank
//
// with a part for each cell that a read or write touches, and a single one, to the first I/O node and no
// further, for calls about files.
#include <cstdint>

#include "simkernel/event.hpp"

namespace mpisim::pfs {

/// Kinds below are those of messages between ranks.
enum class EventKind : std::uint16_t { request = 16, part, access, served, answer, reply, end };

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

struct TransactionData {
  Operation operation = Operation::read;
  std::uint32_t file = 0;    ///< its number
  std::uint64_t name = 0;    ///< open and remove: what tells the name from others
  std::uint64_t offset = 0;  ///< in the file; of parts: in the cell
  std::uint64_t bytes = 0;
  std::uint32_t cell = 0;    ///< of parts
  kernel::LpId client = 0;   ///< of parts: the cnode that waits for the answer
  std::uint32_t ticket = 0;  ///< of parts: what it is an answer to
  std::uint32_t tag = 0;     ///< the asker's own, which the reply brings back
  Tally tally{};             ///< of what has been served
};

struct Transaction : kernel::Event, TransactionData {};

Transaction* make_transaction(const TransactionData& data);
void dispose(Transaction* transaction);

/// How transactions travel between host processes.
class TransactionCodec final : public kernel::EventCodec {
 public:
  void encode(const kernel::Event& event, kernel::PacketWriter& out) const override;
  kernel::Event* decode(kernel::PacketReader& in) const override;
  void dispose(kernel::Event* event) const override;
};

}  // namespace mpisim::pfs
