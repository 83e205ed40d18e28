// Parts of multidimensional arrays: subarray and darray types (MPI-3.1 sections 4.1.3, 4.1.4).
#include <algorithm>
#include <numeric>

#include "mpisim/include/mpi.h"
#include "mpisim/type_layouts.hpp"

namespace mpisim::mpi {
namespace {

/// Dimensions from the one whose index varies fastest.
std::vector<std::size_t> fastest_first(std::size_t dimensions, int order) {
  std::vector<std::size_t> result(dimensions);
  std::iota(result.begin(), result.end(), 0);
  if (order == MPI_ORDER_C) std::reverse(result.begin(), result.end());
  return result;
}

/// What one process owns of a dimension: `full` blocks of `block` indices, `distance` indices apart, then one
/// of `rest` indices; the first index is `start`.
struct Share {
  std::int64_t start, block, full, distance, rest;
};

Share share_of(std::int64_t size, int distribution, std::int64_t darg, std::int64_t processes,
               std::int64_t coordinate) {
  if (distribution == MPI_DISTRIBUTE_NONE) return {0, size, 1, size, 0};
  if (distribution == MPI_DISTRIBUTE_BLOCK) {
    const std::int64_t block = darg == MPI_DISTRIBUTE_DFLT_DARG ? (size + processes - 1) / processes : darg;
    const std::int64_t start = coordinate * block;
    return {start, std::clamp<std::int64_t>(size - start, 0, block), 1, size, 0};
  }
  const std::int64_t block = darg == MPI_DISTRIBUTE_DFLT_DARG ? 1 : darg;
  const std::int64_t start = coordinate * block;
  const std::int64_t distance = processes * block;
  const std::int64_t from_start = std::max<std::int64_t>(0, size - start);
  return {start, block, (from_start + distance - block) / distance, distance,
          std::min(from_start % distance, block) % block};
}

TypePointer share_type(const Share& share, std::int64_t index_bytes, const Datatype& inner) {
  // A block of indices first; for the innermost dimension it is a contiguous run of elements.
  const auto block_of = [&](std::int64_t length) {
    return make_vector(static_cast<std::uint64_t>(length), 1, index_bytes, inner);
  };
  TypePointer full = make_vector(static_cast<std::uint64_t>(share.full), 1, share.distance * index_bytes,
                                 *block_of(share.block));
  if (share.rest == 0) return full;
  const TypePointer rest = block_of(share.rest);
  const int lengths[] = {1, 1};
  const std::int64_t displacements[] = {0, share.full * share.distance * index_bytes};
  const Datatype* const types[] = {full.get(), rest.get()};
  return make_struct(lengths, displacements, types);
}

}  // namespace

TypePointer make_subarray(std::span<const int> sizes, std::span<const int> subsizes,
                          std::span<const int> starts, int order, const Datatype& old) {
  TypePointer type = TypePointer::share(old);
  std::int64_t index_bytes = old.extent();
  std::int64_t shift = 0;
  for (const std::size_t d : fastest_first(sizes.size(), order)) {
    type = make_vector(static_cast<std::uint64_t>(subsizes[d]), 1, index_bytes, *type);
    shift += starts[d] * index_bytes;
    index_bytes *= sizes[d];
  }
  return make_displaced(*type, shift, index_bytes);
}

TypePointer make_darray(int rank, std::span<const int> global_sizes, std::span<const int> distributions,
                        std::span<const int> dargs, std::span<const int> process_sizes, int order,
                        const Datatype& old) {
  const std::size_t dimensions = global_sizes.size();
  std::vector<int> coordinates(dimensions);  // row-major, whatever the order of the array
  for (std::size_t d = dimensions; d-- > 0;) {
    coordinates[d] = rank % process_sizes[d];
    rank /= process_sizes[d];
  }
  TypePointer type = TypePointer::share(old);
  std::int64_t index_bytes = old.extent();
  std::int64_t shift = 0;
  for (const std::size_t d : fastest_first(dimensions, order)) {
    const Share share =
        share_of(global_sizes[d], distributions[d], dargs[d], process_sizes[d], coordinates[d]);
    type = share_type(share, index_bytes, *type);
    shift += share.start * index_bytes;
    index_bytes *= global_sizes[d];
  }
  return make_displaced(*type, shift, index_bytes);
}

}  // namespace mpisim::mpi
