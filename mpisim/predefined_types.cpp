#include "mpisim/predefined_types.hpp"

#include <wchar.h>

#include <array>
#include <memory>

#include "mpisim/handle_table.hpp"

namespace mpisim::mpi {
namespace {

template <class T>
constexpr PredefinedType basic(MPI_Datatype handle, std::string_view name, BasicKind kind,
                               std::uint32_t external_size = sizeof(T)) {
  return {handle, name, kind, sizeof(T), alignof(T), external_size};
}

template <class T>
struct Complex {
  T real, imaginary;
};

constexpr auto sint = BasicKind::signed_integer;
constexpr auto uint = BasicKind::unsigned_integer;
constexpr auto real = BasicKind::floating;
constexpr auto cplx = BasicKind::complex;

#define TYPE(type, handle, ...) basic<type>(handle, #handle, __VA_ARGS__)
#define PAIR(type, handle, first, second)                                                      \
  PredefinedType {                                                                             \
    handle, #handle, BasicKind::pair, sizeof(type), alignof(type), sizeof(type), first, second \
  }

// In the order of the handles' indices.
constexpr std::array<PredefinedType, predefined_type_count> table{
    TYPE(char, MPI_CHAR, sint),
    TYPE(signed char, MPI_SIGNED_CHAR, sint),
    TYPE(unsigned char, MPI_UNSIGNED_CHAR, uint),
    TYPE(unsigned char, MPI_BYTE, BasicKind::byte),
    TYPE(wchar_t, MPI_WCHAR, BasicKind::character, 2),
    TYPE(short, MPI_SHORT, sint),
    TYPE(unsigned short, MPI_UNSIGNED_SHORT, uint),
    TYPE(int, MPI_INT, sint),
    TYPE(unsigned, MPI_UNSIGNED, uint),
    TYPE(long, MPI_LONG, sint, 4),
    TYPE(unsigned long, MPI_UNSIGNED_LONG, uint, 4),
    TYPE(long long, MPI_LONG_LONG_INT, sint),
    TYPE(unsigned long long, MPI_UNSIGNED_LONG_LONG, uint),
    TYPE(float, MPI_FLOAT, real),
    TYPE(double, MPI_DOUBLE, real),
    TYPE(long double, MPI_LONG_DOUBLE, real, 16),
    TYPE(std::int8_t, MPI_INT8_T, sint),
    TYPE(std::int16_t, MPI_INT16_T, sint),
    TYPE(std::int32_t, MPI_INT32_T, sint),
    TYPE(std::int64_t, MPI_INT64_T, sint),
    TYPE(std::uint8_t, MPI_UINT8_T, uint),
    TYPE(std::uint16_t, MPI_UINT16_T, uint),
    TYPE(std::uint32_t, MPI_UINT32_T, uint),
    TYPE(std::uint64_t, MPI_UINT64_T, uint),
    TYPE(bool, MPI_C_BOOL, BasicKind::boolean, 1),
    TYPE(Complex<float>, MPI_C_COMPLEX, cplx),
    TYPE(Complex<double>, MPI_C_DOUBLE_COMPLEX, cplx),
    TYPE(Complex<long double>, MPI_C_LONG_DOUBLE_COMPLEX, cplx, 32),
    TYPE(MPI_Aint, MPI_AINT, sint, 8),
    TYPE(MPI_Offset, MPI_OFFSET, sint, 8),
    TYPE(MPI_Count, MPI_COUNT, sint, 8),
    TYPE(unsigned char, MPI_PACKED, BasicKind::packed),
    PAIR(float, MPI_FLOAT_INT, MPI_FLOAT, MPI_INT),
    PAIR(double, MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT),
    PAIR(long, MPI_LONG_INT, MPI_LONG, MPI_INT),
    PAIR(int, MPI_2INT, MPI_INT, MPI_INT),
    PAIR(short, MPI_SHORT_INT, MPI_SHORT, MPI_INT),
    PAIR(long double, MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, MPI_INT),
    PredefinedType{MPI_LB, "MPI_LB", BasicKind::none, 0, 1, 0},
    PredefinedType{MPI_UB, "MPI_UB", BasicKind::none, 0, 1, 0},
    TYPE(bool, MPI_CXX_BOOL, BasicKind::boolean, 1),
    TYPE(Complex<float>, MPI_CXX_FLOAT_COMPLEX, cplx),
    TYPE(Complex<double>, MPI_CXX_DOUBLE_COMPLEX, cplx),
    TYPE(Complex<long double>, MPI_CXX_LONG_DOUBLE_COMPLEX, cplx, 32),
    TYPE(char, MPI_CHARACTER, BasicKind::character),
    TYPE(std::int32_t, MPI_LOGICAL, BasicKind::fortran_logical),
    TYPE(std::int32_t, MPI_INTEGER, sint),
    TYPE(float, MPI_REAL, real),
    TYPE(double, MPI_DOUBLE_PRECISION, real),
    TYPE(Complex<float>, MPI_COMPLEX, cplx),
    TYPE(Complex<double>, MPI_DOUBLE_COMPLEX, cplx),
    TYPE(std::int8_t, MPI_INTEGER1, sint),
    TYPE(std::int16_t, MPI_INTEGER2, sint),
    TYPE(std::int32_t, MPI_INTEGER4, sint),
    TYPE(std::int64_t, MPI_INTEGER8, sint),
    TYPE(float, MPI_REAL4, real),
    TYPE(double, MPI_REAL8, real),
    TYPE(long double, MPI_REAL16, real, 16),
    TYPE(Complex<float>, MPI_COMPLEX8, cplx),
    TYPE(Complex<double>, MPI_COMPLEX16, cplx),
    TYPE(Complex<long double>, MPI_COMPLEX32, cplx, 32),
    PAIR(int, MPI_2INTEGER, MPI_INTEGER, MPI_INTEGER),
    PAIR(float, MPI_2REAL, MPI_REAL, MPI_REAL),
    PAIR(double, MPI_2DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION),
};
#undef TYPE
#undef PAIR

constexpr bool in_order() {
  for (unsigned i = 0; i < table.size(); ++i)
    if (table[i].handle != handle_bits::predefined(HandleKind::datatype, i + 1)) return false;
  return true;
}
static_assert(in_order());

class BasicType final : public Datatype {
 public:
  explicit BasicType(const PredefinedType& type) : type_(type) {
    predefined_ = committed_ = true;
    handle_ = type.handle;
    uniform_basic_ = type.kind == BasicKind::none ? 0 : type.handle;
    alignment_ = type.alignment;
    first_size_ = type.size;
    if (type.kind == BasicKind::pair) {
      const PredefinedType& second = predefined_type(handle_bits::index_of(type.second));
      alignment_ = std::max(alignment_, second.alignment);
      second_at_ = std::int64_t{(type.size + second.alignment - 1) / second.alignment} * second.alignment;
      second_size_ = second.size;
      true_extent_ = second_at_ + second_size_;
      basic_elements_ = 2;
    } else {
      true_extent_ = type.size;
      basic_elements_ = type.kind == BasicKind::none ? 0 : 1;
    }
    size_ = first_size_ + second_size_;
    extent_ = (true_extent_ + alignment_ - 1) / alignment_ * alignment_;
    single_run_ = static_cast<std::int64_t>(size_) == true_extent_;
    contiguous_ = single_run_ && extent_ == true_extent_;
    explicit_lower_bound_ = type.handle == MPI_LB;
    explicit_upper_bound_ = type.handle == MPI_UB;
  }

  void visit_basics(std::int64_t base, BasicSink& sink) const override {
    if (type_.kind == BasicKind::none) return;
    if (type_.kind != BasicKind::pair) return sink.basic(base, type_.handle);
    sink.basic(base, type_.first);
    sink.basic(base + second_at_, type_.second);
  }
  std::uint64_t basic_elements_in(std::uint64_t bytes) const override {
    return type_.kind == BasicKind::pair && bytes >= first_size_ ? 1 : 0;
  }

 protected:
  void visit_element(std::int64_t base, std::uint64_t offset, std::uint64_t bytes,
                     RunSink& sink) const override {
    if (single_run_) return sink.runs(base + static_cast<std::int64_t>(offset), bytes, 0, 1);
    if (offset < first_size_) {
      const std::uint64_t part = std::min<std::uint64_t>(bytes, first_size_ - offset);
      sink.runs(base + static_cast<std::int64_t>(offset), part, 0, 1);
      offset += part;
      bytes -= part;
    }
    if (bytes) sink.runs(base + second_at_ + static_cast<std::int64_t>(offset - first_size_), bytes, 0, 1);
  }

 private:
  const PredefinedType& type_;
  std::uint32_t first_size_;
  std::uint32_t second_size_ = 0;
  std::int64_t second_at_ = 0;
};

}  // namespace

const PredefinedType& predefined_type(unsigned index) {
  return table.at(index - 1);
}

namespace detail {

constinit std::atomic<Datatype* const*> predefined_datatypes = nullptr;

Datatype* const* make_predefined_datatypes() {
  // Immortal on purpose: ranks may still hold types while the process ends.
  static const auto& types = *[] {
    auto* made = new std::array<Datatype*, predefined_type_count>;
    for (unsigned i = 0; i < predefined_type_count; ++i) (*made)[i] = new BasicType(table[i]);
    return made;
  }();
  predefined_datatypes.store(types.data(), std::memory_order_release);
  return types.data();
}

}  // namespace detail

const Datatype& byte_type() {
  static const Datatype& type = *predefined_datatype(MPI_BYTE);
  return type;
}

}  // namespace mpisim::mpi
