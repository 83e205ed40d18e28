// Info objects as hints, MPI_INFO_ENV, names of datatypes.
#include <catch2/catch.hpp>
#include <string>

#include "mpisim/include/mpi.h"
#include "tests/unit/mpisim_local/rank_checks.hpp"

using mpisim::test::run;

TEST_CASE("hints that a communicator does not use are not told") {
  CHECK(run(2, [](int) {
          MPI_Info hints, used;
          MPI_Info_create(&hints);
          MPI_Info_set(hints, "colour", "blue");
          MPI_Comm copy;
          RANK_CHECK(MPI_Comm_dup_with_info(MPI_COMM_WORLD, hints, &copy) == MPI_SUCCESS);
          RANK_CHECK(MPI_Comm_set_info(copy, hints) == MPI_SUCCESS);
          RANK_CHECK(MPI_Comm_get_info(copy, &used) == MPI_SUCCESS && used != MPI_INFO_NULL);
          int keys = -1;
          MPI_Info_get_nkeys(used, &keys);
          RANK_CHECK(keys == 0);
          MPI_Info_free(&used);
          MPI_Info_free(&hints);
          MPI_Comm_free(&copy);
          return 0;
        }) == 0);
}

TEST_CASE("MPI_INFO_ENV tells how the program was started, and stays as it is") {
  CHECK(run(3, [](int) {
          char value[MPI_MAX_INFO_VAL + 1];
          int flag = 0;
          RANK_CHECK(MPI_Info_get(MPI_INFO_ENV, "maxprocs", MPI_MAX_INFO_VAL, value, &flag) == MPI_SUCCESS);
          RANK_CHECK(flag && std::string(value) == "3");
          MPI_Info_get(MPI_INFO_ENV, "thread_level", MPI_MAX_INFO_VAL, value, &flag);
          RANK_CHECK(flag && std::string(value) == "MPI_THREAD_SINGLE");
          MPI_Info_get(MPI_INFO_ENV, "no such key", MPI_MAX_INFO_VAL, value, &flag);
          RANK_CHECK(!flag);
          MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
          RANK_CHECK(MPI_Info_set(MPI_INFO_ENV, "maxprocs", "4") == MPI_ERR_INFO);
          MPI_Info environment = MPI_INFO_ENV, copy;
          RANK_CHECK(MPI_Info_free(&environment) == MPI_ERR_INFO);
          RANK_CHECK(MPI_Info_dup(MPI_INFO_ENV, &copy) == MPI_SUCCESS);
          RANK_CHECK(MPI_Info_set(copy, "maxprocs", "4") == MPI_SUCCESS);
          MPI_Info_free(&copy);
          return 0;
        }) == 0);
}

TEST_CASE("each rank may give predefined datatypes a name of its own") {
  CHECK(run(2, [](int rank) {
          char name[MPI_MAX_OBJECT_NAME];
          int length;
          MPI_Type_get_name(MPI_DOUBLE, name, &length);
          RANK_CHECK(std::string(name) == "MPI_DOUBLE" && length == 10);
          const std::string own = "real of rank " + std::to_string(rank);
          RANK_CHECK(MPI_Type_set_name(MPI_DOUBLE, own.c_str()) == MPI_SUCCESS);
          MPI_Barrier(MPI_COMM_WORLD);
          MPI_Type_get_name(MPI_DOUBLE, name, &length);
          RANK_CHECK(name == own);
          return 0;
        }) == 0);
}
