// Constructors of derived datatypes (MPI-3.1 sections 4.1.2 to 4.1.5, 4.1.7) and their removed MPI-1 forms.
#include <climits>
#include <vector>

#include "mpisim/arguments.hpp"
#include "mpisim/type_description.hpp"
#include "mpisim/type_layouts.hpp"

using namespace mpisim::mpi;

namespace {

using Integers = std::vector<int>;
using Addresses = std::vector<MPI_Aint>;

/// Remembers how the type was made and gives it a handle.
int finish(TypePointer type, int combiner, Integers integers, Addresses addresses,
           std::span<const Datatype* const> old_types, MPI_Datatype* newtype) {
  TypeDescription& description = type->description();
  description.combiner = combiner;
  description.integers = std::move(integers);
  description.addresses = std::move(addresses);
  for (const Datatype* old : old_types) description.types.push_back(TypePointer::share(*old));
  *newtype = handles().add_datatype(type.detach());
  return MPI_SUCCESS;
}

int finish(TypePointer type, int combiner, Integers integers, Addresses addresses, const Datatype* old,
           MPI_Datatype* newtype) {
  return finish(std::move(type), combiner, std::move(integers), std::move(addresses), {&old, 1}, newtype);
}

void append(Integers& integers, const int* values, int count) {
  integers.insert(integers.end(), values, values + count);
}

/// Empty if none of the block lengths is negative.
std::string check_lengths(int count, const int* lengths) {
  for (int i = 0; i < count; ++i)
    if (lengths[i] < 0) return fmt::format("array_of_blocklengths[{}] is {}", i, lengths[i]);
  return {};
}

template <class T>
std::vector<std::int64_t> in_bytes(int count, const T* displacements, std::int64_t unit) {
  std::vector<std::int64_t> bytes(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = displacements[i] * unit;
  return bytes;
}

int hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  MPISIM_REQUIRE(count >= 0, nullptr, MPI_ERR_COUNT, "count is {}", count);
  MPISIM_REQUIRE(blocklength >= 0, nullptr, MPI_ERR_ARG, "blocklength is {}", blocklength);
  MPISIM_DATATYPE(old, oldtype);
  MPISIM_REQUIRE_POINTER(newtype, nullptr);
  return finish(
      make_vector(static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(blocklength), stride, *old),
      MPI_COMBINER_HVECTOR, {count, blocklength}, {stride}, old, newtype);
}

/// The four calls with lists of blocks. One of lengths and block_length, one of indices and byte
/// displacements is given.
struct Blocks {
  int count;
  const int* lengths;
  int block_length;
  const int* indices;
  const MPI_Aint* bytes;
  int combiner;
};

int indexed(const Blocks& blocks, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  const int count = blocks.count;
  MPISIM_REQUIRE(count >= 0, nullptr, MPI_ERR_COUNT, "count is {}", count);
  const bool equal_lengths =
      blocks.combiner == MPI_COMBINER_INDEXED_BLOCK || blocks.combiner == MPI_COMBINER_HINDEXED_BLOCK;
  MPISIM_REQUIRE(count == 0 || ((equal_lengths || blocks.lengths) && (blocks.indices || blocks.bytes)),
                 nullptr, MPI_ERR_ARG, "an array of lengths or displacements is a null pointer");
  MPISIM_DATATYPE(old, oldtype);
  MPISIM_REQUIRE_POINTER(newtype, nullptr);
  Integers integers{count};
  if (equal_lengths) {
    MPISIM_REQUIRE(blocks.block_length >= 0, nullptr, MPI_ERR_ARG, "blocklength is {}", blocks.block_length);
    integers.push_back(blocks.block_length);
  } else {
    const std::string fault = check_lengths(count, blocks.lengths);
    MPISIM_REQUIRE(fault.empty(), nullptr, MPI_ERR_ARG, "{}", fault);
    append(integers, blocks.lengths, count);
  }
  Addresses addresses;
  if (blocks.indices)
    append(integers, blocks.indices, count);
  else if (blocks.bytes)
    addresses.assign(blocks.bytes, blocks.bytes + count);
  auto displacements =
      blocks.indices ? in_bytes(count, blocks.indices, old->extent()) : in_bytes(count, blocks.bytes, 1);
  TypePointer type = equal_lengths ? make_indexed_block(static_cast<std::uint64_t>(blocks.block_length),
                                                        std::move(displacements), *old)
                                   : make_indexed({blocks.lengths, static_cast<std::size_t>(count)},
                                                  std::move(displacements), *old);
  return finish(std::move(type), blocks.combiner, std::move(integers), std::move(addresses), old, newtype);
}

int structure(int count, const int* lengths, const MPI_Aint* displacements, const MPI_Datatype* types,
              MPI_Datatype* newtype) {
  MPISIM_REQUIRE(count >= 0, nullptr, MPI_ERR_COUNT, "count is {}", count);
  MPISIM_REQUIRE(count == 0 || (lengths && displacements && types), nullptr, MPI_ERR_ARG,
                 "an array argument is a null pointer");
  MPISIM_REQUIRE_POINTER(newtype, nullptr);
  const std::string fault = check_lengths(count, lengths);
  MPISIM_REQUIRE(fault.empty(), nullptr, MPI_ERR_ARG, "{}", fault);
  std::vector<const Datatype*> old(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    old[static_cast<std::size_t>(i)] = handles().datatype(types[i]);
    if (!old[static_cast<std::size_t>(i)])
      return raise(nullptr, MPI_ERR_TYPE,
                   bad_handle(fmt::format("array_of_types[{}]", i).c_str(), HandleKind::datatype, types[i]));
  }
  Integers integers{count};
  append(integers, lengths, count);
  const auto bytes = in_bytes(count, displacements, 1);
  return finish(make_struct({lengths, old.size()}, bytes, old), MPI_COMBINER_STRUCT, std::move(integers),
                Addresses(displacements, displacements + count), old, newtype);
}

}  // namespace

MPISIM_ENTRY(int, Type_contiguous, (int count, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_contiguous, local);
  MPISIM_REQUIRE(count >= 0, nullptr, MPI_ERR_COUNT, "count is {}", count);
  MPISIM_DATATYPE(old, oldtype);
  MPISIM_REQUIRE_POINTER(newtype, nullptr);
  return finish(make_contiguous(static_cast<std::uint64_t>(count), *old), MPI_COMBINER_CONTIGUOUS, {count},
                {}, old, newtype);
}

MPISIM_ENTRY(int, Type_vector,
             (int count, int blocklength, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_vector, local);
  MPISIM_REQUIRE(count >= 0, nullptr, MPI_ERR_COUNT, "count is {}", count);
  MPISIM_REQUIRE(blocklength >= 0, nullptr, MPI_ERR_ARG, "blocklength is {}", blocklength);
  MPISIM_DATATYPE(old, oldtype);
  MPISIM_REQUIRE_POINTER(newtype, nullptr);
  return finish(make_vector(static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(blocklength),
                            stride * old->extent(), *old),
                MPI_COMBINER_VECTOR, {count, blocklength, stride}, {}, old, newtype);
}

MPISIM_ENTRY(int, Type_create_hvector,
             (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_create_hvector, local);
  return hvector(count, blocklength, stride, oldtype, newtype);
}

MPISIM_ENTRY(int, Type_hvector,
             (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_hvector, local);
  return hvector(count, blocklength, stride, oldtype, newtype);
}

MPISIM_ENTRY(int, Type_indexed,
             (int count, const int array_of_blocklengths[], const int array_of_displacements[],
              MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_indexed, local);
  return indexed({count, array_of_blocklengths, 0, array_of_displacements, nullptr, MPI_COMBINER_INDEXED},
                 oldtype, newtype);
}

MPISIM_ENTRY(int, Type_create_hindexed,
             (int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
              MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_create_hindexed, local);
  return indexed({count, array_of_blocklengths, 0, nullptr, array_of_displacements, MPI_COMBINER_HINDEXED},
                 oldtype, newtype);
}

MPISIM_ENTRY(int, Type_hindexed,
             (int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
              MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_hindexed, local);
  return indexed({count, array_of_blocklengths, 0, nullptr, array_of_displacements, MPI_COMBINER_HINDEXED},
                 oldtype, newtype);
}

MPISIM_ENTRY(int, Type_create_indexed_block,
             (int count, int blocklength, const int array_of_displacements[], MPI_Datatype oldtype,
              MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_create_indexed_block, local);
  return indexed({count, nullptr, blocklength, array_of_displacements, nullptr, MPI_COMBINER_INDEXED_BLOCK},
                 oldtype, newtype);
}

MPISIM_ENTRY(int, Type_create_hindexed_block,
             (int count, int blocklength, const MPI_Aint array_of_displacements[], MPI_Datatype oldtype,
              MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_create_hindexed_block, local);
  return indexed({count, nullptr, blocklength, nullptr, array_of_displacements, MPI_COMBINER_HINDEXED_BLOCK},
                 oldtype, newtype);
}

MPISIM_ENTRY(int, Type_create_struct,
             (int count, const int array_of_blocklengths[], const MPI_Aint array_of_displacements[],
              const MPI_Datatype array_of_types[], MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_create_struct, local);
  return structure(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
}

MPISIM_ENTRY(int, Type_struct,
             (int count, int array_of_blocklengths[], MPI_Aint array_of_displacements[],
              MPI_Datatype array_of_types[], MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_struct, local);
  return structure(count, array_of_blocklengths, array_of_displacements, array_of_types, newtype);
}

MPISIM_ENTRY(int, Type_create_resized,
             (MPI_Datatype oldtype, MPI_Aint lb, MPI_Aint extent, MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_create_resized, local);
  MPISIM_DATATYPE(old, oldtype);
  MPISIM_REQUIRE_POINTER(newtype, nullptr);
  return finish(make_resized(*old, lb, extent), MPI_COMBINER_RESIZED, {}, {lb, extent}, old, newtype);
}

MPISIM_ENTRY(int, Type_create_subarray,
             (int ndims, const int array_of_sizes[], const int array_of_subsizes[],
              const int array_of_starts[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_create_subarray, local);
  MPISIM_REQUIRE(ndims >= 1, nullptr, MPI_ERR_ARG, "ndims is {}", ndims);
  MPISIM_REQUIRE(array_of_sizes && array_of_subsizes && array_of_starts, nullptr, MPI_ERR_ARG,
                 "an array argument is a null pointer");
  MPISIM_REQUIRE(order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN, nullptr, MPI_ERR_ARG,
                 "order is {}, neither MPI_ORDER_C nor MPI_ORDER_FORTRAN", order);
  for (int i = 0; i < ndims; ++i) {
    const int size = array_of_sizes[i], part = array_of_subsizes[i], start = array_of_starts[i];
    MPISIM_REQUIRE(size >= 1, nullptr, MPI_ERR_ARG, "array_of_sizes[{}] is {}", i, size);
    MPISIM_REQUIRE(part >= 1 && part <= size, nullptr, MPI_ERR_ARG,
                   "array_of_subsizes[{}] is {}, outside 1 ... {}", i, part, size);
    MPISIM_REQUIRE(start >= 0 && start <= size - part, nullptr, MPI_ERR_ARG,
                   "array_of_starts[{}] is {}, outside 0 ... {}", i, start, size - part);
  }
  MPISIM_DATATYPE(old, oldtype);
  MPISIM_REQUIRE_POINTER(newtype, nullptr);
  const auto n = static_cast<std::size_t>(ndims);
  Integers integers{ndims};
  append(integers, array_of_sizes, ndims);
  append(integers, array_of_subsizes, ndims);
  append(integers, array_of_starts, ndims);
  integers.push_back(order);
  return finish(make_subarray({array_of_sizes, n}, {array_of_subsizes, n}, {array_of_starts, n}, order, *old),
                MPI_COMBINER_SUBARRAY, std::move(integers), {}, old, newtype);
}

MPISIM_ENTRY(int, Type_create_darray,
             (int size, int rank, int ndims, const int array_of_gsizes[], const int array_of_distribs[],
              const int array_of_dargs[], const int array_of_psizes[], int order, MPI_Datatype oldtype,
              MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_create_darray, local);
  MPISIM_REQUIRE(ndims >= 1, nullptr, MPI_ERR_ARG, "ndims is {}", ndims);
  MPISIM_REQUIRE(size >= 1, nullptr, MPI_ERR_ARG, "size is {}", size);
  MPISIM_REQUIRE(rank >= 0 && rank < size, nullptr, MPI_ERR_RANK, "rank is {}, outside 0 ... {}", rank,
                 size - 1);
  MPISIM_REQUIRE(array_of_gsizes && array_of_distribs && array_of_dargs && array_of_psizes, nullptr,
                 MPI_ERR_ARG, "an array argument is a null pointer");
  MPISIM_REQUIRE(order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN, nullptr, MPI_ERR_ARG,
                 "order is {}, neither MPI_ORDER_C nor MPI_ORDER_FORTRAN", order);
  long processes = 1;
  for (int i = 0; i < ndims; ++i) {
    const int length = array_of_gsizes[i], parts = array_of_psizes[i], kind = array_of_distribs[i];
    const int darg = array_of_dargs[i];
    MPISIM_REQUIRE(length >= 1, nullptr, MPI_ERR_ARG, "array_of_gsizes[{}] is {}", i, length);
    MPISIM_REQUIRE(parts >= 1, nullptr, MPI_ERR_ARG, "array_of_psizes[{}] is {}", i, parts);
    MPISIM_REQUIRE(
        kind == MPI_DISTRIBUTE_BLOCK || kind == MPI_DISTRIBUTE_CYCLIC || kind == MPI_DISTRIBUTE_NONE, nullptr,
        MPI_ERR_ARG, "array_of_distribs[{}] is {}", i, kind);
    MPISIM_REQUIRE(kind != MPI_DISTRIBUTE_NONE || parts == 1, nullptr, MPI_ERR_ARG,
                   "array_of_psizes[{}] is {}, but that dimension is not distributed", i, parts);
    MPISIM_REQUIRE(kind == MPI_DISTRIBUTE_NONE || darg == MPI_DISTRIBUTE_DFLT_DARG || darg >= 1, nullptr,
                   MPI_ERR_ARG, "array_of_dargs[{}] is {}", i, darg);
    MPISIM_REQUIRE(kind != MPI_DISTRIBUTE_BLOCK || darg == MPI_DISTRIBUTE_DFLT_DARG ||
                       static_cast<long>(darg) * parts >= length,
                   nullptr, MPI_ERR_ARG, "array_of_dargs[{}]: {} blocks of {} do not cover {} indices", i,
                   parts, darg, length);
    processes *= parts;
  }
  MPISIM_REQUIRE(processes == size, nullptr, MPI_ERR_ARG,
                 "the product of array_of_psizes is {}, but size is {}", processes, size);
  MPISIM_DATATYPE(old, oldtype);
  MPISIM_REQUIRE_POINTER(newtype, nullptr);
  const auto n = static_cast<std::size_t>(ndims);
  Integers integers{size, rank, ndims};
  for (const int* list : {array_of_gsizes, array_of_distribs, array_of_dargs, array_of_psizes})
    append(integers, list, ndims);
  integers.push_back(order);
  return finish(make_darray(rank, {array_of_gsizes, n}, {array_of_distribs, n}, {array_of_dargs, n},
                            {array_of_psizes, n}, order, *old),
                MPI_COMBINER_DARRAY, std::move(integers), {}, old, newtype);
}

MPISIM_ENTRY(int, Type_dup, (MPI_Datatype oldtype, MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_dup, local);
  MPISIM_DATATYPE(old, oldtype);
  MPISIM_REQUIRE_POINTER(newtype, nullptr);
  *newtype = MPI_DATATYPE_NULL;
  TypePointer type = make_dup(*old);
  if (old->committed()) type->commit();
  if (old->predefined() || old->description_if_any()) {
    const AttributeSet& attributes = handles().attributes_of(*old);
    if (const int error = type->description().attributes.copy_from(attributes, oldtype))
      return raise(nullptr, error, fmt::format("an attribute's copy function returned {}", error));
  }
  return finish(std::move(type), MPI_COMBINER_DUP, {}, {}, old, newtype);
}
