#pragma once
// The predefined datatypes of mpi.h.
#include <atomic>
#include <cstdint>
#include <string_view>

#include "mpisim/datatype.hpp"
#include "mpisim/handle_table.hpp"
#include "mpisim/include/mpi.h"

namespace mpisim::mpi {

/// Representation of a basic element, which decides which loops of reduction operations apply.
enum class BasicKind : std::uint8_t {
  none,  // MPI_LB, MPI_UB
  byte,
  packed,
  character,  // MPI_CHARACTER, MPI_WCHAR: no arithmetic
  signed_integer,
  unsigned_integer,
  floating,
  complex,
  boolean,          // C bool, one byte
  fortran_logical,  // 4 bytes
  pair,             // for MPI_MINLOC and MPI_MAXLOC
};

struct PredefinedType {
  MPI_Datatype handle;
  std::string_view name;
  BasicKind kind;
  std::uint32_t size;       ///< bytes of data; of a pair: of its first member
  std::uint32_t alignment;  ///< bytes
  std::uint32_t
      external_size;  ///< bytes in external32 (MPI-3.1 section 13.5.2); of a pair: of its first member
  MPI_Datatype first = 0, second = 0;  ///< members of a pair
};

constexpr unsigned predefined_type_count = 0x40;  ///< indices 1 ... count

/// `index`: of the handle (1 ... predefined_type_count).
const PredefinedType& predefined_type(unsigned index);

namespace detail {
/// By index - 1; null until one is asked for.
extern std::atomic<Datatype* const*> predefined_datatypes;
Datatype* const* make_predefined_datatypes();
}  // namespace detail

/// The datatype of a predefined handle; null if it is none (MPI_DATATYPE_NULL included).
inline Datatype* predefined_datatype(MPI_Datatype handle) {
  const unsigned index = handle_bits::predefined_index(HandleKind::datatype, handle);
  if (index == 0 || index > predefined_type_count) return nullptr;
  Datatype* const* made = detail::predefined_datatypes.load(std::memory_order_acquire);
  return (made != nullptr ? made : detail::make_predefined_datatypes())[index - 1];
}

}  // namespace mpisim::mpi
