// Output of ranks: sorted on disk where memory is short, merged from several host processes while they run.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <random>

#include "mpisim/core.hpp"
#include "mpisim/include/mpi.h"
#include "mpisim/output.hpp"
#include "mpisim/rank.hpp"
#include "tests/support/mpi_harness.hpp"

using namespace mpisim;
using kernel::SimTime;

namespace {

constexpr int rounds = 60;

void print(const std::string& text) {
  mpi::current_rank().write_output(1, text.data(), text.size());
}

std::string line(int rank, int round) {
  return "rank " + std::to_string(rank) + " round " + std::to_string(round) + "\n";
}

// All meet in every round, so that the order is known from time to time; sleeps spread what they print.
int print_and_meet(int rank) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int round = 0; round < rounds; ++round) {
    print(line(rank, round));
    mpi::current_rank().sleep(SimTime::picoseconds((rank * 7 + round * 5) % 11 * 1'000'000LL));
    print(line(rank, round));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return 0;
}

}  // namespace

TEST_CASE("Output that exceeds its memory goes to disk and comes back in order") {
  mpi::OutputStore store(4096);
  std::vector<mpi::OutputRecord> expected;
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    mpi::OutputRecord record;
    record.time = SimTime::picoseconds(static_cast<std::int64_t>(random() % 500));
    record.rank = static_cast<int>(random() % 5);
    record.sequence = static_cast<std::uint64_t>(i);
    record.fd = 1 + i % 2;
    record.text.assign(i == 1500 ? 300'000 : random() % 200, static_cast<char>('a' + i % 26));
    expected.push_back(record);
    store.add(std::move(record));
    if (i % 3 != 0) continue;
    const auto smallest = std::min_element(expected.begin(), expected.end());
    CHECK(store.first_time() == smallest->time);
    const mpi::OutputRecord taken = store.take();
    REQUIRE((taken.time == smallest->time && taken.sequence == smallest->sequence));
    expected.erase(smallest);
  }
  CHECK(store.bytes_on_disk() > 100'000);
  std::sort(expected.begin(), expected.end());
  for (const mpi::OutputRecord& record : expected) {
    REQUIRE(!store.empty());
    const mpi::OutputRecord taken = store.take();
    REQUIRE((taken.time == record.time && taken.rank == record.rank && taken.sequence == record.sequence));
    REQUIRE((taken.fd == record.fd && taken.text == record.text));
  }
  CHECK(store.empty());
  CHECK(store.first_time().is_infinite());
  CHECK(store.bytes_on_disk() == 0);
}

TEST_CASE("Where there is no room on disk, output stays in memory") {
  const std::string before = getenv("TMPDIR") != nullptr ? getenv("TMPDIR") : "/tmp";
  setenv("TMPDIR", "/no/such/folder", 1);
  mpi::OutputStore store(100);
  for (int i = 0; i < 100; ++i) store.add({SimTime::picoseconds(100 - i), 0, 0, 1, std::to_string(i)});
  setenv("TMPDIR", before.c_str(), 1);
  CHECK(store.bytes_on_disk() == 0);
  for (int i = 99; i >= 0; --i) CHECK(store.take().text == std::to_string(i));
}

TEST_CASE("Output of several host processes is the same, and comes while they run") {
  const std::string expected = test::run_ranks(6, print_and_meet).output;
  CHECK(std::count(expected.begin(), expected.end(), '\n') == 2 * 6 * rounds);
  for (const char* protocol : {"conditional", "null", "combined", "quantum"}) {
    for (const std::uint64_t memory : {std::uint64_t{500}, std::uint64_t{1} << 20}) {
      CAPTURE(protocol, memory);
      // How many rounds the slowest rank had to go when something was written first.
      std::atomic<int> done = 0;
      std::atomic<int> at_first_write = -1;
      test::HarnessOptions options;
      options.hosts = 3;
      options.seed = memory;
      options.protocol = protocol;
      options.deterministic = false;  // so that protocols have something to do
      options.output_bytes = memory;
      options.on_output = [&](std::string_view) {
        int none = -1;
        at_first_write.compare_exchange_strong(none, done);
      };
      const auto result = test::run_ranks(
          6,
          [&](int rank) {
            const int status = print_and_meet(rank);
            ++done;
            return status;
          },
          options);
      CHECK(result.output == expected);
      CHECK(at_first_write < 6);
    }
  }
}

TEST_CASE("What is printed after the end of the run has not happened, on several host processes either") {
  const auto body = [](int rank) {
    print(line(rank, 0));
    mpi::current_rank().sleep(SimTime::picoseconds((rank == 4 ? 50 : 100) * 1'000'000LL));
    if (rank == 4) MPI_Abort(MPI_COMM_WORLD, 3);
    print(line(rank, 1));
    return 0;
  };
  const auto expected = test::run_ranks(6, body);
  CHECK(std::count(expected.output.begin(), expected.output.end(), '\n') == 6);
  for (const char* protocol : {"conditional", "null", "combined", "quantum"}) {
    test::HarnessOptions options;
    options.hosts = 3;
    options.protocol = protocol;
    const auto result = test::run_ranks(6, body, options);
    CHECK(result.exit_code == 3);
    CHECK(result.output == expected.output);
  }
}
