// The collective algorithm of docs/extending.md: machine files and hints know it, it moves the data, and the
// ranks take two turns.
#include <catch2/catch.hpp>

#include "machine/description.hpp"
#include "piosim/collective.hpp"
#include "tests/unit/piosim/support.hpp"

namespace mpisim::pio {
CollectiveAlgorithm even_odd_collective();
}

using namespace mpisim;
using namespace mpisim::test;

namespace {

// What the line MODULE(even_odd) in collectives.def does.
const bool registered = (pio::collective_algorithms().add(pio::even_odd_collective()), true);

pio::Config configured(const std::string& collective) {
  const Directory directory;
  write_content(
      directory.file("own.yaml"),
      "schema_version: 1\nname: own\nnetwork: {model: ideal}\nio: {collective: " + collective + "}\n");
  const machine::Description machine = machine::load(directory.file("own.yaml"));
  return machine.io_config(machine.placement(4));
}

/// Four ranks write 1000 bytes each; `hint`, if it is not empty, chooses the algorithm.
HarnessResult four_write(const std::string& path, const std::string& collective, const std::string& hint = "",
                         int hosts = 1) {
  return run_ranks(4, program([&](int rank) {
                     MPI_Info info;
                     MPI_Info_create(&info);
                     if (!hint.empty()) MPI_Info_set(info, "mpisim_collective", hint.c_str());
                     MPI_File file = MPI_FILE_NULL;
                     MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info,
                                   &file);
                     MPI_Info_free(&info);
                     const std::string text(1000, static_cast<char>('a' + rank));
                     MPI_File_write_at_all(file, 1000 * rank, text.data(), 1000, MPI_CHAR, MPI_STATUS_IGNORE);
                     return MPI_File_close(&file);
                   }),
                   with(configured(collective), hosts));
}

}  // namespace

TEST_CASE("machine files and hints know the algorithm, after those of the project") {
  REQUIRE(registered);
  CHECK(configured("even-odd").collective == pio::find_collective("even-odd"));
  CHECK_THROWS_WITH(configured("even-od"), Catch::Contains("nearest: even-odd"));
  CHECK(pio::find_collective("disk-directed") == pio::Collective::disk_directed);
  CHECK(pio::algorithm_of(pio::Collective::two_phase).name == "two-phase");
  const Directory directory;
  // One call more: MPI_Info_set.
  const auto by_hint = four_write(directory.file("x"), "barrier", "even-odd").predicted;
  CHECK((by_hint - four_write(directory.file("y"), "even-odd").predicted).ps() == 1000);
}

TEST_CASE("ranks with disks of their own take twice as long in two turns, and write the same") {
  const Directory directory;
  const HarnessResult one = four_write(directory.file("x"), "barrier"),
                      two = four_write(directory.file("y"), "even-odd");
  // A disk takes 22 ms, and 1000 bytes at 2.3 MB/s.
  CHECK((two.predicted - one.predicted).seconds() == Approx(22.4e-3).epsilon(0.02));
  const std::string all =
      std::string(1000, 'a') + std::string(1000, 'b') + std::string(1000, 'c') + std::string(1000, 'd');
  CHECK(content_of(directory.file("x")) == all);
  CHECK(content_of(directory.file("y")) == all);
  CHECK(four_write(directory.file("y"), "even-odd", "", 2).predicted == two.predicted);
}
