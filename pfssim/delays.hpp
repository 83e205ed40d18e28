#pragma once
// Sizes of the file system's messages, and times between its LPs.
#include "pfssim/parameters.hpp"
#include "pfssim/transaction.hpp"

namespace mpisim::pfs {

/// Header, an offset and a length for each range of a list, and the data of a write.
inline kernel::Bytes request_size(const Parameters& parameters, const Transaction& part) {
  return parameters.header + kernel::Bytes(part.list.size() * sizeof(Range)) +
         kernel::Bytes(part.operation == Operation::write ? part.bytes : 0);
}

inline kernel::Bytes answer_size(const Parameters& parameters, const TransactionData& part) {
  return parameters.header + kernel::Bytes(part.operation == Operation::read ? part.bytes : 0);
}

/// Of messages about blocks: header, offset and length of each range of a list, a name for each block that is
/// told of besides, and data.
inline kernel::Bytes message_size(const Parameters& parameters, const Transaction& message, bool with_data) {
  return parameters.header + kernel::Bytes(message.list.size() * sizeof(Range)) +
         kernel::Bytes(message.retired.size() * sizeof(BlockKey)) +
         kernel::Bytes(with_data ? message.bytes : 0);
}

/// Of parts of a system with caches.
inline kernel::Bytes part_size(const Parameters& parameters, const Transaction& part) {
  const bool data = part.operation == Operation::write || part.operation == Operation::write_back ||
                    part.operation == Operation::hand_back;
  return message_size(parameters, part, data);
}

/// Of answers of a system with caches: those that bring blocks, or the right to change them, name them.
inline kernel::Bytes block_answer_size(const Parameters& parameters, const Transaction& answer) {
  const bool data = answer.operation == Operation::read;
  if (data || answer.operation == Operation::own) return message_size(parameters, answer, data);
  return parameters.header;
}

/// Every event between two LPs takes at least 1 ps.
inline kernel::SimTime until(kernel::SimTime time, kernel::SimTime now) {
  return kernel::max(time - now, kernel::SimTime::picoseconds(1));
}

/// From a rank's call to the cnode.
inline kernel::SimTime client_delay(const Parameters& parameters) {
  return until(parameters.client_overhead, kernel::SimTime::zero());
}

}  // namespace mpisim::pfs
