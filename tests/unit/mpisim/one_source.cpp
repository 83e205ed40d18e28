// Receives from any source that can only get the messages of one rank: they need no synchronisation. Found
// without the program's help (Communicator::only_source).
#include <catch2/catch.hpp>

#include "mpisim/include/mpi.h"
#include "runtime/rank_environment.hpp"
#include "tests/support/mpi_harness.hpp"

using namespace mpisim;
using namespace mpisim::kernel::literals;
using test::run_ranks;

namespace {

constexpr int rounds = 15;

void pause(int units) {
  runtime::current_environment()->services().sleep(1_us * units);
}

/// Rank 0 takes what rank 1 sends, by probes and receives from anyone.
int take_from_anyone(MPI_Comm comm, int peer, bool sender) {
  int bad = 0;
  for (int i = 0; i < rounds; ++i) {
    if (sender) {
      pause(i * 5 % 11);
      MPI_Send(&i, 1, MPI_INT, peer, i % 2, comm);
      continue;
    }
    MPI_Status status;
    if (i % 3 == 0) MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    int value = -1;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, i % 4 == 0 ? MPI_ANY_TAG : i % 2, comm, &status);
    bad += value == i && status.MPI_SOURCE == peer && status.MPI_TAG == i % 2 ? 0 : 1;
    pause(i % 7);
  }
  return bad;
}

int two_ranks(int rank) {
  MPI_Init(nullptr, nullptr);
  const int bad = take_from_anyone(MPI_COMM_WORLD, 1 - rank, rank == 1);
  MPI_Finalize();
  return bad;
}

/// Ranks 0 and 1 in the middle of others, on a communicator of their own.
int two_of_several(int rank) {
  MPI_Init(nullptr, nullptr);
  MPI_Comm pair = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
  const int bad = take_from_anyone(pair, 1 - rank % 2, rank % 2 == 1);
  MPI_Comm_free(&pair);
  MPI_Finalize();
  return bad;
}

/// Rank 0 on one side, the others on the other: they can only hear of rank 0, by whatever kind of receive.
int one_to_many(int rank) {
  MPI_Init(nullptr, nullptr);
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm side = MPI_COMM_NULL;
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : 1, rank, &side);
  MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 5, &between);
  int bad = 0;
  for (int i = 0; i < rounds; ++i) {
    if (rank == 0) {
      pause(i % 5);
      for (int to = 0; to < size - 1; ++to) MPI_Send(&i, 1, MPI_INT, to, 0, between);
      continue;
    }
    int value = -1;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, between, &request);
    pause(rank);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    bad += value == i ? 0 : 1;
  }
  MPI_Comm_free(&between);
  MPI_Comm_free(&side);
  MPI_Finalize();
  return bad;
}

/// Rank 0 asks rank 1 for a message and sends itself one as well, sooner or later than the answer can be
/// here; which is first in simulated time shows in the predicted time. On two hosts its own is always there
/// first.
int also_from_itself(int rank, bool posted_before) {
  MPI_Init(nullptr, nullptr);
  for (int i = 0; i < rounds; ++i) {
    if (rank == 1) {
      int other = 0;
      MPI_Recv(&other, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(&other, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
      continue;
    }
    const int own = 1;
    const int other = 2;
    int first = 0;
    int second = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Send(&other, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (posted_before) MPI_Irecv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request);
    pause((i + 4) % 5);  // in the first round the answer is here before its own
    if (posted_before) {
      MPI_Send(&own, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
      MPI_Isend(&own, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
      MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (first == own) pause(100);
  }
  MPI_Finalize();
  return 0;
}

int sends_first(int rank) {
  return also_from_itself(rank, false);
}

int posts_first(int rank) {
  return also_from_itself(rank, true);
}

test::HarnessResult run(int ranks, int (*program)(int), int hosts, std::uint64_t seed, bool deterministic) {
  test::HarnessOptions options;
  options.hosts = hosts;
  options.seed = seed;
  options.deterministic = deterministic;
  options.cancels = false;
  return run_ranks(ranks, program, options);
}

}  // namespace

TEST_CASE("a receive from any source that only one rank can send to needs no synchronisation") {
  const struct {
    int ranks;
    int (*program)(int);
  } cases[] = {{2, two_ranks}, {6, two_of_several}, {4, one_to_many}};
  for (const auto& [ranks, program] : cases) {
    const auto expected = run(ranks, program, 1, 1, true);
    REQUIRE(expected.end == mpi::End::finished);
    REQUIRE(expected.exit_code == 0);
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      CAPTURE(ranks, seed);
      const auto proved = run(ranks, program, 2, seed, true);
      CHECK(proved.exit_code == 0);
      CHECK(proved.predicted == expected.predicted);
      CHECK(proved.statistics.rounds == 0);
      const auto decided = run(ranks, program, 2, seed, false);
      CHECK(decided.predicted == expected.predicted);
      CHECK(decided.statistics.rounds > 0);
    }
  }
}

TEST_CASE("a rank that may send to itself has two sources") {
  for (int (*program)(int) : {sends_first, posts_first}) {
    const auto expected = run(2, program, 1, 1, false);  // takes no receive for sure
    REQUIRE(expected.end == mpi::End::finished);
    CHECK(run(2, program, 1, 1, true).predicted == expected.predicted);
    CHECK(expected.predicted > 100_us);
    CHECK(expected.predicted < 100_us * rounds);
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      CAPTURE(seed);
      const auto other = run(2, program, 2, seed, true);
      CHECK(other.predicted == expected.predicted);
      CHECK(other.statistics.rounds > 0);
    }
  }
}
