// MPI_Cancel of sends: what is matched before the cancellation is at the receiver goes through, what is not
// is taken back, and the wait behind it always ends.
#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <vector>

#include "mpisim/include/mpi.h"
#include "mpisim/rank.hpp"
#include "network_models/ideal.hpp"
#include "tests/support/mpi_harness.hpp"

using namespace mpisim;
using namespace mpisim::kernel::literals;
using test::run_ranks;

namespace {

void pass_time(double seconds) {
  for (const double until = MPI_Wtime() + seconds; MPI_Wtime() < until;) {
  }
}

test::HarnessOptions small_eager_limit() {
  test::HarnessOptions options;
  options.network =
      std::make_shared<network::Ideal>(network::IdealParameters{.latency = 10_us, .per_byte = {}});
  options.config.eager_limit = kernel::Bytes(16);
  return options;
}

enum class Way { standard, synchronous, buffered, persistent };

void begin_send(Way way, std::vector<char>& data, int tag, MPI_Request* request) {
  const int bytes = static_cast<int>(data.size());
  if (way == Way::standard) MPI_Isend(data.data(), bytes, MPI_CHAR, 1, tag, MPI_COMM_WORLD, request);
  if (way == Way::synchronous) MPI_Issend(data.data(), bytes, MPI_CHAR, 1, tag, MPI_COMM_WORLD, request);
  if (way == Way::buffered) MPI_Ibsend(data.data(), bytes, MPI_CHAR, 1, tag, MPI_COMM_WORLD, request);
  if (way != Way::persistent) return;
  MPI_Ssend_init(data.data(), bytes, MPI_CHAR, 1, tag, MPI_COMM_WORLD, request);
  MPI_Start(request);
}

int cancel_and_wait(MPI_Request* request) {
  MPI_Status status;
  int cancelled = -1;
  MPI_Cancel(request);
  MPI_Wait(request, &status);
  MPI_Test_cancelled(&status, &cancelled);
  return cancelled;
}

/// Whether rank 0's send of so many bytes is cancelled if the receiver posts its receive `late` seconds after
/// the start and the sender cancels after 100 us.
int outcome(Way way, int bytes, double late) {
  int seen = -1;
  char got = 0;
  const auto result = run_ranks(
      2,
      [&](int rank) {
        MPI_Init(nullptr, nullptr);
        std::vector<char> data(static_cast<std::size_t>(bytes), 'a');
        std::vector<char> room(4096);
        if (rank == 0) {
          MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
          MPI_Request request;
          begin_send(way, data, 7, &request);
          pass_time(1e-4);
          seen = cancel_and_wait(&request);
          if (way == Way::persistent) MPI_Request_free(&request);
          data.assign(data.size(), 'b');
          if (seen != 0) MPI_Send(data.data(), bytes, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
          void* detached = nullptr;
          int size = 0;
          MPI_Buffer_detach(&detached, &size);
        } else {
          pass_time(late);
          MPI_Recv(data.data(), bytes, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
          got = data.back();
        }
        MPI_Finalize();
        return 0;
      },
      small_eager_limit());
  CHECK(result.end == mpi::End::finished);
  CHECK(result.report.empty());
  CHECK(got == (seen != 0 ? 'b' : 'a'));
  return seen;
}

constexpr int pairs = 3;

/// Ranks below `pairs` send, and cancel what they have sent after a while; the others receive in several
/// ways. Each step ends with one message received.
int wavering_program(int rank, std::uint64_t seed) {
  MPI_Init(nullptr, nullptr);
  std::mt19937_64 draw(seed * 64 + static_cast<std::uint64_t>(rank));
  std::uint64_t digest = 1469598103934665603ULL;
  const auto mix = [&digest](std::uint64_t value) { digest = (digest ^ value) * 1099511628211ULL; };
  std::array<char, 64> data{};
  for (int step = 0; step < 20; ++step) {
    pass_time(static_cast<double>(draw() % 30) * 1e-6);
    if (rank < pairs) {
      const int peer = pairs + (rank + step) % pairs;
      MPI_Request request;
      MPI_Issend(data.data(), draw() % 2 == 0 ? 8 : 64, MPI_CHAR, peer, step, MPI_COMM_WORLD, &request);
      pass_time(static_cast<double>(draw() % 30) * 1e-6);
      const int cancelled = cancel_and_wait(&request);
      mix(static_cast<std::uint64_t>(cancelled));
      if (cancelled != 0) MPI_Send(data.data(), 64, MPI_CHAR, peer, step, MPI_COMM_WORLD);
    } else {
      const int peer = (rank - pairs + pairs * 20 - step) % pairs;
      const int source = draw() % 2 == 0 ? peer : MPI_ANY_SOURCE;
      MPI_Status status{};
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Message message = MPI_MESSAGE_NULL;
      int flag = 0;
      switch (draw() % 4) {
        case 0:
          MPI_Recv(data.data(), 64, MPI_CHAR, source, step, MPI_COMM_WORLD, &status);
          break;
        case 1:
          MPI_Irecv(data.data(), 64, MPI_CHAR, source, step, MPI_COMM_WORLD, &request);
          while (flag == 0) {
            mpi::current_rank().expect_wait();
            MPI_Test(&request, &flag, &status);
          }
          break;
        case 2:
          while (flag == 0) {
            mpi::current_rank().expect_wait();
            MPI_Improbe(source, step, MPI_COMM_WORLD, &flag, &message, &status);
          }
          MPI_Mrecv(data.data(), 64, MPI_CHAR, &message, &status);
          break;
        default:
          MPI_Irecv(data.data(), 64, MPI_CHAR, source, step, MPI_COMM_WORLD, &request);
          pass_time(static_cast<double>(draw() % 30) * 1e-6);
          MPI_Wait(&request, &status);
      }
      int count = 0;
      MPI_Get_count(&status, MPI_CHAR, &count);
      mix(static_cast<std::uint64_t>(status.MPI_SOURCE * 1000 + count));
    }
    mix(static_cast<std::uint64_t>(MPI_Wtime() * 1e12));
  }
  MPI_Finalize();
  return static_cast<int>(digest % 251);
}

}  // namespace

TEST_CASE("a cancelled send is taken back unless its receive comes first") {
  for (const Way way : {Way::standard, Way::synchronous, Way::persistent}) {
    CAPTURE(static_cast<int>(way));
    CHECK(outcome(way, 1000, 0) == 0);
    CHECK(outcome(way, 1000, 1e-3) == 1);
  }
  CHECK(outcome(Way::synchronous, 4, 1e-3) == 1);
  CHECK(outcome(Way::synchronous, 4, 0) == 0);
}

TEST_CASE("an eager send is complete before it can be cancelled") {
  CHECK(outcome(Way::standard, 4, 1e-3) == 0);
  CHECK(outcome(Way::buffered, 1000, 1e-3) == 0);
}

TEST_CASE("a cancelled send that nobody ever receives ends") {
  const auto body = [](int rank) {
    MPI_Init(nullptr, nullptr);
    int value = 0;
    int cancelled = 1;
    if (rank == 0) {
      MPI_Request request;
      MPI_Issend(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
      cancelled = cancel_and_wait(&request);
      MPI_Issend(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
      cancelled &= cancel_and_wait(&request);
      MPI_Issend(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
      MPI_Cancel(&request);
      MPI_Request_free(&request);
    }
    MPI_Finalize();
    return cancelled == 1 ? 0 : 1;
  };
  test::HarnessOptions options = small_eager_limit();
  for (const mpi::Progress progress : {mpi::Progress::asynchronous, mpi::Progress::in_calls}) {
    for (int hosts = 1; hosts <= 2; ++hosts) {
      options.config.progress = progress;
      options.hosts = hosts;
      const auto result = run_ranks(2, body, options);
      CHECK(result.end == mpi::End::finished);
      CHECK(result.exit_code == 0);
      CHECK(result.warnings.empty());
    }
  }
}

TEST_CASE("cancelled sends predict the same on every number of kernels") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    test::HarnessOptions options = small_eager_limit();
    if (seed % 2 == 0) options.config.progress = mpi::Progress::in_calls;
    const auto body = [seed](int rank) { return wavering_program(rank, seed); };
    const auto expected = run_ranks(2 * pairs, body, options);
    REQUIRE(expected.end == mpi::End::finished);
    for (int hosts = 1; hosts <= 3; ++hosts) {
      for (const bool deterministic : {true, false}) {
        options.hosts = hosts;
        options.seed = seed;
        options.deterministic = deterministic;
        INFO("seed " << seed << ", " << hosts << " hosts, deterministic " << deterministic);
        const auto result = run_ranks(2 * pairs, body, options);
        for (std::size_t rank = 0; rank < 2 * pairs; ++rank) {
          CHECK(result.ranks[rank].finish.ps() == expected.ranks[rank].finish.ps());
          CHECK(result.ranks[rank].exit_status == expected.ranks[rank].exit_status);
        }
      }
    }
  }
}
