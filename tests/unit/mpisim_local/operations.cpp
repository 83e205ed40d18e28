#include <catch2/catch.hpp>
#include <complex>
#include <cstdint>
#include <limits>

#include "mpisim/datatype.hpp"
#include "mpisim/op.hpp"
#include "mpisim/predefined_types.hpp"
#include "mpisim/type_layouts.hpp"

using namespace mpisim::mpi;

namespace {

template <class T>
T reduce(MPI_Op op, MPI_Datatype type, T in, T inout) {
  apply(*predefined_op(op), &in, &inout, 1, *predefined_datatype(type));
  return inout;
}

bool legal(MPI_Op op, MPI_Datatype type) {
  return check_op(*predefined_op(op), *predefined_datatype(type)).empty();
}

}  // namespace

TEST_CASE("arithmetic of predefined operations") {
  CHECK(reduce(MPI_SUM, MPI_INT, 3, 4) == 7);
  CHECK(reduce(MPI_PROD, MPI_DOUBLE, 3.0, 4.0) == 12.0);
  CHECK(reduce(MPI_MAX, MPI_UNSIGNED_CHAR, std::uint8_t{200}, std::uint8_t{100}) == 200);
  CHECK(reduce(MPI_MAX, MPI_SIGNED_CHAR, std::int8_t{-56}, std::int8_t{100}) == 100);
  CHECK(reduce(MPI_MIN, MPI_LONG_DOUBLE, 2.0L, 1.0L) == 1.0L);
  CHECK(reduce(MPI_SUM, MPI_C_DOUBLE_COMPLEX, std::complex<double>(1, 2), std::complex<double>(3, 4)) ==
        std::complex<double>(4, 6));
  CHECK(reduce(MPI_PROD, MPI_C_COMPLEX, std::complex<float>(0, 1), std::complex<float>(0, 1)) ==
        std::complex<float>(-1, 0));
  CHECK(reduce(MPI_LAND, MPI_INT, 5, 2) == 1);
  CHECK(reduce(MPI_LXOR, MPI_INT, 5, 2) == 0);
  CHECK(reduce(MPI_LOR, MPI_C_BOOL, false, true) == true);
  CHECK(reduce(MPI_BXOR, MPI_UINT64_T, std::uint64_t{12}, std::uint64_t{10}) == 6);
  CHECK(reduce(MPI_BAND, MPI_BYTE, std::uint8_t{0xf0}, std::uint8_t{0x3c}) == 0x30);
  // Sums wrap around, also in types narrower than int.
  CHECK(reduce(MPI_SUM, MPI_INT, std::numeric_limits<int>::max(), 1) == std::numeric_limits<int>::min());
  CHECK(reduce(MPI_PROD, MPI_UINT16_T, std::uint16_t{65535}, std::uint16_t{65535}) == 1);
}

TEST_CASE("locations: the smaller index of equal values") {
  struct DoubleInt {
    double value;
    int index;
  };
  const DoubleInt in[] = {{1, 5}, {2, 6}, {3, 1}};
  DoubleInt inout[] = {{2, 1}, {1, 2}, {3, 4}};
  apply(*predefined_op(MPI_MAXLOC), in, inout, 3, *predefined_datatype(MPI_DOUBLE_INT));
  CHECK(inout[0].index == 1);
  CHECK(inout[1].value == 2);
  CHECK(inout[1].index == 6);
  CHECK(inout[2].index == 1);
  DoubleInt low[] = {{2, 1}, {1, 2}, {3, 4}};
  apply(*predefined_op(MPI_MINLOC), in, low, 3, *predefined_datatype(MPI_DOUBLE_INT));
  CHECK(low[0].index == 5);
  CHECK(low[1].index == 2);
  CHECK(low[2].index == 1);
}

TEST_CASE("illegal combinations are named") {
  CHECK(legal(MPI_SUM, MPI_INT));
  CHECK(legal(MPI_SUM, MPI_AINT));
  CHECK(!legal(MPI_BAND, MPI_DOUBLE));
  CHECK(!legal(MPI_MAX, MPI_C_COMPLEX));
  CHECK(!legal(MPI_SUM, MPI_C_BOOL));
  CHECK(!legal(MPI_SUM, MPI_BYTE));
  CHECK(!legal(MPI_MAXLOC, MPI_INT));
  CHECK(!legal(MPI_SUM, MPI_2INT));
  CHECK(!legal(MPI_REPLACE, MPI_INT));
  CHECK(check_op(*predefined_op(MPI_BAND), *predefined_datatype(MPI_DOUBLE)) ==
        "MPI_BAND is not defined for MPI_DOUBLE");
  const TypePointer derived = make_contiguous(2, *predefined_datatype(MPI_INT));
  CHECK(check_op(*predefined_op(MPI_SUM), *derived) == "MPI_SUM is not defined for a derived datatype");
}

TEST_CASE("operations of the program") {
  Op subtract(
      [](void* in, void* inout, int* count, MPI_Datatype*) {
        for (int i = 0; i < *count; ++i)
          static_cast<int*>(inout)[i] = static_cast<int*>(in)[i] - static_cast<int*>(inout)[i];
      },
      false);
  CHECK(!subtract.commutative());
  CHECK(predefined_op(MPI_SUM)->commutative());
  const int in[] = {10, 20};
  int inout[] = {1, 2};
  apply(subtract, in, inout, 2, *predefined_datatype(MPI_INT));
  CHECK(inout[0] == 9);
  CHECK(inout[1] == 18);
}
