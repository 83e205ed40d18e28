// Types for Fortran's parameterized kinds: predefined, without a name.
#include <catch2/catch.hpp>
#include <string>

#include "mpisim/include/mpi.h"
#include "tests/support/mpi_harness.hpp"
#include "tests/unit/mpisim_local/rank_checks.hpp"

using namespace mpisim;

namespace {

int ask_contents(int) {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Datatype real;
  MPI_Datatype again;
  MPI_Datatype other;
  RANK_CHECK(MPI_Type_create_f90_real(12, 100, &real) == MPI_SUCCESS);
  MPI_Type_create_f90_real(12, 100, &again);
  MPI_Type_create_f90_real(12, MPI_UNDEFINED, &other);
  RANK_CHECK(real == again && real != other && real != MPI_REAL8);
  int size = 0;
  int integers = 0;
  int addresses = 0;
  int types = 0;
  int combiner = 0;
  MPI_Type_size(real, &size);
  MPI_Type_get_envelope(real, &integers, &addresses, &types, &combiner);
  RANK_CHECK(size == 8 && integers == 2 && addresses == 0 && types == 0);
  RANK_CHECK(combiner == MPI_COMBINER_F90_REAL);
  int arguments[2] = {};
  MPI_Type_get_contents(real, 2, 0, 0, arguments, nullptr, nullptr);
  RANK_CHECK(arguments[0] == 12 && arguments[1] == 100);
  char name[MPI_MAX_OBJECT_NAME] = "x";
  int length = 1;
  MPI_Type_get_name(real, name, &length);
  RANK_CHECK(length == 0 && name[0] == '\0');

  MPI_Datatype integer;
  MPI_Datatype complex;
  MPI_Type_create_f90_integer(9, &integer);
  MPI_Type_get_envelope(integer, &integers, &addresses, &types, &combiner);
  RANK_CHECK(integers == 1 && combiner == MPI_COMBINER_F90_INTEGER);
  MPI_Type_create_f90_complex(6, 30, &complex);
  MPI_Type_get_envelope(complex, &integers, &addresses, &types, &combiner);
  MPI_Type_size(complex, &size);
  RANK_CHECK(combiner == MPI_COMBINER_F90_COMPLEX && size == 8);
  RANK_CHECK(MPI_Type_create_f90_real(30, 100, &other) != MPI_SUCCESS);
  MPI_Finalize();
  return 0;
}

}  // namespace

TEST_CASE("a type of a Fortran kind tells its arguments, and there is one for each of them") {
  const auto result = test::run_ranks(2, ask_contents);
  CHECK(result.exit_code == 0);
  CHECK(result.warnings.empty());
}

TEST_CASE("a type of a Fortran kind inside another comes back as itself") {
  CHECK(test::run(1, [](int) {
          MPI_Datatype real;
          MPI_Datatype pair;
          MPI_Datatype inside = MPI_DATATYPE_NULL;
          int count = 0;
          MPI_Type_create_f90_real(6, 30, &real);
          MPI_Type_contiguous(2, real, &pair);
          MPI_Type_get_contents(pair, 1, 0, 1, &count, nullptr, &inside);
          RANK_CHECK(count == 2 && inside == real);
          MPI_Type_free(&pair);
          return 0;
        }) == 0);
}

TEST_CASE("reductions take types of Fortran kinds, and the program does not free them") {
  CHECK(test::run(2, [](int rank) {
          MPI_Datatype real;
          MPI_Type_create_f90_real(12, 100, &real);
          const double mine = rank + 0.5;
          double sum = 0;
          RANK_CHECK(MPI_Allreduce(&mine, &sum, 1, real, MPI_SUM, MPI_COMM_WORLD) == MPI_SUCCESS);
          RANK_CHECK(sum == 2.0);
          MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
          MPI_Datatype freed = real;
          RANK_CHECK(MPI_Type_free(&freed) != MPI_SUCCESS);
          MPI_Datatype copy;
          RANK_CHECK(MPI_Type_dup(real, &copy) == MPI_SUCCESS && MPI_Type_free(&copy) == MPI_SUCCESS);
          return 0;
        }) == 0);
}
