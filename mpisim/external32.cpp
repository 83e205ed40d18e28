#include "mpisim/external32.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cstring>
#include <limits>

#include "mpisim/handle_table.hpp"
#include "mpisim/predefined_types.hpp"

namespace mpisim::mpi {
namespace {

const PredefinedType& info_of(int type) {
  return predefined_type(handle_bits::index_of(type));
}

/// Scalars that one basic element consists of.
int scalars_of(const PredefinedType& type) {
  return type.kind == BasicKind::complex ? 2 : 1;
}

/// Copies a scalar to or from big-endian order.
void swap_copy(const unsigned char* from, unsigned char* to, std::uint32_t size) {
  if constexpr (std::endian::native == std::endian::little)
    std::reverse_copy(from, from + size, to);
  else
    std::memcpy(to, from, size);
}

// IEEE binary128, which external32 demands for long double.
#if LDBL_MANT_DIG == 113
using Quad = long double;
#else
__extension__ typedef __float128 Quad;
#endif

void long_double_out(const unsigned char* native, unsigned char* external) {
  long double value;
  std::memcpy(&value, native, sizeof value);
  const Quad quad = value;
  unsigned char bytes[16];
  std::memcpy(bytes, &quad, sizeof bytes);
  swap_copy(bytes, external, sizeof bytes);
}

void long_double_in(const unsigned char* external, unsigned char* native) {
  unsigned char bytes[16];
  swap_copy(external, bytes, sizeof bytes);
  Quad quad;
  std::memcpy(&quad, bytes, sizeof bytes);
  const long double value = static_cast<long double>(quad);
  std::memcpy(native, &value, sizeof value);
}

/// Integers of other sizes keep their low-order bytes, and their sign when they grow.
void integer_out(const unsigned char* native, std::uint32_t native_size, unsigned char* external,
                 std::uint32_t external_bytes) {
  unsigned char big_endian[16];
  swap_copy(native, big_endian, native_size);
  if (external_bytes <= native_size) {
    std::memcpy(external, big_endian + (native_size - external_bytes), external_bytes);
  } else {
    std::memset(external, 0, external_bytes - native_size);
    std::memcpy(external + (external_bytes - native_size), big_endian, native_size);
  }
}

void integer_in(const unsigned char* external, std::uint32_t external_bytes, unsigned char* native,
                std::uint32_t native_size, bool is_signed) {
  unsigned char big_endian[16];
  if (external_bytes <= native_size) {
    std::memset(big_endian, is_signed && (external[0] & 0x80) ? 0xff : 0, native_size - external_bytes);
    std::memcpy(big_endian + (native_size - external_bytes), external, external_bytes);
  } else {
    std::memcpy(big_endian, external + (external_bytes - native_size), native_size);
  }
  swap_copy(big_endian, native, native_size);
}

bool is_long_double(const PredefinedType& type, std::uint32_t native_size) {
  return (type.kind == BasicKind::floating || type.kind == BasicKind::complex) &&
         native_size == sizeof(long double);
}

struct SizeSink final : BasicSink {
  std::uint64_t size = 0;
  void basic(std::int64_t, int type) override { size += info_of(type).external_size; }
};

struct PackSink final : BasicSink {
  const unsigned char* memory;
  unsigned char* packed;
  void basic(std::int64_t at, int type) override {
    const PredefinedType& info = info_of(type);
    const auto scalars = static_cast<std::uint32_t>(scalars_of(info));
    const std::uint32_t native = info.size / scalars, external = info.external_size / scalars;
    const unsigned char* from = memory + at;
    for (std::uint32_t i = 0; i < scalars; ++i, from += native, packed += external) {
      if (is_long_double(info, native))
        long_double_out(from, packed);
      else
        integer_out(from, native, packed, external);
    }
  }
};

struct UnpackSink final : BasicSink {
  unsigned char* memory;
  const unsigned char* packed;
  std::uint64_t left = std::numeric_limits<std::uint64_t>::max();  ///< packed bytes
  std::uint64_t unpacked = 0;                                      ///< bytes of memory data
  void basic(std::int64_t at, int type) override {
    const PredefinedType& info = info_of(type);
    if (left < info.external_size) {
      left = 0;
      return;
    }
    left -= info.external_size;
    unpacked += info.size;
    const auto scalars = static_cast<std::uint32_t>(scalars_of(info));
    const std::uint32_t native = info.size / scalars, external = info.external_size / scalars;
    unsigned char* to = memory + at;
    for (std::uint32_t i = 0; i < scalars; ++i, to += native, packed += external) {
      if (is_long_double(info, native))
        long_double_in(packed, to);
      else
        integer_in(packed, external, to, native, info.kind == BasicKind::signed_integer);
    }
  }
};

}  // namespace

std::uint64_t external_size(const Datatype& type) {
  if (const int basic = type.uniform_basic(); basic && info_of(basic).kind != BasicKind::pair)
    return type.basic_elements() * info_of(basic).external_size;
  SizeSink sink;
  type.visit_basics(0, sink);
  return sink.size;
}

unsigned char* pack_external(const Datatype& type, const void* source, std::uint64_t count,
                             unsigned char* packed) {
  PackSink sink;
  sink.memory = static_cast<const unsigned char*>(source);
  sink.packed = packed;
  for (std::uint64_t i = 0; i < count; ++i)
    type.visit_basics(static_cast<std::int64_t>(i) * type.extent(), sink);
  return sink.packed;
}

const unsigned char* unpack_external(const Datatype& type, void* target, std::uint64_t count,
                                     const unsigned char* packed) {
  UnpackSink sink;
  sink.memory = static_cast<unsigned char*>(target);
  sink.packed = packed;
  for (std::uint64_t i = 0; i < count; ++i)
    type.visit_basics(static_cast<std::int64_t>(i) * type.extent(), sink);
  return sink.packed;
}

std::uint64_t unpack_external_part(const Datatype& type, void* target, std::uint64_t count,
                                   const unsigned char* packed, std::uint64_t bytes) {
  UnpackSink sink;
  sink.memory = static_cast<unsigned char*>(target);
  sink.packed = packed;
  sink.left = bytes;
  for (std::uint64_t i = 0; i < count && sink.left > 0; ++i)
    type.visit_basics(static_cast<std::int64_t>(i) * type.extent(), sink);
  return sink.unpacked;
}

}  // namespace mpisim::mpi
