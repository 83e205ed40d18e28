// Polling that ends, however late, and polling that never can.
#include <catch2/catch.hpp>

#include "mpisim/include/mpi.h"
#include "mpisim/livelock.hpp"
#include "mpisim/rank.hpp"
#include "tests/support/mpi_harness.hpp"

using namespace mpisim;
using namespace mpisim::kernel::literals;
using test::HarnessOptions;
using test::run_ranks;

namespace {

void compute(kernel::SimTime duration) {
  mpi::current_rank().charge_compute(duration);
}

/// Tests for a message of rank `source`, with work between.
void poll_with_work(int source, kernel::SimTime work) {
  int value = 0;
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, source, 0, MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) {
    compute(work);
    mpi::current_rank().expect_wait();
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
}

std::function<int(int)> program(std::function<void(int)> inner) {
  return [inner = std::move(inner)](int rank) {
    MPI_Init(nullptr, nullptr);
    inner(rank);
    MPI_Finalize();
    return 0;
  };
}

constexpr int many = 512;  // so that a window is 2048 polls of each rank

}  // namespace

TEST_CASE("a rank may poll for what comes in twenty seconds") {
  const auto result = run_ranks(2, program([](int rank) {
                                  const int value = 1;
                                  if (rank == 0) return poll_with_work(1, 10_us);
                                  compute(20_s);
                                  MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
                                }));
  INFO(result.report);
  CHECK(result.end == mpi::End::finished);
  CHECK(result.predicted > 20_s);
}

TEST_CASE("nor is it a livelock as long as any rank has something to do") {
  for (int hosts = 1; hosts <= 2; ++hosts) {
    HarnessOptions options;
    options.hosts = hosts;
    const auto result = run_ranks(many, program([](int rank) {
                                    const int value = 1;
                                    // A row of ranks, each of which waits for the one behind it.
                                    if (rank == 0) return poll_with_work(many - 1, 10_us);
                                    if (rank == many - 1) {
                                      poll_with_work(many / 2, 10_us);
                                      MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
                                    }
                                    if (rank == many / 2) {
                                      // It gives up polling.
                                      compute(100_ms);
                                      int flag = 0;
                                      for (int i = 0; i < 10000; ++i) {
                                        compute(10_us);
                                        MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
                                      }
                                      MPI_Send(&value, 1, MPI_INT, many - 1, 0, MPI_COMM_WORLD);
                                    }
                                  }),
                                  options);
    INFO(result.report);
    CHECK(result.end == mpi::End::finished);
  }
}

TEST_CASE("a livelock is found at the same simulated time on every number of kernels") {
  const auto body = program([](int rank) {
    int value = 0;
    if (rank == 7) return poll_with_work(3, 20_us);
    if (rank == many - 1) return poll_with_work(3, 10_us);
    if (rank == 3) MPI_Recv(&value, 1, MPI_INT, 7, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == many / 2) compute(30_ms);
  });
  const auto first = run_ranks(many, body);
  CHECK(first.end == mpi::End::livelock);
  CHECK(first.exit_code == 3);
  CHECK_THAT(first.report, Catch::StartsWith("livelock: rank 7 polls with MPI_Test"));
  // When the last rank has polled for a window after the last action, that of rank 256, in a row of windows
  // of some 2048 * 21 us.
  CHECK(first.predicted > 30_ms + 21_us * 2048);
  CHECK(first.predicted < 30_ms + 22_us * (2 * 2048));
  for (int hosts = 1; hosts <= 3; ++hosts) {
    for (const bool cancels : {false, true}) {
      HarnessOptions options;
      options.hosts = hosts;
      options.cancels = cancels;
      options.seed = static_cast<std::uint64_t>(hosts);
      const auto again = run_ranks(many, body, options);
      INFO(hosts << " hosts");
      CHECK(again.end == mpi::End::livelock);
      CHECK(again.exit_code == first.exit_code);
      CHECK(again.predicted == first.predicted);
      CHECK(again.report == first.report);
    }
  }
}

TEST_CASE("a loop that may end by itself is taken for endless after many polls") {
  // Natively it may have counted to a limit: the window is livelock_polls for any number of ranks.
  HarnessOptions options;
  options.livelock_polls = 5000;
  const auto body = [](int polls) {
    return program([polls](int rank) {
      int value = 0;
      if (rank != 7) return poll_with_work(7, 20_us);
      int flag = 0;
      for (int i = 0; i < polls; ++i) {
        compute(20_us);
        MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      }
      for (int to = 0; to < many; ++to)
        if (to != 7) MPI_Send(&value, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
    });
  };
  CHECK(run_ranks(many, body(4999), options).end == mpi::End::finished);
  const auto endless = run_ranks(many, body(1000000), options);
  CHECK(endless.end == mpi::End::livelock);
  CHECK_THAT(endless.report, Catch::Contains("--livelock-polls"));
}

TEST_CASE("polls of a loop that may end by itself cost next to nothing") {
  for (const int polls : {100, 1000, 100000}) {
    const auto result =
        run_ranks(2, program([polls](int rank) {
                    int value = 0, flag = 0;
                    for (int i = 0; i < polls; ++i) {
                      compute(100_ns);
                      MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
                    }
                    MPI_Send(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
                    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                  }));
    CHECK(result.predicted < 110_ns * polls + 3_us);
  }
}

TEST_CASE("the first window of a row that begins after a time") {
  mpi::PollRow row;
  row.begin = 10_ns;
  row.windows = {{20_ns, "", nullptr}, {30_ns, "", nullptr}};
  CHECK(row.first_since(5_ns) == 0);
  CHECK(row.first_since(10_ns) == 0);
  CHECK(row.first_since(11_ns) == 1);
  CHECK(row.first_since(20_ns) == 1);
  CHECK(row.first_since(21_ns) == 2);
  CHECK(row.first_since(31_ns) == 2);
}
