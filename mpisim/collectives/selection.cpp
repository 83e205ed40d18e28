#include "mpisim/collectives/selection.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>

namespace mpisim::mpi {
namespace {

using enum AlgorithmNeeds;

constexpr AlgorithmInfo barrier_algorithms[] = {
    {"dissemination", nothing, {}, "every rank signals rank + 2^k in round k"},
    {"recursive-doubling", nothing, {}, "exchange with rank xor 2^k; ranks beyond a power of two fold in"},
    {"tree", nothing, {}, "binomial gather to rank 0 and binomial release"},
    {"linear", nothing, {}, "all signal rank 0, rank 0 signals all"},
};
constexpr AlgorithmInfo bcast_algorithms[] = {
    {"binomial", nothing, {}, "binomial tree"},
    {"linear", nothing, {}, "the root sends to each rank"},
    {"scatter-allgather", nothing, {}, "van de Geijn: binomial scatter, ring all-gather"},
    {"scatter-recursive-doubling", power_of_two, "scatter-allgather",
     "binomial scatter, recursive-doubling all-gather"},
    {"chain", nothing, {}, "pipeline through all ranks in segments"},
    {"binary", nothing, {}, "complete binary tree in segments"},
};
constexpr AlgorithmInfo gather_algorithms[] = {
    {"binomial", nothing, {}, "binomial tree, inner ranks forward packed blocks"},
    {"linear", nothing, {}, "each rank sends to the root"},
};
constexpr AlgorithmInfo gatherv_algorithms[] = {
    {"linear", nothing, {}, "each rank sends to the root"},
    {"binomial", nothing, {}, "binomial tree; amounts travel ahead of the data"},
};
constexpr AlgorithmInfo scatter_algorithms[] = {
    {"binomial", nothing, {}, "binomial tree, inner ranks forward packed blocks"},
    {"linear", nothing, {}, "the root sends to each rank"},
};
constexpr AlgorithmInfo scatterv_algorithms[] = {
    {"linear", nothing, {}, "the root sends to each rank"},
    {"binomial", nothing, {}, "binomial tree; amounts travel ahead of the data"},
};
constexpr AlgorithmInfo allgather_algorithms[] = {
    {"ring", nothing, {}, "blocks travel around a ring"},
    {"recursive-doubling", power_of_two, "bruck", "exchange of all that is known with rank xor 2^k"},
    {"bruck", nothing, {}, "doubling with rank distances 2^k, final rotation"},
    {"neighbor-exchange", even_size, "ring", "pairs of blocks travel between alternating neighbours"},
};
constexpr AlgorithmInfo allgatherv_algorithms[] = {
    {"ring", nothing, {}, "blocks travel around a ring"},
    {"bruck", nothing, {}, "doubling with rank distances 2^k, final rotation"},
    {"gather-bcast", nothing, {}, "Gatherv to rank 0, then Bcast"},
};
constexpr AlgorithmInfo alltoall_algorithms[] = {
    {"pairwise", nothing, {}, "one partner per step"},
    {"linear", separate_buffers, "pairwise", "all receives and sends posted, 32 at a time"},
    {"bruck", nothing, {}, "log2 steps that move half of all blocks each"},
};
constexpr AlgorithmInfo alltoallv_algorithms[] = {
    {"linear", separate_buffers, "pairwise", "all receives and sends posted, 32 at a time"},
    {"pairwise", nothing, {}, "one partner per step"},
};
constexpr AlgorithmInfo reduce_algorithms[] = {
    {"binomial", nothing, {}, "binomial tree"},
    {"linear", nothing, {}, "each rank sends to the root, which combines in rank order"},
    {"rabenseifner", commutative_count, "binomial", "recursive-halving reduce-scatter, binomial gather"},
};
constexpr AlgorithmInfo allreduce_algorithms[] = {
    {"recursive-doubling", nothing, {}, "exchange of whole vectors with rank xor 2^k"},
    {"rabenseifner", commutative_count, "recursive-doubling",
     "recursive-halving reduce-scatter, recursive-doubling all-gather"},
    {"ring", commutative, "reduce-bcast", "ring reduce-scatter, ring all-gather"},
    {"reduce-bcast", nothing, {}, "Reduce to rank 0, then Bcast"},
};
constexpr AlgorithmInfo reduce_scatter_algorithms[] = {
    {"pairwise", commutative, "reduce-scatterv", "one partner per step"},
    {"recursive-halving", commutative, "reduce-scatterv", "half of what remains goes to the partner"},
    {"reduce-scatterv", nothing, {}, "Reduce to rank 0, then Scatterv"},
};
constexpr AlgorithmInfo scan_algorithms[] = {
    {"recursive-doubling", nothing, {}, "partial results exchanged with rank xor 2^k"},
    {"linear", nothing, {}, "chain through the ranks"},
};

constexpr std::array<CollectiveInfo, collective_operation_count> operations = {{
    {"barrier", "MPI_Barrier", barrier_algorithms},
    {"bcast", "MPI_Bcast", bcast_algorithms},
    {"gather", "MPI_Gather", gather_algorithms},
    {"gatherv", "MPI_Gatherv", gatherv_algorithms},
    {"scatter", "MPI_Scatter", scatter_algorithms},
    {"scatterv", "MPI_Scatterv", scatterv_algorithms},
    {"allgather", "MPI_Allgather", allgather_algorithms},
    {"allgatherv", "MPI_Allgatherv", allgatherv_algorithms},
    {"alltoall", "MPI_Alltoall", alltoall_algorithms},
    {"alltoallv", "MPI_Alltoallv", alltoallv_algorithms},
    {"alltoallw", "MPI_Alltoallw", alltoallv_algorithms},
    {"reduce", "MPI_Reduce", reduce_algorithms},
    {"allreduce", "MPI_Allreduce", allreduce_algorithms},
    {"reduce_scatter", "MPI_Reduce_scatter", reduce_scatter_algorithms},
    {"reduce_scatter_block", "MPI_Reduce_scatter_block", reduce_scatter_algorithms},
    {"scan", "MPI_Scan", scan_algorithms},
    {"exscan", "MPI_Exscan", scan_algorithms},
}};

template <typename Range, typename Name>
std::string listed(const Range& range, Name name) {
  std::string text;
  for (const auto& item : range) {
    if (!text.empty()) text += ", ";
    text += name(item);
  }
  return text;
}

bool needs_met(AlgorithmNeeds needs, const CollectiveCase& situation) {
  const auto ranks = static_cast<unsigned>(situation.ranks);
  switch (needs) {
    case nothing:
      return true;
    case power_of_two:
      return std::has_single_bit(ranks);
    case even_size:
      return ranks % 2 == 0;
    case commutative:
      return situation.commutative;
    case commutative_count:
      return situation.commutative && situation.elements >= std::bit_floor(ranks);
    case separate_buffers:
      return !situation.in_place;
  }
  return false;
}

/// The built-in choice by size alone; needs may still send it to a fallback.
std::string_view default_name(CollectiveOperation operation, const CollectiveCase& situation) {
  using enum CollectiveOperation;
  const std::uint64_t bytes = situation.bytes;
  const auto ranks = static_cast<std::uint64_t>(situation.ranks);
  const bool two_power = std::has_single_bit(ranks);
  const std::uint64_t total = bytes > ~std::uint64_t{0} / ranks ? ~std::uint64_t{0} : bytes * ranks;
  switch (operation) {
    case barrier:
      return "dissemination";
    case bcast:
      if (bytes < 12288 || ranks < 8) return "binomial";
      return bytes < 524288 && two_power ? "scatter-recursive-doubling" : "scatter-allgather";
    case gather:
    case scatter:
      return "binomial";
    case gatherv:
    case scatterv:
    case alltoallv:
    case alltoallw:
      return "linear";
    case allgather:
      if (total < 524288 && two_power) return "recursive-doubling";
      return total < 81920 ? "bruck" : "ring";
    case allgatherv:
      return total < 81920 ? "bruck" : "ring";
    case alltoall:
      if (bytes <= 256 && ranks >= 8) return "bruck";
      return bytes <= 32768 ? "linear" : "pairwise";
    case reduce:
      return bytes > 2048 ? "rabenseifner" : "binomial";
    case allreduce:
      return bytes > 2048 ? "rabenseifner" : "recursive-doubling";
    case reduce_scatter:
    case reduce_scatter_block:
      return total < 524288 ? "recursive-halving" : "pairwise";
    case scan:
    case exscan:
      return "recursive-doubling";
  }
  return {};
}

}  // namespace

std::span<const CollectiveInfo> collective_operations() {
  return operations;
}

const CollectiveInfo& collective_info(CollectiveOperation operation) {
  return operations[static_cast<std::size_t>(operation)];
}

std::string check_collective(std::string_view operation, std::string_view algorithm) {
  const auto info = std::ranges::find(operations, operation, &CollectiveInfo::operation);
  if (info == operations.end())
    return "unknown collective operation \"" + std::string(operation) +
           "\"; known: " + listed(operations, [](const CollectiveInfo& known) { return known.operation; });
  if (std::ranges::find(info->algorithms, algorithm, &AlgorithmInfo::name) == info->algorithms.end())
    return "unknown algorithm \"" + std::string(algorithm) + "\" for " + std::string(operation) +
           "; known: " + listed(info->algorithms, [](const AlgorithmInfo& known) { return known.name; });
  return {};
}

std::size_t fitting_algorithm(CollectiveOperation operation, std::string_view name,
                              const CollectiveCase& situation) {
  const CollectiveInfo& info = collective_info(operation);
  // A fallback never needs more than the algorithm it stands in for did not have, so the chain is short.
  for (;;) {
    const auto found = std::ranges::find(info.algorithms, name, &AlgorithmInfo::name);
    if (found == info.algorithms.end()) throw std::invalid_argument(check_collective(info.operation, name));
    if (needs_met(found->needs, situation)) return static_cast<std::size_t>(found - info.algorithms.begin());
    name = found->fallback;
  }
}

std::size_t default_algorithm(CollectiveOperation operation, const CollectiveCase& situation) {
  return fitting_algorithm(operation, default_name(operation, situation), situation);
}

}  // namespace mpisim::mpi
