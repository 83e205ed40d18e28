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

/// Every event between two LPs takes at least 1 ps.
inline kernel::SimTime until(kernel::SimTime time, kernel::SimTime now) {
  return kernel::max(time - now, kernel::SimTime::picoseconds(1));
}

/// From a rank's call to the cnode.
inline kernel::SimTime client_delay(const Parameters& parameters) {
  return until(parameters.client_overhead, kernel::SimTime::zero());
}

}  // namespace mpisim::pfs
