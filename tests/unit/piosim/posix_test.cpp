// The program's own POSIX and stdio files (io.posix).
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "mpisim/rank.hpp"
#include "tests/unit/piosim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using namespace mpisim::kernel::literals;
using kernel::SimTime;
using pio::Counter;

#define WRAPPED(name) extern "C" decltype(::name) __wrap_##name
WRAPPED(open);
WRAPPED(close);
WRAPPED(pread);
WRAPPED(pwrite);
WRAPPED(write);
WRAPPED(fopen);
WRAPPED(mkdir);
WRAPPED(rmdir);
WRAPPED(rename);
WRAPPED(access);
extern "C" int __wrap_stat(const char* path, struct stat* result);

namespace {

SimTime now() {
  return mpi::current_rank().now();
}

SimTime io_of(const mpi::RankResult& rank) {
  return rank.in_calls[static_cast<std::size_t>(mpi::CallKind::input_output)];
}

pio::Config configured(pio::Posix posix) {
  pio::Config config = with_file_system();
  config.posix = posix;
  config.local_disk = {1_ms, 10_ms, kernel::ByteTime::from_bandwidth(1e6)};
  return config;
}

/// A file of each rank: 500 bytes, 500 more, and the first 100 again. Without MPI.
std::function<int(int)> own_files(const Directory& directory) {
  return [&directory](int rank) {
    const std::string name = directory.file("own" + std::to_string(rank));
    const int file = __wrap_open(name.c_str(), O_CREAT | O_RDWR, 0600);
    char data[500] = {};
    __wrap_pwrite(file, data, 500, 0);
    __wrap_pwrite(file, data, 500, 500);
    if (__wrap_pread(file, data, 100, 0) != 100) return 1;
    return __wrap_close(file);
  };
}

}  // namespace

TEST_CASE("local: a disk of the rank, in the breakdown's I/O") {
  const Directory directory;
  const auto result = run_ranks(3, own_files(directory), with(configured(pio::Posix::local)));
  CHECK(result.exit_code == 0);
  for (const mpi::RankResult& rank : result.ranks) {
    CHECK(rank.finish == 24_ms + 100_us);  // two of them seek
    CHECK(io_of(rank) == rank.finish);
  }
  CHECK(counted(result, Counter::requests) == 0);  // the machine's storage has no part in it
  CHECK(counted(result, Counter::disk_writes) == 0);
}

TEST_CASE("free: nothing at all") {
  const Directory directory;
  const auto result = run_ranks(3, own_files(directory), with(configured(pio::Posix::free)));
  CHECK(result.exit_code == 0);
  CHECK(result.predicted == 0_ps);
}

TEST_CASE("pfs: the ranks' files share the disks of the file system") {
  const Directory directory;
  pio::Config config = configured(pio::Posix::pfs);
  config.open_cost = 7_ms;
  config.metadata_cost = 0_ps;
  const auto one = run_ranks(1, own_files(directory), with(config));
  CHECK(one.exit_code == 0);
  CHECK(one.predicted > 10_ms);
  CHECK(io_of(one.ranks[0]) == one.predicted);
  CHECK(counted(one, Counter::requests) == 3);
  CHECK(counted(one, Counter::seeks) == 1);
  CHECK(counted(one, Counter::bytes_written) == 1000);
  CHECK(counted(one, Counter::bytes_read) == 100);
  CHECK(counted(one, Counter::disk_writes) == 6);  // stripes of 64 B on three disks
  const auto six = run_ranks(6, own_files(directory), with(config));
  CHECK(six.predicted > one.predicted + 35_ms);
}

TEST_CASE("pfs on machines whose ranks have disks: those disks") {
  const Directory directory;
  pio::Config config = configured(pio::Posix::pfs);
  config.model = pio::Model::disk;
  config.disk = {};
  config.disk = disk::factory<disk::Analytic>(disk::AnalyticParameters{2_ms, 0_ps, {}});
  config.open_cost = 1_ms;
  config.metadata_cost = 1_ms;
  const auto result = run_ranks(2, own_files(directory), with(config));
  CHECK(result.predicted == 8_ms);
  CHECK(counted(result, Counter::requests) == 6);
}

TEST_CASE("calls about names cost a call about a file where the files are the machine's") {
  const Directory directory;
  const auto body = [&directory](int rank) {
    const std::string name = directory.file("n" + std::to_string(rank)), other = name + "x";
    struct stat about{};
    EXPECT(__wrap_mkdir(name.c_str(), 0700) == 0);
    EXPECT(__wrap_stat(name.c_str(), &about) == 0);
    EXPECT(__wrap_rename(name.c_str(), other.c_str()) == 0);
    EXPECT(__wrap_access(name.c_str(), R_OK) == -1);
    EXPECT(__wrap_rmdir(other.c_str()) == 0);
    EXPECT(__wrap_open(name.c_str(), O_RDONLY) == -1);
    EXPECT(__wrap_stat("/proc/self/stat", &about) == 0);  // of the host, and free
    return 0;
  };
  pio::Config disk = configured(pio::Posix::pfs);
  disk.model = pio::Model::disk;
  disk.metadata_cost = 1_ms;
  const auto own = run_ranks(2, body, with(disk));
  CHECK(own.exit_code == 0);
  CHECK(own.predicted == 6_ms);
  CHECK(counted(own, Counter::metadata_calls) == 12);
  CHECK(counted(own, Counter::requests) == 0);

  pio::Config shared = configured(pio::Posix::pfs);
  shared.metadata_cost = 5_ms;
  shared.pfs.metadata.create_cost = 100_ms;
  const auto one = run_ranks(1, body, with(shared));
  CHECK(one.exit_code == 0);
  CHECK(one.predicted > 230_ms);
  const auto four = run_ranks(4, body, with(shared));
  CHECK(four.predicted > 920_ms);  // one thread serves them all
  for (int hosts = 2; hosts <= 4; ++hosts) {
    const auto same = run_ranks(4, body, with(shared, hosts));
    CHECK(same.predicted == four.predicted);
    CHECK(same.totals.counters == four.totals.counters);
  }
  for (const auto posix : {pio::Posix::local, pio::Posix::free}) {
    const auto nothing = run_ranks(2, body, with(configured(posix)));
    CHECK(nothing.predicted == 0_ps);
    CHECK(counted(nothing, Counter::metadata_calls) == 0);
  }
}

TEST_CASE("streams cost what leaves their buffers, output to the terminal nothing") {
  const Directory directory;
  const auto result = run_ranks(
      1,
      [&](int) {
        FILE* const file = __wrap_fopen(directory.file("text").c_str(), "w");
        for (int i = 0; i < 100; ++i) fprintf(file, "line %d\n", i);
        if (now() != 0_ps) return 1;
        fclose(file);
        if (now() != 11_ms + 790_us) return 2;
        return __wrap_write(1, "printed\n", 8) == 8 && now() == 11_ms + 790_us ? 0 : 3;
      },
      with(configured(pio::Posix::local)));
  CHECK(result.exit_code == 0);
  CHECK(result.output == "printed\n");
}

TEST_CASE("the program's files and messages cost the same on every number of host processes") {
  const Directory directory;
  const auto body = program([&](int rank) {
    // A rendezvous is answered while the other rank is busy with its file, or not before its next call.
    std::vector<char> large(100'000);
    MPI_Request request;
    const int peer = rank ^ 1;
    MPI_Irecv(large.data(), 100'000, MPI_CHAR, peer, 1, MPI_COMM_WORLD, &request);
    const int file =
        __wrap_open(directory.file("f" + std::to_string(rank % 3)).c_str(), O_CREAT | O_RDWR, 0600);
    char data[300] = {};
    for (int i = 0; i < 4; ++i)
      __wrap_pwrite(file, data, static_cast<std::size_t>(100 + 40 * rank), 1000 * rank + i);
    std::vector<char> out(100'000, static_cast<char>(rank));
    MPI_Send(out.data(), 100'000, MPI_CHAR, peer, 1, MPI_COMM_WORLD);
    __wrap_pwrite(file, data, 30, 77);
    int from = 0;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % 4, 2, &from, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    __wrap_close(file);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return large.back() == static_cast<char>(peer) ? 0 : 1;
  });
  for (const auto posix : {pio::Posix::local, pio::Posix::pfs}) {
    for (const auto progress : {mpi::Progress::asynchronous, mpi::Progress::in_calls}) {
      HarnessResult expected;
      for (int hosts = 1; hosts <= 3; ++hosts) {
        for (std::uint64_t seed = 1; seed <= (hosts == 1 ? 2 : 6); ++seed) {
          INFO("posix " << static_cast<int>(posix) << ", in calls " << (progress == mpi::Progress::in_calls)
                        << ", " << hosts << " hosts, seed " << seed);
          HarnessOptions options = with(configured(posix), hosts);
          options.seed = seed;
          options.deterministic = seed % 2 == 1;
          options.config.progress = progress;
          const auto result = run_ranks(4, body, options);
          CHECK(result.exit_code == 0);
          if (hosts == 1 && seed == 1) expected = result;
          CHECK(result.predicted == expected.predicted);
          CHECK(result.totals.counters == expected.totals.counters);
          for (std::size_t rank = 0; rank < 4; ++rank) {
            CHECK(io_of(result.ranks[rank]) == io_of(expected.ranks[rank]));
            CHECK(result.ranks[rank].finish == expected.ranks[rank].finish);
          }
        }
      }
    }
  }
}
