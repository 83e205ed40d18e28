// Programs on a parallel file system (io.model: pfs).
#include <catch2/catch.hpp>

#include "mpisim/rank.hpp"
#include "network_models/ideal.hpp"
#include "tests/unit/piosim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using namespace mpisim::kernel::literals;
using kernel::SimTime;
using pio::Counter;

namespace {

/// Nothing costs anything but disks: 1 ms, 10 ms latency, 1 us per byte; files of one cell.
pio::Config one_disk() {
  pio::Config config;
  config.model = pio::Model::pfs;
  config.collective = pio::Collective::barrier;
  config.open_cost = 0_ps;
  config.metadata_cost = 0_ps;
  config.disk = disk::factory<disk::Analytic>(
      disk::AnalyticParameters{1_ms, 10_ms, kernel::ByteTime::from_bandwidth(1e6)});
  config.pfs.first_io_node = 1000;
  config.pfs.client_overhead = 0_ps;
  config.pfs.server_overhead = 0_ps;
  return config;
}

SimTime io_of(const HarnessResult& result, std::size_t rank) {
  return result.ranks[rank].in_calls[static_cast<std::size_t>(mpi::CallKind::input_output)];
}

/// Every rank writes `bytes` bytes of its own, then what the rank before it wrote is read back.
std::function<int(int)> exchange_through(const std::string& name, int ranks, int bytes) {
  return program([=](int rank) {
    MPI_File file;
    if (MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file))
      return 1;
    std::string data(static_cast<std::size_t>(bytes), static_cast<char>('a' + rank));
    if (MPI_File_write_at(file, MPI_Offset{rank} * bytes, data.data(), bytes, MPI_CHAR, MPI_STATUS_IGNORE))
      return 2;
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_sync(file);
    const int other = (rank + ranks - 1) % ranks;
    if (MPI_File_read_at(file, MPI_Offset{other} * bytes, data.data(), bytes, MPI_CHAR, MPI_STATUS_IGNORE))
      return 3;
    MPI_File_close(&file);
    return data == std::string(static_cast<std::size_t>(bytes), static_cast<char>('a' + other)) ? 0 : 4;
  });
}

}  // namespace

TEST_CASE("ranks wait for each other at the disk of a file system") {
  const Directory directory;
  const auto write = [&](const pio::Config& config, int ranks) {
    return run_ranks(ranks, program([&](int rank) {
                       MPI_File file;
                       MPI_File_open(MPI_COMM_WORLD, directory.file("x").c_str(),
                                     MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
                       char data[1000] = {};
                       MPI_File_write_at_all(file, rank * 2000, data, 1000, MPI_CHAR, MPI_STATUS_IGNORE);
                       return MPI_File_close(&file);
                     }),
                     with(config));
  };
  // Each request costs 12 ms of the disk; messages and calls cost microseconds.
  const auto shared = write(one_disk(), 4);
  CHECK(shared.predicted > 48_ms);
  CHECK(shared.predicted < 48_ms + 200_us);
  CHECK(counted(shared, Counter::requests) == 4);
  CHECK(counted(shared, Counter::disk_writes) == 4);
  CHECK(counted(shared, Counter::disk_seeks) == 4);
  pio::Config own = one_disk();
  own.model = pio::Model::disk;
  const auto alone = write(own, 4);
  CHECK(alone.predicted > 12_ms);
  CHECK(alone.predicted < 12_ms + 200_us);
}

TEST_CASE("a single request of a rank is the closed form of its way") {
  const Directory directory;
  pio::Config config = one_disk();
  config.pfs.client_overhead = 300_us;
  config.pfs.server_overhead = 70_us;
  SimTime before;
  SimTime after;
  HarnessOptions options = with(config);
  options.network = std::make_shared<network::Ideal>(network::IdealParameters{5_us, {}});
  const auto result = run_ranks(1, program([&](int) {
                                  MPI_File file;
                                  MPI_File_open(MPI_COMM_SELF, directory.file("x").c_str(),
                                                MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
                                  char data[500] = {};
                                  before = mpi::current_rank().now();
                                  MPI_File_write(file, data, 500, MPI_CHAR, MPI_STATUS_IGNORE);
                                  after = mpi::current_rank().now();
                                  return MPI_File_close(&file);
                                }),
                                options);
  CHECK(result.exit_code == 0);
  CHECK(after - before == 1_ns + 300_us + 5_us + 70_us + 11_ms + 500_us + 5_us + 1_ps);
}

TEST_CASE("disk requests follow the layout") {
  const Directory directory;
  pio::Config config = one_disk();
  config.pfs.io_nodes = 2;
  config.pfs.disks_per_node = 2;
  config.pfs.stripe_unit = 100;
  const auto result = run_ranks(1, exchange_through(directory.file("x"), 1, 1000), with(config));
  CHECK(result.exit_code == 0);
  CHECK(counted(result, Counter::requests) == 2);
  CHECK(counted(result, Counter::disk_writes) == 4);  // one for each cell, however many stripes
  CHECK(counted(result, Counter::disk_reads) == 4);
  CHECK(counted(result, Counter::bytes_written) == 1000);
  CHECK(counted(result, Counter::bytes_read) == 1000);
}

TEST_CASE("opens and other calls about files queue at the metadata server") {
  const Directory directory;
  pio::Config config = one_disk();
  config.open_cost = 10_ms;
  config.metadata_cost = 1_ms;
  const auto result = run_ranks(5, program([&](int) {
                                  MPI_File file;
                                  MPI_File_open(MPI_COMM_WORLD, directory.file("x").c_str(),
                                                MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
                                  return MPI_File_close(&file);
                                }),
                                with(config));
  CHECK(result.exit_code == 0);
  CHECK(result.predicted > 55_ms);
  CHECK(result.predicted < 55_ms + 500_us);
}

TEST_CASE("the same on every number of host processes, with ranks that share nodes") {
  const Directory directory;
  for (const int ranks_per_node : {1, 2, 3}) {
    for (const bool deterministic : {true, false}) {
      HarnessResult expected;
      for (int hosts = 1; hosts <= 4; ++hosts) {
        for (std::uint64_t seed = 1; seed <= (hosts == 1 ? 1 : 6); ++seed) {
          INFO(ranks_per_node << " ranks per node, " << hosts << " hosts, seed " << seed);
          HarnessOptions options = with(with_file_system(), hosts, ranks_per_node);
          options.deterministic = deterministic;
          options.seed = seed;
          if (seed % 2 == 0)  // the ranks of a node are kept together all the same
            for (int rank = 0; rank < 6; ++rank)
              options.host_of_rank.push_back(static_cast<std::uint16_t>(rank % hosts));
          const auto result = run_ranks(6, exchange_through(directory.file("x"), 6, 500), options);
          CHECK(result.exit_code == 0);
          if (hosts == 1) expected = result;
          CHECK(result.predicted == expected.predicted);
          CHECK(result.totals.counters == expected.totals.counters);
          for (std::size_t rank = 0; rank < 6; ++rank) CHECK(io_of(result, rank) == io_of(expected, rank));
        }
      }
    }
  }
}

TEST_CASE("messages from anybody and files together are the same everywhere") {
  const Directory directory;
  const auto body = program([&](int rank) {
    // Rank 0 hands out pieces of a file to whoever asks first; workers write them.
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, directory.file("bag").c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY,
                  MPI_INFO_NULL, &file);
    constexpr int pieces = 20;
    int piece = 0;
    if (rank == 0) {
      for (int left = 4; left > 0; ++piece) {
        MPI_Status status;
        MPI_Recv(nullptr, 0, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
        const int next = piece < pieces ? piece : -1;
        if (next < 0) --left;
        MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, 2, MPI_COMM_WORLD);
      }
    } else {
      for (;;) {
        MPI_Send(nullptr, 0, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(&piece, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (piece < 0) break;
        const std::string data(static_cast<std::size_t>(100 + 37 * piece % 300),
                               static_cast<char>('a' + rank));
        MPI_File_write_at(file, piece * 400, data.data(), static_cast<int>(data.size()), MPI_CHAR,
                          MPI_STATUS_IGNORE);
      }
    }
    return MPI_File_close(&file);
  });
  HarnessResult expected;
  std::string content;
  for (int hosts = 1; hosts <= 4; ++hosts) {
    for (std::uint64_t seed = 1; seed <= (hosts == 1 ? 1 : 8); ++seed) {
      INFO(hosts << " hosts, seed " << seed);
      HarnessOptions options = with(with_file_system(), hosts, 2);
      options.seed = seed;
      options.cancels = seed % 2 == 0;
      const auto result = run_ranks(5, body, options);
      CHECK(result.exit_code == 0);
      if (hosts == 1) {
        expected = result;
        content = content_of(directory.file("bag"));
      }
      CHECK(result.predicted == expected.predicted);
      CHECK(result.totals.counters == expected.totals.counters);
      CHECK((content_of(directory.file("bag")) == content));  // the same pieces by the same ranks
    }
  }
}

TEST_CASE("a file that the machine's disks have no room for") {
  const Directory directory;
  pio::Config config = with_file_system();
  disk::SimpleParameters small;
  small.cylinders = 1;
  small.cylinder_size = 1024;
  config.disk = disk::factory<disk::Simple>(small);
  for (const auto collective : {pio::Collective::barrier, pio::Collective::two_phase}) {
    config.collective = collective;
    const auto result =
        run_ranks(2, program([&](int rank) {
                    MPI_File file;
                    MPI_File_open(MPI_COMM_WORLD, directory.file("x").c_str(),
                                  MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
                    char data[1024] = {};
                    const int fits = MPI_File_write_at(file, 2048, data, 1024, MPI_CHAR, MPI_STATUS_IGNORE);
                    const int full = MPI_File_write_at_all(file, 2500 + 1024 * rank, data, 1024, MPI_CHAR,
                                                           MPI_STATUS_IGNORE);
                    MPI_File_close(&file);
                    return fits == MPI_SUCCESS && (full == MPI_ERR_NO_SPACE) ? 0 : 1 + full;
                  }),
                  with(config));
    CHECK(result.exit_code == 0);
    CHECK_THAT(warnings_of(result), Catch::Contains("have room for 3072 bytes of a file"));
  }
}
