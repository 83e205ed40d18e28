#pragma once
// The portable representation "external32" (MPI-3.1 section 13.5.2): big-endian, sizes fixed by the standard.
#include <cstdint>

#include "mpisim/datatype.hpp"

namespace mpisim::mpi {

/// Bytes of one element of `type` in external32.
std::uint64_t external_size(const Datatype& type);
/// Converts `count` elements at `source`; returns the byte behind the last one written.
unsigned char* pack_external(const Datatype& type, const void* source, std::uint64_t count,
                             unsigned char* packed);
const unsigned char* unpack_external(const Datatype& type, void* target, std::uint64_t count,
                                     const unsigned char* packed);
/// The same for the first `bytes` bytes of the packed form, which may end anywhere: unpacks whole basic
/// elements, and returns how many bytes of memory data they are.
std::uint64_t unpack_external_part(const Datatype& type, void* target, std::uint64_t count,
                                   const unsigned char* packed, std::uint64_t bytes);

}  // namespace mpisim::mpi
