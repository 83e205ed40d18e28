// Collectives that are called wrongly, though they would work: a warning, or an error code where the program
// asks for error codes.
#include <catch2/catch.hpp>

#include "mpisim/include/mpi.h"
#include "tests/support/mpi_harness.hpp"
#include "tests/unit/mpisim_local/rank_checks.hpp"

using namespace mpisim;
using test::run;

namespace {

int returned_errors() {
  return MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
}

}  // namespace

TEST_CASE("one buffer given twice is taken as MPI_IN_PLACE, with a warning") {
  test::HarnessOptions options;
  const auto result = test::run_ranks(
      3,
      [](int rank) {
        MPI_Init(nullptr, nullptr);
        int all[3] = {-1, -1, -1};
        all[rank] = rank;
        MPI_Allgather(&all[rank], 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
        int sum = rank;
        MPI_Allreduce(&sum, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Finalize();
        return all[0] == 0 && all[1] == 1 && all[2] == 2 && sum == 3 ? 0 : 1;
      },
      options);
  CHECK(result.end == mpi::End::finished);
  CHECK(result.exit_code == 0);
  std::string warnings;
  for (const std::string& warning : result.warnings) warnings += warning + "\n";
  CHECK_THAT(warnings, Catch::Contains("MPI_Allgather") && Catch::Contains("MPI_Allreduce") &&
                           Catch::Contains("taken as MPI_IN_PLACE"));
}

TEST_CASE("one buffer given twice is MPI_ERR_BUFFER where errors are returned") {
  CHECK(run(2, [](int rank) {
          returned_errors();
          int data[4] = {};
          const int counts[] = {1, 1}, places[] = {0, 1};
          RANK_CHECK(MPI_Allreduce(data, data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
          RANK_CHECK(MPI_Scan(data, data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
          RANK_CHECK(MPI_Exscan(data, data, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
          RANK_CHECK(MPI_Allgather(&data[rank], 1, MPI_INT, data, 1, MPI_INT, MPI_COMM_WORLD) ==
                     MPI_ERR_BUFFER);
          RANK_CHECK(MPI_Alltoall(data, 1, MPI_INT, data, 1, MPI_INT, MPI_COMM_WORLD) == MPI_ERR_BUFFER);
          RANK_CHECK(MPI_Alltoallv(data, counts, places, MPI_INT, data, counts, places, MPI_INT,
                                   MPI_COMM_WORLD) == MPI_ERR_BUFFER);
          if (rank == 1) {
            RANK_CHECK(MPI_Gather(&data[1], 1, MPI_INT, data, 1, MPI_INT, 1, MPI_COMM_WORLD) ==
                       MPI_ERR_BUFFER);
            RANK_CHECK(MPI_Scatterv(data, counts, places, MPI_INT, &data[1], 1, MPI_INT, 1, MPI_COMM_WORLD) ==
                       MPI_ERR_BUFFER);
          }
          RANK_CHECK(MPI_Reduce_local(MPI_IN_PLACE, data, 1, MPI_INT, MPI_SUM) == MPI_ERR_BUFFER);
          RANK_CHECK(MPI_Reduce_local(data, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM) == MPI_ERR_BUFFER);
          // Nothing is sent and received at once: that is fine.
          RANK_CHECK(MPI_Alltoall(data, 0, MPI_INT, data, 0, MPI_INT, MPI_COMM_WORLD) == MPI_SUCCESS);
          return 0;
        }) == 0);
}

TEST_CASE("types may pick different parts of one buffer") {
  CHECK(run(2, [](int rank) {
          returned_errors();
          // Columns 0 and 2 of a 2 x 4 array go out, columns 1 and 3 come in.
          int grid[2][4] = {{rank, -1, rank, -1}, {rank, -1, rank, -1}};
          MPI_Datatype out[2], in[2];
          const int sizes[] = {2, 4}, column[] = {2, 1};
          for (int i = 0; i < 2; ++i) {
            const int from[] = {0, 2 * i}, to[] = {0, 2 * i + 1};
            MPI_Type_create_subarray(2, sizes, column, from, MPI_ORDER_C, MPI_INT, &out[i]);
            MPI_Type_create_subarray(2, sizes, column, to, MPI_ORDER_C, MPI_INT, &in[i]);
            MPI_Type_commit(&out[i]);
            MPI_Type_commit(&in[i]);
          }
          const int counts[] = {1, 1}, places[] = {0, 0};
          RANK_CHECK(MPI_Alltoallw(grid, counts, places, out, grid, counts, places, in, MPI_COMM_WORLD) ==
                     MPI_SUCCESS);
          RANK_CHECK(grid[0][1] == 0 && grid[1][1] == 0 && grid[0][3] == 1 && grid[1][3] == 1);
          for (int i = 0; i < 2; ++i) {
            MPI_Type_free(&out[i]);
            MPI_Type_free(&in[i]);
          }
          return 0;
        }) == 0);
}

TEST_CASE("every rank behind a faulty broadcast is told where errors are returned") {
  for (const int hosts : {1, 2}) {
    CHECK(run(
              4,
              [](int rank) {
                returned_errors();
                int data[10] = {};
                // Of a binomial tree: rank 3 gets its data from rank 2.
                const int too_long = MPI_Bcast(data, rank == 0 ? 10 : 1, MPI_INT, 0, MPI_COMM_WORLD);
                RANK_CHECK((too_long == MPI_SUCCESS) == (rank == 0));
                const int too_short = MPI_Bcast(data, rank == 0 ? 1 : 10, MPI_INT, 0, MPI_COMM_WORLD);
                RANK_CHECK((too_short == MPI_SUCCESS) == (rank == 0));
                RANK_CHECK(MPI_Bcast(data, 10, MPI_INT, 0, MPI_COMM_WORLD) == MPI_SUCCESS);
                return 0;
              },
              hosts) == 0);
  }
}

TEST_CASE("a constructor of communicators that fails gives MPI_COMM_NULL") {
  CHECK(run(2, [](int) {
          returned_errors();
          MPI_Comm made = MPI_COMM_SELF;
          const int dims[] = {2, 2}, periods[] = {0, 0};
          RANK_CHECK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &made) == MPI_ERR_DIMS);
          RANK_CHECK(made == MPI_COMM_NULL);
          made = MPI_COMM_SELF;
          RANK_CHECK(MPI_Comm_split(MPI_COMM_WORLD, -5, 0, &made) == MPI_ERR_ARG && made == MPI_COMM_NULL);
          return 0;
        }) == 0);
}
