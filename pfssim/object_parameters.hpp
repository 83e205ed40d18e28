#pragma once
// File systems of object servers with extent locks, and their metadata servers, as plain values.
#include <cstdint>

#include "pfssim/extent_locks.hpp"
#include "simkernel/sim_time.hpp"

namespace mpisim::pfs {

/// `io.service: objects`: object_client.hpp, object_server.hpp. The defaults are those of a machine file (a
/// test compares them with the schema).
struct ObjectParameters {
  bool on = false;                                    ///< else I/O nodes serve requests as they come
  std::uint64_t page = std::uint64_t{4} << 10;        ///< bytes; unit of caching and of locks, < 2^32
  std::uint64_t rpc_size = std::uint64_t{1} << 20;    ///< most bytes that a message moves; >= page
  std::uint32_t rpcs_in_flight = 8;                   ///< of a client at one disk
  std::uint64_t max_dirty = std::uint64_t{32} << 20;  ///< bytes of a client for one disk; >= page
  std::uint64_t cache = std::uint64_t{256} << 20;     ///< bytes of a client; >= rpc_size
  std::uint64_t read_ahead = 0;                       ///< bytes of the object
  std::uint32_t threads = 16;                         ///< of a server, for requests that move data
  /// Of a server's thread for a request about a lock; as many threads as for data.
  kernel::SimTime lock_cost = kernel::SimTime::picoseconds(10'000'000);
  /// All that is dirty leaves so long after the first page became so (> 0).
  kernel::SimTime flush_interval = kernel::SimTime::picoseconds(5'000'000'000'000);
  bool flush_on_close = false;  ///< the close of a file waits until what its node has written is on disk
  GrowthRules growth;
};

/// metadata_server.hpp.
struct MetadataParameters {
  std::uint32_t servers = 0;  ///< on nodes of their own, after the I/O nodes; 0: the first I/O node
  std::uint32_t threads = 1;  ///< of each
  /// Beside Parameters::open_cost of a name that is opened for the first time, and beside
  /// Parameters::metadata_cost of a file that is deleted.
  kernel::SimTime create_cost;
  kernel::SimTime remove_cost;
};

}  // namespace mpisim::pfs
