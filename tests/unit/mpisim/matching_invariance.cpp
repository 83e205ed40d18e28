// The same prediction however the simulation is run: random programs on 1, 2 and 3 kernels with adversarial
// delivery.
#include <catch2/catch.hpp>
#include <cstdio>
#include <random>
#include <vector>

#include "mpisim/include/mpi.h"
#include "mpisim/rank.hpp"
#include "network_models/ideal.hpp"
#include "tests/support/mpi_harness.hpp"

using namespace mpisim;
using namespace mpisim::kernel::literals;

namespace {

constexpr int ranks = 6;
constexpr int steps = 25;

/// One step of the generated program: every rank sends a few messages and one rank receives them in some way.
/// All ranks draw the same numbers, so they agree on the plan.
int generated_program(int rank, std::uint64_t seed, bool cancels) {
  MPI_Init(nullptr, nullptr);
  std::mt19937_64 plan(seed);
  std::uint64_t digest = 1469598103934665603ULL;
  const auto mix = [&digest](std::uint64_t value) { digest = (digest ^ value) * 1099511628211ULL; };
  for (int step = 0; step < steps; ++step) {
    const int receiver = static_cast<int>(plan() % ranks);
    auto way = plan() % 6;
    if (way == 3 && !cancels) way = 4;
    const int bytes = plan() % 4 == 0 ? 100'000 : static_cast<int>(plan() % 64);
    const bool synchronous = plan() % 3 == 0;
    std::vector<double> pauses;
    for (int r = 0; r < ranks; ++r) pauses.push_back(static_cast<double>(plan() % 50) * 1e-6);
    for (const double until = MPI_Wtime() + pauses[static_cast<std::size_t>(rank)]; MPI_Wtime() < until;) {
    }
    if (rank != receiver) {
      std::vector<char> data(static_cast<std::size_t>(bytes) + 1, static_cast<char>(rank));
      MPI_Request request;
      (synchronous ? MPI_Issend : MPI_Isend)(data.data(), bytes, MPI_CHAR, receiver, step, MPI_COMM_WORLD,
                                             &request);
      if (way % 2 == 0) {
        for (int done = 0; done == 0;) {
          mpisim::mpi::current_rank().expect_wait();
          MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        }
      } else {
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      continue;
    }
    std::vector<std::vector<char>> data(ranks, std::vector<char>(static_cast<std::size_t>(bytes) + 1));
    std::vector<MPI_Request> requests;
    MPI_Status status;
    for (int i = 0; i < ranks - 1; ++i) {
      char* buffer = data[static_cast<std::size_t>(i)].data();
      const int source = i < receiver ? i : i + 1;
      switch (way) {
        case 0:
          MPI_Recv(buffer, bytes, MPI_CHAR, MPI_ANY_SOURCE, step, MPI_COMM_WORLD, &status);
          mix(static_cast<std::uint64_t>(status.MPI_SOURCE));
          break;
        case 1:
          MPI_Probe(MPI_ANY_SOURCE, step, MPI_COMM_WORLD, &status);
          mix(static_cast<std::uint64_t>(status.MPI_SOURCE));
          MPI_Recv(buffer, bytes, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
          break;
        case 2:
          for (int flag = 0; flag == 0;) {
            mpisim::mpi::current_rank().expect_wait();
            MPI_Iprobe(MPI_ANY_SOURCE, step, MPI_COMM_WORLD, &flag, &status);
          }
          mix(static_cast<std::uint64_t>(status.MPI_SOURCE));
          MPI_Recv(buffer, bytes, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, &status);
          break;
        default:
          requests.emplace_back();
          MPI_Irecv(buffer, bytes, MPI_CHAR, way == 3 && i % 2 == 0 ? MPI_ANY_SOURCE : source, step,
                    MPI_COMM_WORLD, &requests.back());
          // A wildcard may take a named source's message; then all have to be wildcards.
          if (way == 3 && i % 2 != 0) {
            MPI_Cancel(&requests.back());
            MPI_Wait(&requests.back(), &status);
            int cancelled = 0;
            MPI_Test_cancelled(&status, &cancelled);
            mix(static_cast<std::uint64_t>(cancelled));
            requests.pop_back();
            if (cancelled != 0) {
              requests.emplace_back();
              MPI_Irecv(buffer, bytes, MPI_CHAR, MPI_ANY_SOURCE, step, MPI_COMM_WORLD, &requests.back());
            }
          }
      }
    }
    while (!requests.empty() && way != 3) {
      int index = 0;
      if (way == 4) {
        MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &index, &status);
      } else {
        for (int flag = 0; flag == 0;) {
          MPI_Testany(static_cast<int>(requests.size()), requests.data(), &index, &flag, &status);
        }
      }
      mix(static_cast<std::uint64_t>(status.MPI_SOURCE));
      requests.erase(requests.begin() + index);
    }
    if (way == 3) MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }
  mix(static_cast<std::uint64_t>(MPI_Wtime() * 1e12));
  MPI_Finalize();
  return static_cast<int>(digest % 251);
}

/// One receiver after another gets four messages of three tags from every other rank by receives that name
/// the source, the tag, both or neither; each is sure of a message whatever those before it have taken.
int several_tags(int rank, std::uint64_t seed) {
  constexpr int per_sender = 4;
  constexpr int tags = 3;
  constexpr int steps_of_tags = 12;
  MPI_Init(nullptr, nullptr);
  std::mt19937_64 plan(seed);
  std::uint64_t digest = 1469598103934665603ULL;
  for (int step = 0; step < steps_of_tags; ++step) {
    const int receiver = static_cast<int>(plan() % ranks);
    int tag_of[ranks][per_sender];
    int left_of_tag[tags] = {};
    for (int sender = 0; sender < ranks; ++sender) {
      for (int& tag : tag_of[sender]) {
        tag = static_cast<int>(plan() % tags);
        if (sender != receiver) ++left_of_tag[tag];
      }
    }
    const double pause = static_cast<double>(plan() % 5) * 1e-6 * rank;
    std::vector<std::pair<int, int>> receives;  // source and tag
    for (int i = 0; i < per_sender - 1; ++i) {
      const int tag = static_cast<int>(plan() % tags);
      const int source = (receiver + 1 + static_cast<int>(plan() % (ranks - 1))) % ranks;
      const bool any = plan() % 2 == 0;
      if (any && left_of_tag[tag] >= per_sender) receives.emplace_back(MPI_ANY_SOURCE, tag);
      if (!any) receives.emplace_back(source, MPI_ANY_TAG);
    }
    const std::size_t all = std::size_t{ranks - 1} * per_sender;
    if (rank != receiver) {
      for (const double until = MPI_Wtime() + pause; MPI_Wtime() < until;) {
      }
      for (int i = 0; i < per_sender; ++i) {
        const int value = rank * per_sender + i;
        MPI_Send(&value, 1, MPI_INT, receiver, tag_of[rank][i], MPI_COMM_WORLD);
      }
    } else {
      while (receives.size() < all) receives.emplace_back(MPI_ANY_SOURCE, MPI_ANY_TAG);
      std::vector<int> values(all);
      std::vector<MPI_Request> requests(all);
      for (std::size_t i = 0; i < all; ++i)
        MPI_Irecv(&values[i], 1, MPI_INT, receives[i].first, receives[i].second, MPI_COMM_WORLD,
                  &requests[i]);
      MPI_Waitall(static_cast<int>(all), requests.data(), MPI_STATUSES_IGNORE);
      for (const int value : values) digest = (digest ^ static_cast<std::uint64_t>(value)) * 1099511628211ULL;
    }
    MPI_Barrier(MPI_COMM_WORLD);  // the next step's messages are not for these receives
  }
  MPI_Finalize();
  return static_cast<int>(digest % 251);
}

/// Everything that is predicted, in one text.
std::string fingerprint(const test::HarnessResult& result) {
  std::string text = result.report;
  for (const mpi::RankResult& rank : result.ranks) {
    text += std::to_string(rank.finish.ps()) + ' ' + std::to_string(rank.messages) + ' ' +
            std::to_string(rank.exit_status);
    for (const auto time : rank.in_calls) text += ' ' + std::to_string(time.ps());
    text += '\n';
  }
  return text;
}

/// Compares generated programs with themselves on 1 to 3 kernels, with call-wise determinism on and off.
void compare(const mpi::Config& config, std::uint64_t first_seed, std::uint64_t programs,
             kernel::SimTime latency = 1_us, bool cancels = true, bool tags = false) {
#ifdef __SANITIZE_ADDRESS__
  programs = 1;  // some thirty times slower; what is looked for are faults of memory
#endif
  for (std::uint64_t seed = first_seed; seed < first_seed + programs; ++seed) {
    INFO("program seed " << seed);
    const auto body = [seed, cancels, tags](int rank) {
      return tags ? several_tags(rank, seed) : generated_program(rank, seed, cancels);
    };
    test::HarnessOptions one;
    one.config = config;
    one.cancels = cancels;
    one.network = std::make_shared<network::Ideal>(network::IdealParameters{latency, {}});
    const auto sequential = test::run_ranks(ranks, body, one);
    INFO(sequential.report);
    REQUIRE(sequential.end == mpi::End::finished);
    const std::string expected = fingerprint(sequential);
    for (int hosts = 1; hosts <= 3; ++hosts) {
      for (const bool deterministic : {true, false}) {
        test::HarnessOptions options = one;
        options.hosts = hosts;
        options.seed = seed * 7 + static_cast<std::uint64_t>(hosts);
        options.deterministic = deterministic;
        INFO(hosts << " hosts, deterministic " << deterministic);
        REQUIRE(fingerprint(test::run_ranks(ranks, body, options)) == expected);
      }
    }
  }
}

}  // namespace

TEST_CASE("generated programs predict the same on every number of kernels") {
  compare(mpi::Config{}, 1, 8);
}

TEST_CASE("so they do when the library makes progress only inside calls") {
  mpi::Config config;
  config.progress = mpi::Progress::in_calls;
  config.eager_limit = kernel::Bytes(16);
  compare(config, 100, 8);
}

TEST_CASE("and when the kernel's guarantee reaches far beyond what a rank does in one call") {
  mpi::Config config;
  compare(config, 200, 2, 30_us);
  config.progress = mpi::Progress::in_calls;
  config.eager_limit = kernel::Bytes(16);
  compare(config, 300, 2, 30_us);
  compare(config, 400, 2, 30_us, false);
}

TEST_CASE("receives that name the source, the tag, both or neither take the same messages everywhere") {
  for (const bool cancels : {false, true}) compare(mpi::Config{}, 500, 8, 1_us, cancels, true);
}
