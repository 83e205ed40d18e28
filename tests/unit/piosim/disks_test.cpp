// Every disk model and queue discipline through the whole file system: the machine file, MPI-IO, PFS-SIM.
#include <catch2/catch.hpp>

#include "disk_models/queue_discipline.hpp"
#include "disk_models/registry.hpp"
#include "machine/catalogue.hpp"
#include "machine/description.hpp"
#include "tests/unit/piosim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;

namespace {

constexpr int ranks = 6;
constexpr int records = 12;

/// Overrides that a model cannot do without.
std::vector<std::string> required_by(const std::string& model) {
  if (model != "zoned") return {};
  return {"io.disk.heads=4", "io.disk.rotation=10 ms",
          "io.disk.zones=[{cylinders: 200, sectors: 100}, {cylinders: 300, sectors: 50}]"};
}

pio::Config configured(const std::string& model, const std::string& queue,
                       std::vector<std::string> more = {}) {
  std::vector<std::string> overrides{"nodes.io=2",
                                     "io.model=pfs",
                                     "io.stripe_unit=4 KiB",
                                     "io.disk.model=" + model,
                                     "io.disk.queue=" + queue,
                                     "io.collective=disk-directed"};
  for (const std::string& each : required_by(model)) overrides.push_back(each);
  for (const std::string& each : more) overrides.push_back(each);
  const machine::Description machine = machine::load(machine::find_machine("ideal"), {overrides, {}});
  return machine.io_config(machine.placement(ranks));
}

/// Each rank writes records that lie far apart, with different pauses, all together a block, and reads what
/// its neighbour wrote; the result tells whether that was right.
int write_and_read(const std::string& path, int rank) {
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  const std::string record(3000, static_cast<char>('a' + rank));
  const auto place = [](int who, int i) { return (MPI_Offset{(7 * i) % records} * ranks + who) * 3000; };
  MPI_Request pending[records];
  for (int i = 0; i < records; ++i)
    MPI_File_iwrite_at(file, place(rank, i), record.data(), 3000, MPI_CHAR, &pending[i]);
  MPI_Waitall(records, pending, MPI_STATUSES_IGNORE);
  MPI_File_write_at_all(file, place(rank, records - 1), record.data(), 3000, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  const int neighbour = (rank + 1) % ranks;
  const std::string expected(3000, static_cast<char>('a' + neighbour));
  int wrong = 0;
  for (int i = 0; i < records; ++i) {
    std::string found(3000, ' ');
    MPI_File_read_at(file, place(neighbour, i), found.data(), 3000, MPI_CHAR, MPI_STATUS_IGNORE);
    wrong += found == expected ? 0 : 1;
  }
  MPI_File_close(&file);
  return wrong;
}

HarnessResult run(const pio::Config& config, int hosts, std::uint64_t seed = 1) {
  const Directory directory;
  const std::string path = directory.file("data");
  HarnessOptions options = with(config, hosts);
  options.seed = seed;
  options.protocol = hosts == 1 ? "sequential" : "combined";
  return run_ranks(ranks, program([&path](int rank) { return write_and_read(path, rank); }), options);
}

/// All that the disks counted, as numbers.
std::vector<std::uint64_t> described(const HarnessResult& result) {
  std::vector<std::uint64_t> all;
  for (const pfs::DiskStatistics& disk : pio::disk_statistics(result.extension)) {
    for (const std::uint64_t each :
         {std::uint64_t{disk.io_node}, std::uint64_t{disk.member}, std::uint64_t{disk.longest_queue},
          disk.bytes_read, disk.bytes_written, disk.seeks, disk.cylinders})
      all.push_back(each);
    all.insert(all.end(), disk.reads.begin(), disk.reads.end());
    all.insert(all.end(), disk.writes.begin(), disk.writes.end());
    for (const auto each :
         {static_cast<std::uint64_t>(disk.busy.ps()), static_cast<std::uint64_t>(disk.last_end.ps()),
          static_cast<std::uint64_t>(disk.waited), static_cast<std::uint64_t>(disk.waited >> 64)})
      all.push_back(each);
  }
  return all;
}

void same_on_hosts(const pio::Config& config) {
  const HarnessResult one = run(config, 1);
  REQUIRE(one.exit_code == 0);
  CHECK(counted(one, pio::Counter::disk_writes) >= ranks * records);
  CHECK(one.predicted > kernel::SimTime::zero());
  REQUIRE_FALSE(described(one).empty());
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const HarnessResult two = run(config, 2, seed);
    CHECK(two.exit_code == 0);
    CHECK(two.predicted == one.predicted);
    CHECK(two.totals.counters == one.totals.counters);
    CHECK(described(two) == described(one));
  }
}

}  // namespace

TEST_CASE("every disk model and queue: the same predictions with one host process and two") {
  for (const disk::Module& model : disk::models()) {
    const bool has_head = configured(model.name, "fcfs").disk()->space().cylinders > 0;
    for (const disk::Discipline& queue : disk::disciplines()) {
      if (queue.choice == disk::Choice::cylinder && !has_head) continue;
      INFO(model.name << " " << queue.name);
      same_on_hosts(configured(model.name, queue.name));
    }
  }
}

TEST_CASE("arrays: the same predictions with one host process and two") {
  for (const char* level : {"0", "1", "5"})
    for (const char* queue : {"fcfs", "sstf"}) {
      INFO(level << " " << queue);
      const std::vector<std::string> raid{std::string("io.raid.level=") + level, "io.raid.members=4",
                                          "io.raid.chunk=2 KiB"};
      same_on_hosts(configured("hp97560", queue, raid));
      CHECK(run(configured("hp97560", queue, raid), 1).predicted !=
            run(configured("hp97560", queue), 1).predicted);
    }
}

TEST_CASE("a rank's own disk can be of every model") {
  for (const disk::Module& model : disk::models()) {
    INFO(model.name);
    const HarnessResult one = run(configured(model.name, "fcfs", {"io.model=disk"}), 1);
    CHECK(one.exit_code == 0);
    CHECK(one.predicted == run(configured(model.name, "fcfs", {"io.model=disk"}), 2).predicted);
  }
  for (const char* model : {"simple", "nvme"}) {
    INFO(model);
    const std::vector<std::string> raid{"io.model=disk", "io.raid.level=5", "io.raid.members=3",
                                        "io.raid.chunk=2 KiB"};
    const HarnessResult array = run(configured(model, "fcfs", raid), 1);
    CHECK(array.exit_code == 0);
    CHECK(array.predicted == run(configured(model, "fcfs", raid), 2).predicted);
    CHECK(array.predicted > run(configured(model, "fcfs", {"io.model=disk"}), 1).predicted);
  }
}
