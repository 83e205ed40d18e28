#pragma once
// Which collective operations there are, the names of their algorithms, and which algorithm a call uses.
// Depends on the standard library alone, so that machine files can be checked against it.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mpisim::mpi {

/// Operations with a selection table, in the order of collective_operations(). Values also serve as the
/// operation codes of core::enter_collective.
enum class CollectiveOperation : std::uint8_t {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
};
inline constexpr std::size_t collective_operation_count = 17;

/// What an algorithm cannot do without. A call that lacks it uses the algorithm's fallback.
enum class AlgorithmNeeds : std::uint8_t {
  nothing,
  power_of_two,       ///< communicator size is a power of two
  even_size,          ///< communicator size is even
  commutative,        ///< the reduction operation commutes
  commutative_count,  ///< it commutes and there are at least as many elements as the largest power of two
                      ///< that is not above the communicator size
  separate_buffers,   ///< not with MPI_IN_PLACE
};

struct AlgorithmInfo {
  std::string_view name;
  AlgorithmNeeds needs = AlgorithmNeeds::nothing;
  std::string_view fallback = {};  ///< used where `needs` is not met; empty for AlgorithmNeeds::nothing
  std::string_view summary = {};   ///< one phrase
};

struct CollectiveInfo {
  std::string_view operation;  ///< key in the machine file: "bcast", "reduce_scatter_block", ...
  const char* call;            ///< "MPI_Bcast"
  std::span<const AlgorithmInfo> algorithms;
};

/// All operations, indexed by CollectiveOperation. Static storage.
std::span<const CollectiveInfo> collective_operations();

const CollectiveInfo& collective_info(CollectiveOperation operation);

/// Empty if `operation` exists and has `algorithm`; else what is wrong, with the list of known names.
std::string check_collective(std::string_view operation, std::string_view algorithm);

/// What a choice depends on; must be equal on all members of the communicator.
struct CollectiveCase {
  int ranks = 1;  ///< size of the communicator (of the local group for inter-communicators)
  /// Of one rank's contribution: Bcast, Reduce, Allreduce, Scan: the buffer; Gather, Scatter, Allgather,
  /// Alltoall, Reduce_scatter_block: the block of one rank; Allgatherv, Reduce_scatter: the mean block.
  /// 0 where members do not know it: Barrier, Gatherv, Scatterv, Alltoallv, Alltoallw.
  std::uint64_t bytes = 0;
  std::uint64_t elements = 0;  ///< reductions: elements that are split among the ranks
  bool commutative = true;     ///< reductions
  bool in_place = false;       ///< Alltoall family
};

/// Index in collective_info(operation).algorithms of the built-in choice (thresholds of MPICH 4, see
/// docs/collectives.md). Its needs are met.
std::size_t default_algorithm(CollectiveOperation operation, const CollectiveCase& situation);

/// Index of the algorithm `name`, or of the fallback that fits the case. Throws std::invalid_argument with
/// the text of check_collective for an unknown name.
std::size_t fitting_algorithm(CollectiveOperation operation, std::string_view name,
                              const CollectiveCase& situation);

}  // namespace mpisim::mpi
