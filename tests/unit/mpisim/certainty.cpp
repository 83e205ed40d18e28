// What is certain at an instant of a rank, however far the kernel's guarantee reaches beyond it.
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "mpisim/include/mpi.h"
#include "mpisim/rank.hpp"
#include "network_models/ideal.hpp"
#include "runtime/rank_environment.hpp"
#include "tests/support/mpi_harness.hpp"

using namespace mpisim;
using namespace mpisim::kernel::literals;
using test::run_ranks;

namespace {

void pass_time(double seconds) {
  for (const double until = MPI_Wtime() + seconds; MPI_Wtime() < until;) {
  }
}

void print(const std::string& text) {
  runtime::current_environment()->services().write_output(1, text.data(), text.size());
}

}  // namespace

TEST_CASE("a probe does not see a message that belongs to a receive posted before") {
  for (const bool deterministic : {true, false}) {
    test::HarnessOptions options;
    options.deterministic = deterministic;
    const auto result = run_ranks(
        2,
        [](int rank) {
          MPI_Init(nullptr, nullptr);
          int value = 7;
          int bad = 0;
          if (rank == 0) {
            MPI_Send(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
          } else {
            MPI_Request request;
            MPI_Irecv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
            pass_time(1e-5);
            int flag = 0;
            MPI_Iprobe(0, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            bad = flag;
            MPI_Wait(&request, MPI_STATUS_IGNORE);
          }
          MPI_Finalize();
          return bad;
        },
        options);
    CHECK(result.end == mpi::End::finished);
    CHECK(result.exit_code == 0);
  }
}

TEST_CASE("what comes after a call does not touch it, though it is known during the call") {
  // The message is at rank 1 after 10 us; asked at 2 us, the kernel guarantees what comes before 12 us.
  test::HarnessOptions options;
  options.network =
      std::make_shared<network::Ideal>(network::IdealParameters{.latency = 10_us, .per_byte = {}});
  options.config.eager_limit = kernel::Bytes(16);

  SECTION("a library that makes progress inside calls answers at the next call") {
    options.config.progress = mpi::Progress::in_calls;
    for (const bool cancels : {false, true}) {
      options.cancels = cancels;
      const auto result = run_ranks(
          2,
          [](int rank) {
            MPI_Init(nullptr, nullptr);
            std::array<char, 64> data{};
            if (rank == 0) {
              MPI_Send(data.data(), 64, MPI_CHAR, 1, 3, MPI_COMM_WORLD);
            } else {
              MPI_Request request;
              int flag = 0;
              MPI_Irecv(data.data(), 64, MPI_CHAR, 0, 3, MPI_COMM_WORLD, &request);
              pass_time(2e-6);
              MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
              runtime::current_environment()->services().sleep(100_us);
              MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
            MPI_Finalize();
            return 0;
          },
          options);
      REQUIRE(result.end == mpi::End::finished);
      CHECK(result.ranks[0].finish > 110_us);
    }
  }
  SECTION("a receive that is cancelled before its message comes stays without it") {
    const auto result = run_ranks(
        2,
        [](int rank) {
          MPI_Init(nullptr, nullptr);
          int value = 0;
          int cancelled = 1;
          if (rank == 0) {
            MPI_Send(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
          } else {
            MPI_Request request;
            MPI_Status status;
            int flag = 0;
            pass_time(2e-6);
            MPI_Iprobe(0, 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            MPI_Irecv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
            MPI_Cancel(&request);
            MPI_Wait(&request, &status);
            MPI_Test_cancelled(&status, &cancelled);
            MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          }
          MPI_Finalize();
          return cancelled == 1 ? 0 : 1;
        },
        options);
    CHECK(result.end == mpi::End::finished);
    CHECK(result.exit_code == 0);
  }
}

TEST_CASE("an abort lets all ranks come to its instant") {
  // Rank 2 polls and prints up to the abort of rank 1, and another rank's end lies far behind it.
  const auto body = [](int rank) {
    MPI_Init(nullptr, nullptr);
    if (rank == 0) pass_time(1e-3);
    if (rank == 1) {
      pass_time(2.05e-5);
      MPI_Abort(MPI_COMM_WORLD, 3);
    }
    if (rank == 2) {
      for (int flag = 0;;) {
        MPI_Iprobe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        print("poll " + std::to_string(static_cast<int>(MPI_Wtime() * 1e9)) + "\n");
      }
    }
    MPI_Finalize();
    return 0;
  };
  const auto expected = run_ranks(3, body);
  CHECK(expected.end == mpi::End::abort);
  CHECK(expected.exit_code == 3);
  CHECK(expected.predicted < kernel::SimTime::from_seconds(2.1e-5));
  CHECK_THAT(expected.output, Catch::Contains("poll 20"));
  for (int hosts = 2; hosts <= 3; ++hosts) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      test::HarnessOptions options;
      options.hosts = hosts;
      options.seed = seed;
      INFO(hosts << " hosts, seed " << seed);
      const auto result = run_ranks(3, body, options);
      CHECK(result.output == expected.output);
      CHECK(result.predicted == expected.predicted);
      CHECK(result.report == expected.report);
    }
  }
}

namespace {

constexpr int ranks = 4;

/// Ranks that exchange messages in both directions at drawn times and look at their requests in every way
/// that does not wait for all of them, or take receives back.
int restless_program(int rank, std::uint64_t seed, bool cancels) {
  MPI_Init(nullptr, nullptr);
  std::mt19937_64 draw(seed * 64 + static_cast<std::uint64_t>(rank));
  std::mt19937_64 common(seed);
  std::uint64_t digest = 1469598103934665603ULL;
  const auto mix = [&digest](std::uint64_t value) { digest = (digest ^ value) * 1099511628211ULL; };
  std::array<char, 64> out{};
  std::array<std::array<char, 64>, 4 * ranks> in{};
  for (int step = 0; step < 12; ++step) {
    std::vector<MPI_Request> requests;
    const int bytes = common() % 2 == 0 ? 64 : 8;
    for (int peer = 0; peer < ranks; ++peer) {
      if (peer == rank) continue;
      requests.emplace_back();
      MPI_Irecv(in[requests.size()].data(), bytes, MPI_CHAR, peer, step, MPI_COMM_WORLD, &requests.back());
      if (cancels && draw() % 3 == 0) {
        pass_time(static_cast<double>(draw() % 40) * 1e-6);
        MPI_Status status;
        int cancelled = 0;
        MPI_Cancel(&requests.back());
        MPI_Wait(&requests.back(), &status);
        MPI_Test_cancelled(&status, &cancelled);
        mix(static_cast<std::uint64_t>(cancelled) + static_cast<std::uint64_t>(MPI_Wtime() * 1e12));
        requests.pop_back();
        if (cancelled != 0) {
          requests.emplace_back();
          MPI_Irecv(in[requests.size()].data(), bytes, MPI_CHAR, peer, step, MPI_COMM_WORLD,
                    &requests.back());
        }
      }
    }
    for (int peer = 0; peer < ranks; ++peer) {
      if (peer == rank) continue;
      pass_time(static_cast<double>(draw() % 15) * 1e-6);
      requests.emplace_back();
      (draw() % 2 == 0 ? MPI_Issend : MPI_Isend)(out.data(), bytes, MPI_CHAR, peer, step, MPI_COMM_WORLD,
                                                 &requests.back());
    }
    while (!requests.empty()) {
      int index = MPI_UNDEFINED;
      int flag = 0;
      MPI_Status status;
      switch (draw() % 4) {
        case 0:
          MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &index, &status);
          break;
        case 1:
          MPI_Testany(static_cast<int>(requests.size()), requests.data(), &index, &flag, &status);
          break;
        case 2:
          MPI_Test(&requests.front(), &flag, &status);
          if (flag != 0) index = 0;
          break;
        default:
          pass_time(static_cast<double>(draw() % 10) * 1e-6);
      }
      mix(static_cast<std::uint64_t>(index) + static_cast<std::uint64_t>(MPI_Wtime() * 1e12));
      if (index != MPI_UNDEFINED) requests.erase(requests.begin() + index);
    }
  }
  MPI_Finalize();
  return static_cast<int>(digest % 251);
}

}  // namespace

TEST_CASE("restless programs predict the same on every number of kernels") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const bool cancels = seed % 2 == 0;
    test::HarnessOptions options;
    options.cancels = cancels;
    options.network =
        std::make_shared<network::Ideal>(network::IdealParameters{.latency = 10_us, .per_byte = {}});
    if (seed % 4 < 2) options.config.progress = mpi::Progress::in_calls;
    options.config.eager_limit = kernel::Bytes(16);
    const auto body = [seed, cancels](int rank) { return restless_program(rank, seed, cancels); };
    const auto expected = run_ranks(ranks, body, options);
    REQUIRE(expected.end == mpi::End::finished);
    for (int hosts = 1; hosts <= 3; ++hosts) {
      for (const bool deterministic : {true, false}) {
        options.hosts = hosts;
        options.seed = seed;
        options.deterministic = deterministic;
        INFO("seed " << seed << ", " << hosts << " hosts, deterministic " << deterministic);
        const auto result = run_ranks(ranks, body, options);
        for (std::size_t rank = 0; rank < ranks; ++rank) {
          CHECK(result.ranks[rank].finish.ps() == expected.ranks[rank].finish.ps());
          CHECK(result.ranks[rank].exit_status == expected.ranks[rank].exit_status);
        }
      }
    }
  }
}

TEST_CASE("constructors give the same communicators on every number of kernels") {
  const auto body = [](int rank) {
    MPI_Init(nullptr, nullptr);
    MPI_Comm halves;
    MPI_Comm copy;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &halves);
    MPI_Comm_dup(halves, &copy);
    int place = -1;
    MPI_Comm_rank(copy, &place);
    int value = rank;
    MPI_Bcast(&value, 1, MPI_INT, 0, copy);
    MPI_Comm_free(&halves);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return place == (5 - rank) / 2 && value == 4 + rank % 2 ? 0 : 1;
  };
  const auto expected = run_ranks(6, body);
  CHECK(expected.exit_code == 0);
  for (int hosts = 2; hosts <= 3; ++hosts) {
    test::HarnessOptions options;
    options.hosts = hosts;
    const auto result = run_ranks(6, body, options);
    CHECK(result.exit_code == 0);
    CHECK(result.predicted == expected.predicted);
  }
}

TEST_CASE("all that a rank does for a message to itself happens within one long call") {
  // A fruitless test of 10 us: the envelope comes after 1 us, the answer after 2, the data after 3.
  test::HarnessOptions options;
  options.config.progress = mpi::Progress::in_calls;
  options.config.eager_limit = kernel::Bytes(16);
  options.config.poll_interval = 10_us;
  for (const bool cancels : {false, true}) {
    for (const bool any : {false, true}) {
      CAPTURE(cancels, any);
      options.cancels = cancels;
      const auto result = run_ranks(
          1,
          [any](int) {
            MPI_Init(nullptr, nullptr);
            std::array<char, 64> data{};
            std::array<char, 64> room{};
            std::array<MPI_Request, 2> requests{};
            MPI_Irecv(room.data(), 64, MPI_CHAR, any ? MPI_ANY_SOURCE : 0, 3, MPI_COMM_WORLD, &requests[0]);
            MPI_Isend(data.data(), 64, MPI_CHAR, 0, 3, MPI_COMM_WORLD, &requests[1]);
            int first = 1;
            int second = 0;
            mpi::current_rank().expect_wait();
            MPI_Test(&requests[0], &first, MPI_STATUS_IGNORE);
            MPI_Test(&requests[0], &second, MPI_STATUS_IGNORE);
            MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
            MPI_Finalize();
            return first == 0 && second == 1 ? 0 : 1;
          },
          options);
      CHECK(result.end == mpi::End::finished);
      CHECK(result.exit_code == 0);
    }
  }
}

TEST_CASE("a recorded order says nothing of what a rank sends itself") {
  // Rank 1's second message is known early and comes late: what rank 0 sends itself in between is there
  // before.
  const std::string order = "own_messages_test.order";
  for (const std::string protocol : {"sequential", "ideal"}) {
    test::HarnessOptions options;
    options.cancels = false;
    options.protocol = protocol;
    options.order_file = order;
    const auto result = run_ranks(
        2,
        [](int rank) {
          MPI_Init(nullptr, nullptr);
          int value = 7;
          int bad = 0;
          if (rank == 1) {
            MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
            pass_time(1e-4);
            MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
          } else {
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            std::array<int, 2> values{};
            std::array<MPI_Request, 2> requests{};
            std::array<MPI_Status, 2> statuses{};
            for (std::size_t i = 0; i < 2; ++i)
              MPI_Irecv(&values[i], 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &requests[i]);
            MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
            MPI_Waitall(2, requests.data(), statuses.data());
            if (statuses[0].MPI_SOURCE != 0 || statuses[1].MPI_SOURCE != 1) bad = 1;
          }
          MPI_Finalize();
          return bad;
        },
        options);
    CAPTURE(protocol);
    CHECK(result.end == mpi::End::finished);
    CHECK(result.exit_code == 0);
  }
  std::remove(order.c_str());
}
