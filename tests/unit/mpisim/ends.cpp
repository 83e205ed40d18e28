// How programs begin and end: what they leave unfinished at MPI_Finalize, levels of threads, statuses.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "mpisim/handles.hpp"
#include "mpisim/include/mpi.h"
#include "mpisim/rank.hpp"
#include "tests/support/mpi_harness.hpp"

using namespace mpisim;
using namespace mpisim::kernel::literals;
using test::HarnessOptions;
using test::run_ranks;

namespace {

void compute_for(double seconds) {
  for (const double until = MPI_Wtime() + seconds; MPI_Wtime() < until;) {
  }
}

/// Runs it on one and two kernels with adversarial delivery, and checks that all ends are the same; returns
/// the first.
test::HarnessResult same_on_all_hosts(int ranks, const std::function<int(int)>& body,
                                      HarnessOptions options) {
  options.config.eager_limit = kernel::Bytes(10);
  auto first = run_ranks(ranks, body, options);
  for (int hosts = 1; hosts <= 2; ++hosts) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      options.hosts = hosts;
      options.seed = seed;
      const auto again = run_ranks(ranks, body, options);
      CHECK(again.end == first.end);
      CHECK(again.exit_code == first.exit_code);
      CHECK(again.predicted == first.predicted);
      CHECK(again.report == first.report);
      CHECK(again.warnings == first.warnings);
      for (std::size_t rank = 0; rank < first.ranks.size(); ++rank)
        CHECK(again.ranks.at(rank).finish == first.ranks[rank].finish);
    }
  }
  return first;
}

}  // namespace

TEST_CASE("MPI_Finalize completes sends that nobody has waited for, and lists their requests") {
  for (const int sender : {0, 1}) {
    for (const bool synchronous : {false, true}) {
      const auto result = same_on_all_hosts(
          2,
          [=](int rank) {
            MPI_Init(nullptr, nullptr);
            static char data[2][100];
            const int bytes = synchronous ? 4 : 100;
            MPI_Request request;
            if (rank == sender) {
              (synchronous ? MPI_Issend : MPI_Isend)(data[0], bytes, MPI_CHAR, 1 - sender, 0, MPI_COMM_WORLD,
                                                     &request);
            } else {
              compute_for(1e-3);
              MPI_Recv(data[1], bytes, MPI_CHAR, sender, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            }
            MPI_Finalize();
            return 0;
          },
          {});
      CHECK(result.end == mpi::End::finished);
      CHECK(result.exit_code == 0);
      REQUIRE(result.warnings.size() == 1);
      CHECK_THAT(result.warnings[0],
                 Catch::StartsWith("not freed at MPI_Finalize by rank " + std::to_string(sender)) &&
                     Catch::Contains("1 request"));
      CHECK(result.ranks[static_cast<std::size_t>(sender)].finish > 1_ms);
    }
  }
}

TEST_CASE("a send that nobody receives ends in a deadlock at MPI_Finalize") {
  const auto result = same_on_all_hosts(2,
                                        [](int rank) {
                                          MPI_Init(nullptr, nullptr);
                                          static char data[100];
                                          MPI_Request request;
                                          if (rank == 0)
                                            MPI_Isend(data, 100, MPI_CHAR, 1, 3, MPI_COMM_WORLD, &request);
                                          MPI_Finalize();
                                          return 0;
                                        },
                                        {});
  CHECK(result.end == mpi::End::deadlock);
  CHECK_THAT(result.report, Catch::Contains("MPI_Finalize") && Catch::Contains("send to rank 1, tag 3") &&
                                Catch::Contains("started by MPI_Isend"));
}

TEST_CASE("receives that are left posted are a warning, and take what comes") {
  for (const int receiver : {0, 1}) {
    for (const bool cancels : {false, true}) {
      for (const int source : {MPI_ANY_SOURCE, 1 - receiver}) {
        for (const int tag : {MPI_ANY_TAG, 5}) {
          HarnessOptions options;
          options.cancels = cancels;
          const auto result = same_on_all_hosts(
              2,
              [=](int rank) {
                MPI_Init(nullptr, nullptr);
                char data[100] = {};
                if (rank == receiver) {
                  MPI_Request requests[2];
                  MPI_Irecv(data, 100, MPI_CHAR, source, tag, MPI_COMM_WORLD, &requests[0]);
                  MPI_Irecv(data, 100, MPI_CHAR, source, 9, MPI_COMM_WORLD, &requests[1]);
                } else {
                  compute_for(1e-3);
                  MPI_Ssend(data, 100, MPI_CHAR, receiver, 5, MPI_COMM_WORLD);
                }
                MPI_Finalize();
                return 0;
              },
              options);
          INFO(result.report);
          CHECK(result.end == mpi::End::finished);
          CHECK(result.exit_code == 0);
          REQUIRE(result.warnings.size() == 2);
          CHECK_THAT(result.warnings[0], Catch::StartsWith("never completed before MPI_Finalize by rank " +
                                                           std::to_string(receiver)) &&
                                             Catch::Contains("2 requests, the first started by MPI_Irecv"));
          CHECK_THAT(result.warnings[1], Catch::Contains("not freed") && Catch::Contains("2 requests"));
        }
      }
    }
  }
}

TEST_CASE("what is sent to a receive that its program has left is not written to the program's memory") {
  static std::vector<char> memory(100);
  memory.assign(100, 0);
  const auto result = run_ranks(2, [](int rank) {
    MPI_Init(nullptr, nullptr);
    const std::vector<char> data(100, 'x');
    MPI_Request request;
    if (rank == 0) MPI_Irecv(memory.data(), 100, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    if (rank == 1) MPI_Ssend(data.data(), 100, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
  });
  CHECK(result.end == mpi::End::finished);
  CHECK(memory == std::vector<char>(100, 0));
}

TEST_CASE(
    "a level of thread support is granted as it is asked for, but for calls of several threads at a time") {
  for (int level = MPI_THREAD_SINGLE; level <= MPI_THREAD_MULTIPLE; ++level) {
    const auto result = run_ranks(1, [level](int) {
      int provided = -1, queried = -1;
      MPI_Init_thread(nullptr, nullptr, level, &provided);
      MPI_Query_thread(&queried);
      MPI_Finalize();
      const int granted = std::min<int>(level, MPI_THREAD_SERIALIZED);
      return provided == granted && queried == granted ? 0 : 1;
    });
    CHECK(result.exit_code == 0);
  }
  for (const int level : {MPI_THREAD_SINGLE - 1, MPI_THREAD_MULTIPLE + 1}) {
    const auto result = run_ranks(1, [level](int) {
      int provided = -1;
      return MPI_Init_thread(nullptr, nullptr, level, &provided);
    });
    CHECK(result.end == mpi::End::misuse);
    CHECK_THAT(result.report, Catch::Contains("required is " + std::to_string(level)));
  }
}

TEST_CASE("MPI_Abort with a code that is not zero never looks like success") {
  const std::pair<int, int> statuses[] = {{0, 0},    {1, 1},   {255, 255}, {256, 1},
                                          {-256, 1}, {257, 1}, {-1, 255}};
  for (const auto& [code, status] : statuses) {
    const auto result = run_ranks(1, [asked = code](int) {
      MPI_Init(nullptr, nullptr);
      return MPI_Abort(MPI_COMM_WORLD, asked);
    });
    CHECK(result.end == mpi::End::abort);
    CHECK(result.exit_code == status);
  }
}

TEST_CASE("a stream of eager messages is not kept beyond the bound, and predicts the same") {
  constexpr int bytes = 1 << 10;
  constexpr int messages = 1000;
  static std::uint64_t most;
  const auto stream = [](int rank) {
    MPI_Init(nullptr, nullptr);
    std::vector<char> data(bytes);
    for (int i = 0; i < messages; ++i) {
      if (rank == 0) {
        MPI_Send(data.data(), bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        most = std::max(most, mpi::Message::kept_bytes());
      } else {
        MPI_Recv(data.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
    }
    MPI_Finalize();
    return 0;
  };
  HarnessOptions options;
  const std::uint64_t before = mpi::Message::kept_bytes();  // of runs that ended early
  most = 0;
  const auto unbounded = run_ranks(2, stream, options);
  CHECK(most - before == std::uint64_t{bytes} * messages);
  options.kept_bytes = before + std::uint64_t{10} * bytes;
  most = 0;
  const auto bounded = run_ranks(2, stream, options);
  CHECK(most <= options.kept_bytes + bytes);
  CHECK(mpi::Message::kept_bytes() == before);
  CHECK(bounded.end == mpi::End::finished);
  CHECK(bounded.predicted == unbounded.predicted);
  CHECK(bounded.ranks[0].finish == unbounded.ranks[0].finish);
}

TEST_CASE("blocks of an all-to-all wait for their receivers only now and then") {
  constexpr int ranks = 40;
  constexpr int bytes = 1000;
  static std::uint64_t most;
  const std::uint64_t before = mpi::Message::kept_bytes();
  most = before;
  const auto result = run_ranks(ranks, [](int rank) {
    MPI_Init(nullptr, nullptr);
    std::vector<char> out(ranks * bytes, static_cast<char>(rank)), in(ranks * bytes);
    for (int i = 0; i < 3; ++i) {
      MPI_Alltoall(out.data(), bytes, MPI_CHAR, in.data(), bytes, MPI_CHAR, MPI_COMM_WORLD);
      most = std::max(most, mpi::Message::kept_bytes());
    }
    MPI_Finalize();
    return 0;
  });
  CHECK(result.end == mpi::End::finished);
  CHECK(result.totals.messages == std::uint64_t{3} * ranks * (ranks - 1));
  // If each rank sent before others have posted their receives it would be a third of one operation.
  CHECK(most - before < std::uint64_t{ranks} * (ranks - 1) * bytes / 10);
}

TEST_CASE("with many ranks a result tells of all together only") {
  HarnessOptions options;
  const auto body = [](int rank) {
    MPI_Init(nullptr, nullptr);
    if (rank > 0) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (int other = 1, got = 0; rank == 0 && other < 6; ++other)
      MPI_Recv(&got, 1, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 4) compute_for(1e-3);
    MPI_Finalize();
    return rank == 3 ? 9 : 0;
  };
  const auto each = run_ranks(6, body, options);
  REQUIRE(each.ranks.size() == 6);
  options.most_results = 5;
  for (const int hosts : {1, 2, 3}) {
    options.hosts = hosts;
    const auto all = run_ranks(6, body, options);
    CHECK(all.ranks.empty());
    CHECK(all.predicted == each.predicted);
    CHECK(all.exit_code == 9);
    CHECK(all.totals.last_rank == 4);
    CHECK(all.totals.messages == each.totals.messages);
    CHECK(all.totals.communication.sum == each.totals.communication.sum);
    CHECK(all.totals.ranks == 6);
  }
}
