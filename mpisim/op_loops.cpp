// The loops of the predefined reduction operations: one instance per operation and representation.
#include "mpisim/op_loops.hpp"

#include <complex>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace mpisim::mpi {
namespace {

template <class T, class Function>
void combine(const void* in, void* inout, std::uint64_t count) {
  const T* __restrict source = static_cast<const T*>(in);
  T* __restrict target = static_cast<T*>(inout);
  for (std::uint64_t i = 0; i < count; ++i) target[i] = Function()(source[i], target[i]);
}

/// Integers wrap: their sums and products are taken in an unsigned type at least as wide as unsigned.
template <class T>
using Arithmetic = typename std::conditional_t<
    std::is_integral_v<T>,
    std::conditional_t<(sizeof(T) < sizeof(unsigned)), std::type_identity<unsigned>, std::make_unsigned<T>>,
    std::type_identity<T>>::type;

struct Sum {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Arithmetic<T>>(a) + static_cast<Arithmetic<T>>(b));
  }
};
struct Product {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Arithmetic<T>>(a) * static_cast<Arithmetic<T>>(b));
  }
};
struct Max {
  template <class T>
  T operator()(T a, T b) const {
    return b > a ? b : a;
  }
};
struct Min {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct LogicalAnd {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a && b);
  }
};
struct LogicalOr {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a || b);
  }
};
struct LogicalXor {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(!a != !b);
  }
};
struct BitAnd {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct BitOr {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct BitXor {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};

template <class V, class I>
struct Pair {
  V value;
  I index;
};

/// MPI_MINLOC, MPI_MAXLOC (MPI-3.1 section 5.9.4): of equal values the smaller index. The members are set one
/// by one: the bytes between them belong to the program.
template <class V, class I, bool maximum>
void locate(const void* in, void* inout, std::uint64_t count) {
  const auto* source = static_cast<const Pair<V, I>*>(in);
  auto* target = static_cast<Pair<V, I>*>(inout);
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool better = maximum ? source[i].value > target[i].value : source[i].value < target[i].value;
    if (better) {
      target[i].value = source[i].value;
      target[i].index = source[i].index;
    } else if (source[i].value == target[i].value && source[i].index < target[i].index) {
      target[i].index = source[i].index;
    }
  }
}

template <class T>
OpLoop integer_loop(MPI_Op op) {
  switch (op) {
    case MPI_MAX:
      return combine<T, Max>;
    case MPI_MIN:
      return combine<T, Min>;
    case MPI_SUM:
      return combine<T, Sum>;
    case MPI_PROD:
      return combine<T, Product>;
    case MPI_LAND:
      return combine<T, LogicalAnd>;
    case MPI_LOR:
      return combine<T, LogicalOr>;
    case MPI_LXOR:
      return combine<T, LogicalXor>;
    case MPI_BAND:
      return combine<T, BitAnd>;
    case MPI_BOR:
      return combine<T, BitOr>;
    case MPI_BXOR:
      return combine<T, BitXor>;
    default:
      return nullptr;
  }
}

template <class T>
OpLoop floating_loop(MPI_Op op) {
  switch (op) {
    case MPI_MAX:
      return combine<T, Max>;
    case MPI_MIN:
      return combine<T, Min>;
    case MPI_SUM:
      return combine<T, Sum>;
    case MPI_PROD:
      return combine<T, Product>;
    default:
      return nullptr;
  }
}

template <class T>
OpLoop complex_loop(MPI_Op op) {
  switch (op) {
    case MPI_SUM:
      return combine<std::complex<T>, Sum>;
    case MPI_PROD:
      return combine<std::complex<T>, Product>;
    default:
      return nullptr;
  }
}

template <class T>
OpLoop logical_loop(MPI_Op op) {
  switch (op) {
    case MPI_LAND:
      return combine<T, LogicalAnd>;
    case MPI_LOR:
      return combine<T, LogicalOr>;
    case MPI_LXOR:
      return combine<T, LogicalXor>;
    default:
      return nullptr;
  }
}

OpLoop byte_loop(MPI_Op op) {
  switch (op) {
    case MPI_BAND:
      return combine<unsigned char, BitAnd>;
    case MPI_BOR:
      return combine<unsigned char, BitOr>;
    case MPI_BXOR:
      return combine<unsigned char, BitXor>;
    default:
      return nullptr;
  }
}

template <class V, class I>
OpLoop pair_loop(MPI_Op op) {
  if (op == MPI_MAXLOC) return locate<V, I, true>;
  if (op == MPI_MINLOC) return locate<V, I, false>;
  return nullptr;
}

OpLoop pair_loop(MPI_Op op, MPI_Datatype type) {
  switch (type) {
    case MPI_FLOAT_INT:
      return pair_loop<float, int>(op);
    case MPI_DOUBLE_INT:
      return pair_loop<double, int>(op);
    case MPI_LONG_INT:
      return pair_loop<long, int>(op);
    case MPI_2INT:
    case MPI_2INTEGER:
      return pair_loop<int, int>(op);
    case MPI_SHORT_INT:
      return pair_loop<short, int>(op);
    case MPI_LONG_DOUBLE_INT:
      return pair_loop<long double, int>(op);
    case MPI_2REAL:
      return pair_loop<float, float>(op);
    case MPI_2DOUBLE_PRECISION:
      return pair_loop<double, double>(op);
    default:
      return nullptr;
  }
}

}  // namespace

OpLoop op_loop(MPI_Op op, const PredefinedType& type) {
  switch (type.kind) {
    case BasicKind::signed_integer:
      switch (type.size) {
        case 1:
          return integer_loop<std::int8_t>(op);
        case 2:
          return integer_loop<std::int16_t>(op);
        case 4:
          return integer_loop<std::int32_t>(op);
        default:
          return integer_loop<std::int64_t>(op);
      }
    case BasicKind::unsigned_integer:
      switch (type.size) {
        case 1:
          return integer_loop<std::uint8_t>(op);
        case 2:
          return integer_loop<std::uint16_t>(op);
        case 4:
          return integer_loop<std::uint32_t>(op);
        default:
          return integer_loop<std::uint64_t>(op);
      }
    case BasicKind::floating:
      switch (type.size) {
        case sizeof(float):
          return floating_loop<float>(op);
        case sizeof(double):
          return floating_loop<double>(op);
        default:
          return floating_loop<long double>(op);
      }
    case BasicKind::complex:
      switch (type.size) {
        case 2 * sizeof(float):
          return complex_loop<float>(op);
        case 2 * sizeof(double):
          return complex_loop<double>(op);
        default:
          return complex_loop<long double>(op);
      }
    case BasicKind::boolean:
      return logical_loop<bool>(op);
    case BasicKind::fortran_logical:
      return logical_loop<std::int32_t>(op);
    case BasicKind::byte:
      return byte_loop(op);
    case BasicKind::pair:
      return pair_loop(op, type.handle);
    case BasicKind::none:
    case BasicKind::packed:
    case BasicKind::character:
      return nullptr;
  }
  return nullptr;
}

}  // namespace mpisim::mpi
