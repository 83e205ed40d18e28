// How long host processes go on without hearing of each other.
#include <catch2/catch.hpp>

#include "mpisim/include/mpi.h"
#include "tests/support/mpi_harness.hpp"

using namespace mpisim;
using namespace mpisim::kernel::literals;

namespace {

/// Pairs of ranks that talk at a pace of their own, each message to whoever listens.
int pairs(int rank) {
  constexpr int steps = 40;
  const int partner = rank ^ 1;
  for (int step = 0; step < steps; ++step) {
    const double until = MPI_Wtime() + 1e-6 * ((rank * 37 + step * 53) % 61);
    while (MPI_Wtime() < until) {
    }
    int out = rank;
    int in = 0;
    MPI_Request send;
    MPI_Isend(&out, 1, MPI_INT, partner, step, MPI_COMM_WORLD, &send);
    MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (in != partner) return 1;
    MPI_Wait(&send, MPI_STATUS_IGNORE);
  }
  return 0;
}

}  // namespace

// A program that may cancel receives gets no credit for what its sends cost, so the same program without has
// longer windows and the same prediction.
TEST_CASE("what a send costs its rank lengthens the windows between rounds") {
  test::HarnessOptions options;
  options.hosts = 2;
  options.config.send_overhead = 20_us;
  options.config.receive_overhead = 20_us;
  const auto run = [&options](bool cancels) {
    options.cancels = cancels;
    return test::run_ranks(8, pairs, options);
  };
  const auto with_credit = run(false);
  const auto without = run(true);
  CHECK(with_credit.exit_code == 0);
  CHECK(with_credit.predicted == without.predicted);
  CHECK(with_credit.statistics.rounds > 0);
  CHECK(with_credit.statistics.rounds * 2 < without.statistics.rounds);
}

// The library answers a synchronous send that is here already as soon as its receive is posted: rank 2 goes
// on at 21 us, and its answer reaches rank 0 at 25 us, before the message of rank 1 at 27 us and long before
// rank 2 could send anything.
TEST_CASE("no credit for a rank that owes an answer") {
  const auto body = [](int rank) {
    int in = 0;
    int out = rank;
    if (rank == 0) {
      MPI_Request requests[2];
      MPI_Issend(&out, 1, MPI_INT, 2, 7, MPI_COMM_WORLD, &requests[0]);
      MPI_Irecv(&in, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[1]);
      int first = -1;
      MPI_Waitany(2, requests, &first, MPI_STATUS_IGNORE);
      MPI_Wait(&requests[1 - first], MPI_STATUS_IGNORE);
      return first;
    }
    if (rank == 1) {
      while (MPI_Wtime() < 6e-6) {
      }
      MPI_Send(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else if (rank == 2) {
      MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Recv(&in, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(&out, 1, MPI_INT, 2, 3, MPI_COMM_WORLD);
    }
    return 0;
  };
  test::HarnessOptions options;
  options.cancels = false;
  options.config.send_overhead = 20_us;
  options.config.receive_overhead = 3_us;
  const auto alone = test::run_ranks(4, body, options);
  CHECK(alone.exit_code == 0);
  options.hosts = 2;
  for (options.seed = 1; options.seed <= 5; ++options.seed) {
    const auto apart = test::run_ranks(4, body, options);
    CHECK(apart.exit_code == 0);
    CHECK(apart.predicted == alone.predicted);
  }
}

// Rank 1 polls at 0 and at 30 us. The synchronous message comes to it while it waits for that second instant,
// at 21 us: its answer is back at 31 us, before rank 0's other send ends at 40 us.
TEST_CASE("the credit ends when a message comes that will be answered, whatever the rank waits for") {
  const auto body = [](int rank) {
    int value = 0;
    if (rank == 0) {
      MPI_Request requests[2];
      MPI_Issend(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(&value, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &requests[1]);
      int first = -1;
      MPI_Waitany(2, requests, &first, MPI_STATUS_IGNORE);
      MPI_Wait(&requests[1 - first], MPI_STATUS_IGNORE);
      return first;
    }
    MPI_Message message = MPI_MESSAGE_NULL;
    for (int there = 0; there == 0;) MPI_Improbe(0, 7, MPI_COMM_WORLD, &there, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return 0;
  };
  test::HarnessOptions options;
  options.cancels = false;
  options.config.send_overhead = 20_us;
  options.config.poll_interval = 30_us;
  CHECK(test::run_ranks(2, body, options).exit_code == 0);
  options.hosts = 2;
  for (const char* protocol : {"combined", "null", "conditional", "quantum"}) {
    for (options.seed = 1; options.seed <= 20; ++options.seed) {
      options.protocol = protocol;
      CAPTURE(protocol, options.seed);
      CHECK(test::run_ranks(2, body, options).exit_code == 0);
    }
  }
}
