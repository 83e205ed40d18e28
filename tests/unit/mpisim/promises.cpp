// Promises that a tag comes from one source alone: receives from any source that need no synchronisation, and
// promises that are not kept.
#include <catch2/catch.hpp>
#include <string>

#include "mpisim/include/mpi.h"
#include "mpisim/promises.hpp"
#include "runtime/rank_environment.hpp"
#include "tests/support/mpi_harness.hpp"

using namespace mpisim;
using namespace mpisim::kernel::literals;
using test::run_ranks;

namespace {

constexpr int rounds = 15;

/// Ranks 1.. send their number as tag, after pauses that differ; rank 0 takes them from anyone, by tag.
int workers(int rank, int promised_tag) {
  int size = 0;
  int bad = 0;
  MPI_Init(nullptr, nullptr);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    if (promised_tag != MPI_PROC_NULL) MPIX_Mpisim_deterministic(MPI_COMM_WORLD, promised_tag);
    for (int i = 0; i < rounds; ++i) {
      for (int worker = size - 1; worker > 0; --worker) {
        int value = 0;
        MPI_Status status;
        if (i % 3 == 0) MPI_Probe(MPI_ANY_SOURCE, worker, MPI_COMM_WORLD, &status);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, worker, MPI_COMM_WORLD, &status);
        bad += value == i && status.MPI_SOURCE == worker ? 0 : 1;
      }
    }
  } else {
    for (int i = 0; i < rounds; ++i) {
      runtime::current_environment()->services().sleep(1_us * ((rank * 7 + i * 5) % 11));
      MPI_Send(&i, 1, MPI_INT, 0, rank, MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return bad;
}

/// Several ranks send the promised tag; the one that is near rank 0 in number comes later.
int liars(int rank) {
  MPI_Init(nullptr, nullptr);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0) {
    MPIX_Mpisim_deterministic(MPI_COMM_WORLD, 7);
    int value = 0;
    for (int i = 1; i < size; ++i)
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    runtime::current_environment()->services().sleep(10_us * (size - rank));
    MPI_Send(&rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
  }
  MPI_Finalize();
  return 0;
}

}  // namespace

TEST_CASE("promised tags give the same times without any synchronisation") {
  const auto run = [](int promised_tag, int hosts, std::uint64_t seed, bool deterministic, bool cancels) {
    test::HarnessOptions options;
    options.hosts = hosts;
    options.seed = seed;
    options.deterministic = deterministic;
    options.cancels = cancels;
    return run_ranks(5, [promised_tag](int rank) { return workers(rank, promised_tag); }, options);
  };
  const auto expected = run(MPI_ANY_TAG, 1, 1, true, false);
  REQUIRE(expected.end == mpi::End::finished);
  REQUIRE(expected.exit_code == 0);
  for (const int hosts : {2, 3, 5}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      CAPTURE(hosts, seed);
      const auto promised = run(MPI_ANY_TAG, hosts, seed, true, false);
      CHECK(promised.exit_code == 0);
      CHECK(promised.predicted == expected.predicted);
      CHECK(promised.statistics.rounds == 0);
      for (const bool deterministic : {true, false}) {
        const auto other = run(MPI_ANY_TAG, hosts, seed, deterministic, true);
        CHECK(other.exit_code == 0);
        CHECK(other.predicted == expected.predicted);
        if (!deterministic) CHECK(other.statistics.rounds > 0);
      }
      // Rank 0 spends the time of one call on the promise.
      CHECK(run(MPI_PROC_NULL, hosts, seed, true, false).statistics.rounds > 0);
      CHECK(run(3, hosts, seed, true, false).statistics.rounds > 0);  // a promise about one tag of several
    }
  }
}

TEST_CASE("a promise that is not kept ends the run, with the same words everywhere") {
  const auto run = [](int ranks, int hosts, std::uint64_t seed, bool deterministic) {
    test::HarnessOptions options;
    options.hosts = hosts;
    options.seed = seed;
    options.deterministic = deterministic;
    return run_ranks(ranks, liars, options);
  };
  for (const int ranks : {3, 5}) {
    const auto expected = run(ranks, 1, 1, true);
    CHECK(expected.end == mpi::End::misuse);
    CHECK(expected.exit_code == 5);
    CHECK_THAT(expected.report, Catch::Contains("rank 0 at 21 us") && Catch::Contains("tag 7") &&
                                    Catch::Contains("MPIX_Mpisim_deterministic") &&
                                    Catch::Contains(ranks == 3 ? "ranks 1 and 2" : "ranks 3 and 4"));
    for (const int hosts : {1, 2, 3}) {
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        for (const bool deterministic : {true, false}) {
          CAPTURE(ranks, hosts, seed, deterministic);
          const auto result = run(ranks, hosts, seed, deterministic);
          CHECK(result.end == mpi::End::misuse);
          CHECK(result.report == expected.report);
          CHECK(result.predicted == expected.predicted);
        }
      }
    }
  }
}

TEST_CASE("messages before the promise count as well") {
  const auto result = run_ranks(3, [](int rank) {
    MPI_Init(nullptr, nullptr);
    int value = rank;
    if (rank == 0) {
      MPI_Recv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(&value, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPIX_Mpisim_deterministic(MPI_COMM_WORLD, 7);
    } else {
      MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
  });
  CHECK(result.end == mpi::End::misuse);
}

TEST_CASE("promises are about one communicator and the tags that they name") {
  const auto result = run_ranks(3, [](int rank) {
    MPI_Init(nullptr, nullptr);
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    int value = rank;
    if (rank == 0) {
      MPIX_Mpisim_deterministic(MPI_COMM_WORLD, 7);
      for (int i = 0; i < 2; ++i) {
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, other, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(&value, 1, MPI_INT, 0, 7, other);
      MPI_Send(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
      if (rank == 1) MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    }
    MPI_Comm_free(&other);
    MPI_Finalize();
    return value == 1 || rank == 2 ? 0 : 1;
  });
  CHECK(result.end == mpi::End::finished);
  CHECK(result.exit_code == 0);
}

TEST_CASE("a bad promise is an MPI error") {
  const auto result = run_ranks(1, [](int) {
    MPI_Init(nullptr, nullptr);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int bad = MPIX_Mpisim_deterministic(MPI_COMM_WORLD, -77) == MPI_ERR_TAG ? 0 : 1;
    bad += MPIX_Mpisim_deterministic(MPI_COMM_NULL, 1) == MPI_ERR_COMM ? 0 : 2;
    MPI_Finalize();
    return bad;
  });
  CHECK(result.exit_code == 0);
}

TEST_CASE("the earliest two sources tell, in whatever order messages come") {
  using mpi::TagPromises;
  const int places[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const auto& order : places) {
    TagPromises promises;
    promises.promise(4, 1_us, nullptr);
    CHECK(promises.covers(4));
    CHECK_FALSE(promises.covers(5));
    for (const int source : order) {
      promises.note(4, source, 10_us * (3 - source));  // 30, 20, 10 us
      promises.note(4, source, 100_us);
    }
    const auto broken = promises.broken(4);
    REQUIRE(broken);
    CHECK((broken->first_source == 1 && broken->second_source == 2));
    CHECK(broken->time == 20_us);
  }
}
