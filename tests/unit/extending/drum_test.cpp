// The disk model of docs/extending.md works from the machine file to the end of a program that uses it.
#include <catch2/catch.hpp>

#include "disk_models/registry.hpp"
#include "machine/description.hpp"
#include "tests/unit/piosim/support.hpp"

namespace mpisim::disk {
Module drum_model();
}

using namespace mpisim;
using namespace mpisim::kernel::literals;
using namespace mpisim::test;
using kernel::Bytes;
using kernel::SimTime;

namespace {

// What the line MODULE(drum) in models.def does.
const bool registered = (disk::models().add(disk::drum_model()), true);

machine::Description described(const std::string& disk) {
  const Directory directory;
  write_content(directory.file("drum.yaml"),
                "schema_version: 1\nname: drum\nnodes: {io: 1}\nnetwork: {model: ideal}\n"
                "io: {model: pfs, disk: " +
                    disk + "}\n");
  return machine::load(directory.file("drum.yaml"));
}

disk::Factory drum(const std::string& disk) {
  const machine::Description machine = described(disk);
  return machine.io_config(machine.placement(2)).disk;
}

}  // namespace

TEST_CASE("the drum's keys are checked as those of any model") {
  REQUIRE(registered);
  CHECK_NOTHROW(described("{model: drum, turn: 20 ms, heads: 10}"));
  CHECK_THROWS_WITH(described("{model: drum, turns: 20 ms}"),
                    Catch::Contains("nearest known key: io.disk.turn"));
  CHECK_THROWS_WITH(described("{model: drum, turn: 0 ms}"),
                    Catch::Contains("drum.yaml:5:") && Catch::Contains("io.disk.turn: must be more than 0"));
  CHECK_THROWS_WITH(described("{model: simple, track: 4 KiB}"),
                    Catch::Contains("io.disk.track belongs to the model drum, not to simple"));
}

TEST_CASE("a request waits for its first byte, and passes at a track per turn") {
  const auto disk = drum("{model: drum, turn: 20 ms, track: 2000 B, heads: 10}")();
  CHECK(disk->space().bytes == 20'000);
  CHECK(disk->serve({0, Bytes(2000), false}, 0_ps).time == 20_ms);
  CHECK(disk->serve({500, Bytes(100), false}, 20_ms).time == 5_ms + 1_ms);
  CHECK(disk->serve({2400, Bytes(1), false}, 26_ms).time == 18_ms + 10_us);
}

TEST_CASE("mean rotation is half a turn") {
  const auto disk = drum("{model: drum, turn: 20 ms, track: 2000 B, heads: 10}")();
  SimTime all;
  for (std::uint64_t angle = 0; angle < 2000; ++angle)
    all = all + disk->serve({angle, Bytes(0), false}, 7_ms).time;
  CHECK(all.seconds() / 2000 == Approx(10e-3).epsilon(0.001));
}

TEST_CASE("a program writes to a file system on drums, the same with one host process and two") {
  const machine::Description machine = described("{model: drum}");
  const Directory directory;
  const std::string path = directory.file("data");
  const auto run = [&](int hosts) {
    return run_ranks(2, program([&path](int rank) {
                       MPI_File file = MPI_FILE_NULL;
                       MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                                     MPI_INFO_NULL, &file);
                       const std::string text(100, static_cast<char>('a' + rank));
                       MPI_File_write_at(file, 100 * rank, text.data(), 100, MPI_CHAR, MPI_STATUS_IGNORE);
                       MPI_File_close(&file);
                       return 0;
                     }),
                     with(machine.io_config(machine.placement(2)), hosts));
  };
  const HarnessResult one = run(1);
  CHECK(content_of(path) == std::string(100, 'a') + std::string(100, 'b'));
  CHECK(counted(one, pio::Counter::disk_writes) == 2);
  CHECK(run(2).predicted == one.predicted);
}
