// Time and statistics.
#include <catch2/catch.hpp>

#include "mpisim/core.hpp"
#include "tests/unit/piosim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using namespace mpisim::kernel::literals;
using pio::Counter;

namespace {

/// Two ranks write 20 tiles of 32 bytes: the first 8 and the last 8 of each are rank 0's, so that the end of
/// a tile and the beginning of the next are adjacent pieces; the 16 between are rank 1's.
HarnessResult write_tiles(const std::string& name, pio::Config config, MPI_Datatype etype = MPI_BYTE) {
  config.open_cost = 0_ps;
  config.metadata_cost = 0_ps;
  config.disk = disk::factory<disk::Analytic>(
      disk::AnalyticParameters{1_ms, 10_ms, kernel::ByteTime::from_bandwidth(1e6)});
  return run_ranks(2, program([&](int rank) {
                     MPI_File file;
                     MPI_Datatype pattern, resized;
                     const MPI_Aint places[2] = {rank == 0 ? 0 : 8, rank == 0 ? 24 : 16};
                     MPI_Type_create_hindexed_block(2, 8, places, MPI_BYTE, &pattern);
                     MPI_Type_create_resized(pattern, 0, 32, &resized);
                     MPI_Type_commit(&resized);
                     MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY,
                                   MPI_INFO_NULL, &file);
                     MPI_File_set_view(file, 0, etype, resized, "native", MPI_INFO_NULL);
                     char data[320] = {};
                     MPI_File_write_all(file, data, 320, MPI_BYTE, MPI_STATUS_IGNORE);
                     MPI_File_close(&file);
                     MPI_Type_free(&pattern);
                     MPI_Type_free(&resized);
                     return 0;
                   }),
                   with(config));
}

}  // namespace

TEST_CASE("pieces are counted as they leave the library") {
  const Directory directory;
  pio::Config config = with_collective(pio::Collective::barrier);
  auto result = write_tiles(directory.file("a"), config);
  CHECK(counted(result, Counter::requests) == 21 + 20);
  CHECK(counted(result, Counter::disk_writes) == 21 + 20);
  CHECK(counted(result, Counter::disk_reads) == 0);
  CHECK(counted(result, Counter::seeks) == 20 + 20);  // rank 0 begins where the file does
  CHECK(counted(result, Counter::disk_seeks) == 21 + 20);
  CHECK(counted(result, Counter::bytes_written) == 640);
  // Rank 0: overhead and latency of each request, 1 us per byte; everything else is far below 1 ms.
  const auto io = result.ranks[0].in_calls[static_cast<std::size_t>(mpi::CallKind::input_output)];
  CHECK(io > 231_ms);
  CHECK(io < 232_ms);

  config.coalesce = pio::Coalesce::off;
  result = write_tiles(directory.file("b"), config);
  CHECK(counted(result, Counter::requests) == 40 + 20);
  CHECK(counted(result, Counter::seeks) == 20 + 20);
  CHECK(counted(result, Counter::bytes_written) == 640);

  config.coalesce = pio::Coalesce::etype;
  result = write_tiles(directory.file("e"), config, MPI_INT);
  CHECK(counted(result, Counter::requests) == 80 + 80);
  CHECK(counted(result, Counter::seeks) == 20 + 20);
  CHECK(counted(result, Counter::bytes_written) == 640);
  result = write_tiles(directory.file("f"), config);  // bytes are no elements
  CHECK(counted(result, Counter::requests) == 40 + 20);

  config.collective = pio::Collective::two_phase;
  result = write_tiles(directory.file("c"), config);
  CHECK(counted(result, Counter::requests) == 2);
  CHECK(counted(result, Counter::seeks) == 1);
  CHECK(counted(result, Counter::bytes_written) == 640);

  config.aggregators = 1;
  result = write_tiles(directory.file("d"), config);
  CHECK(counted(result, Counter::requests) == 1);
  CHECK(counted(result, Counter::seeks) == 0);
  CHECK(counted(result, Counter::disk_seeks) == 1);
}

TEST_CASE("opening and asking for the size cost what the machine says") {
  const Directory directory;
  pio::Config config;
  config.open_cost = 5_ms;
  config.metadata_cost = 2_ms;
  const auto result = run_ranks(1, program([&](int) {
                                  MPI_File file;
                                  MPI_Offset size;
                                  MPI_File_open(MPI_COMM_SELF, directory.file("x").c_str(),
                                                MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
                                  MPI_File_get_size(file, &size);
                                  return MPI_File_close(&file);
                                }),
                                with(config));
  CHECK(result.exit_code == 0);
  CHECK(result.predicted > 9_ms);
  CHECK(result.predicted < 9_ms + 100_us);
}
