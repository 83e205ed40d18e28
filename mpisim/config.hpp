#pragma once
// What MPI-SIM needs to know of the target machine: plain values that machine/ fills from the YAML file.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "simkernel/quantities.hpp"
#include "simkernel/sim_time.hpp"

namespace mpisim::mpi {

enum class Progress : std::uint8_t {
  asynchronous,  ///< rendezvous requests are answered while the rank computes
  in_calls,      ///< only while the rank is inside an MPI call
};

/// One line of a collective's selection table: the first rule that fits both limits is used.
struct CollectiveRule {
  std::uint64_t up_to_bytes =
      std::numeric_limits<std::uint64_t>::max();  ///< of one rank's contribution, inclusive
  std::uint64_t up_to_ranks = std::numeric_limits<std::uint64_t>::max();  ///< communicator size, inclusive
  std::string algorithm;
};

/// Selection table of one collective operation; empty = the built-in default of collectives/selection.hpp.
struct CollectiveSelection {
  std::string operation;  ///< "bcast", "allreduce", ... (lower case MPI name without MPI_)
  std::vector<CollectiveRule> rules;
};

struct Config {
  kernel::SimTime send_overhead;     ///< processor time of the sender per message
  kernel::SimTime receive_overhead;  ///< processor time of the receiver per message
  kernel::ByteTime send_copy;        ///< processor time per byte of an eager send (copy into the library)
  kernel::ByteTime receive_copy;  ///< processor time per byte of an eager receive (copy out of the library)
  /// Processor time per byte of the result when two operands of a reduction are combined (mpi.reduce_cost):
  /// the gamma of Thakur, Rabenseifner, Gropp (2005). The default is a core that reads and writes memory at
  /// about 30 GB/s and moves three bytes per byte of result.
  kernel::ByteTime reduce_cost = kernel::ByteTime::femtoseconds(100'000);
  kernel::SimTime call_overhead =
      kernel::SimTime::picoseconds(1000);  ///< of every MPI call and clock read; >= 1 ns
  kernel::SimTime poll_interval =
      kernel::SimTime::picoseconds(1'000'000);  ///< most of a fruitless poll; least where the rank waits
  kernel::Bytes eager_limit{65536};             ///< larger messages use the rendezvous protocol
  kernel::Bytes control_size{0};  ///< payload charged for rendezvous requests, answers and acknowledgements
  Progress progress = Progress::asynchronous;
  std::vector<CollectiveSelection> collectives;
};

/// Prices for `--compute counted`, in picoseconds per operation; index: mpisim_cost_class of
/// runtime/target_abi.h.
struct CostTable {
  std::vector<double> picoseconds;  ///< one entry per class, each >= 0
};

}  // namespace mpisim::mpi
