// Packing in the portable representation (MPI-3.1 section 4.3).
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
