// Packing in the portable representation (MPI-3.1 section 4.3), and types for Fortran's parameterized kinds
// (section 17.1.9).
#include <cstring>

#include "mpisim/arguments.hpp"
#include "mpisim/external32.hpp"

using namespace mpisim::mpi;

#define MPISIM_REQUIRE_EXTERNAL32(datarep)                                               \
  MPISIM_REQUIRE((datarep) && !std::strcmp(datarep, "external32"), nullptr, MPI_ERR_ARG, \
                 "datarep is \"{}\"; only \"external32\" is defined here", (datarep) ? (datarep) : "")

MPISIM_ENTRY(int, Pack_external,
             (const char datarep[], const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf,
              MPI_Aint outsize, MPI_Aint* position)) {
  MPISIM_CALL(MPI_Pack_external, local);
  MPISIM_REQUIRE_EXTERNAL32(datarep);
  MPISIM_REQUIRE(incount >= 0, nullptr, MPI_ERR_COUNT, "incount is {}", incount);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE(type->committed(), nullptr, MPI_ERR_TYPE, "datatype has not been committed");
  MPISIM_REQUIRE_POINTER(position, nullptr);
  const auto bytes = static_cast<MPI_Aint>(static_cast<std::uint64_t>(incount) * external_size(*type));
  MPISIM_REQUIRE(*position >= 0 && bytes <= outsize - *position, nullptr, MPI_ERR_TRUNCATE,
                 "{} bytes at position {} do not fit into outsize {}", bytes, *position, outsize);
  pack_external(*type, inbuf, static_cast<std::uint64_t>(incount),
                static_cast<unsigned char*>(outbuf) + *position);
  core::charge_copy(static_cast<std::uint64_t>(bytes));
  *position += bytes;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Unpack_external,
             (const char datarep[], const void* inbuf, MPI_Aint insize, MPI_Aint* position, void* outbuf,
              int outcount, MPI_Datatype datatype)) {
  MPISIM_CALL(MPI_Unpack_external, local);
  MPISIM_REQUIRE_EXTERNAL32(datarep);
  MPISIM_REQUIRE(outcount >= 0, nullptr, MPI_ERR_COUNT, "outcount is {}", outcount);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE(type->committed(), nullptr, MPI_ERR_TYPE, "datatype has not been committed");
  MPISIM_REQUIRE_POINTER(position, nullptr);
  const auto bytes = static_cast<MPI_Aint>(static_cast<std::uint64_t>(outcount) * external_size(*type));
  MPISIM_REQUIRE(*position >= 0 && bytes <= insize - *position, nullptr, MPI_ERR_TRUNCATE,
                 "{} bytes at position {} reach beyond insize {}", bytes, *position, insize);
  unpack_external(*type, outbuf, static_cast<std::uint64_t>(outcount),
                  static_cast<const unsigned char*>(inbuf) + *position);
  core::charge_copy(static_cast<std::uint64_t>(bytes));
  *position += bytes;
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Pack_external_size,
             (const char datarep[], int incount, MPI_Datatype datatype, MPI_Aint* size)) {
  MPISIM_CALL(MPI_Pack_external_size, local);
  MPISIM_REQUIRE_EXTERNAL32(datarep);
  MPISIM_REQUIRE(incount >= 0, nullptr, MPI_ERR_COUNT, "incount is {}", incount);
  MPISIM_DATATYPE(type, datatype);
  MPISIM_REQUIRE_POINTER(size, nullptr);
  *size = static_cast<MPI_Aint>(static_cast<std::uint64_t>(incount) * external_size(*type));
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_create_f90_integer, (int range, MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_create_f90_integer, local);
  MPISIM_REQUIRE_POINTER(newtype, nullptr);
  MPISIM_REQUIRE(range >= 0 && range <= 18, nullptr, MPI_ERR_ARG, "no integer type has {} decimal digits",
                 range);
  *newtype = range <= 2 ? MPI_INTEGER1 : range <= 4 ? MPI_INTEGER2 : range <= 9 ? MPI_INTEGER4 : MPI_INTEGER8;
  return MPI_SUCCESS;
}

/// 0, 1, 2 for single, double and extended precision; -1 if none suffices. Either may be MPI_UNDEFINED.
static int real_kind(int precision, int range) {
  if (precision <= 6 && range <= 37) return 0;
  if (precision <= 15 && range <= 307) return 1;
  return precision <= 18 && range <= 4931 ? 2 : -1;
}

MPISIM_ENTRY(int, Type_create_f90_real, (int precision, int range, MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_create_f90_real, local);
  MPISIM_REQUIRE_POINTER(newtype, nullptr);
  const int kind = real_kind(precision, range);
  MPISIM_REQUIRE(kind >= 0, nullptr, MPI_ERR_ARG, "no real type has {} decimal digits and range {}",
                 precision, range);
  static constexpr MPI_Datatype types[] = {MPI_REAL4, MPI_REAL8, MPI_REAL16};
  *newtype = types[kind];
  return MPI_SUCCESS;
}

MPISIM_ENTRY(int, Type_create_f90_complex, (int precision, int range, MPI_Datatype* newtype)) {
  MPISIM_CALL(MPI_Type_create_f90_complex, local);
  MPISIM_REQUIRE_POINTER(newtype, nullptr);
  const int kind = real_kind(precision, range);
  MPISIM_REQUIRE(kind >= 0, nullptr, MPI_ERR_ARG, "no complex type has {} decimal digits and range {}",
                 precision, range);
  static constexpr MPI_Datatype types[] = {MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32};
  *newtype = types[kind];
  return MPI_SUCCESS;
}
