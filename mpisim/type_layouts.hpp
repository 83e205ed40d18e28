#pragma once
// Constructors of derived datatypes, below the level of handles. Arguments have been checked by the caller;
// displacements and strides are bytes. All results are uncommitted and undescribed.
#include <cstdint>
#include <span>
#include <vector>

#include "mpisim/datatype.hpp"

namespace mpisim::mpi {

TypePointer make_contiguous(std::uint64_t count, const Datatype& old);
/// `count` blocks of `block_length` elements, `stride` bytes apart.
TypePointer make_vector(std::uint64_t count, std::uint64_t block_length, std::int64_t stride,
                        const Datatype& old);
/// One block per displacement, in the given order; block_lengths may be longer than needed.
TypePointer make_indexed(std::span<const int> block_lengths, std::vector<std::int64_t> displacements,
                         const Datatype& old);
/// Blocks of equal length.
TypePointer make_indexed_block(std::uint64_t block_length, std::vector<std::int64_t> displacements,
                               const Datatype& old);
TypePointer make_struct(std::span<const int> block_lengths, std::span<const std::int64_t> displacements,
                        std::span<const Datatype* const> types);
TypePointer make_dup(const Datatype& old);
TypePointer make_resized(const Datatype& old, std::int64_t lower_bound, std::int64_t extent);
/// `old` displaced by `shift`, with lower bound 0 and the given extent.
TypePointer make_displaced(const Datatype& old, std::int64_t shift, std::int64_t extent);

/// order: MPI_ORDER_C or MPI_ORDER_FORTRAN.
TypePointer make_subarray(std::span<const int> sizes, std::span<const int> subsizes,
                          std::span<const int> starts, int order, const Datatype& old);
/// MPI_Type_create_darray (MPI-3.1 section 4.1.4) with `dargs` as given by the program.
TypePointer make_darray(int rank, std::span<const int> global_sizes, std::span<const int> distributions,
                        std::span<const int> dargs, std::span<const int> process_sizes, int order,
                        const Datatype& old);

}  // namespace mpisim::mpi
