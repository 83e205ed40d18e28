// What disks count, by hand and by Little's law.
#include <catch2/catch.hpp>

#include "pfssim/disk_statistics.hpp"
#include "tests/unit/pfssim/arm.hpp"
#include "tests/unit/pfssim/disk_harness.hpp"

using namespace mpisim;
using namespace mpisim::test;
using namespace mpisim::kernel::literals;
using kernel::SimTime;
using pfs::DiskStatistics;
using pfs::Operation;

namespace {

Ask ask(SimTime at, Operation operation, std::uint64_t offset, std::uint64_t bytes) {
  return {at, data(operation, 0, offset, bytes)};
}

std::vector<DiskStatistics> counted(pfs::Parameters parameters, const std::vector<Ask>& asks) {
  std::vector<DiskStatistics> statistics;
  served_by_disk(std::move(parameters), asks, &statistics);
  return statistics;
}

}  // namespace

TEST_CASE("classes of sizes are four times as wide as the one before") {
  CHECK(DiskStatistics::class_of(0) == 0);
  CHECK(DiskStatistics::class_of(512) == 0);
  CHECK(DiskStatistics::class_of(513) == 1);
  CHECK(DiskStatistics::class_of(2048) == 1);
  CHECK(DiskStatistics::class_of(2049) == 2);
  CHECK(DiskStatistics::class_of(32 << 20) == 8);
  CHECK(DiskStatistics::class_of((32 << 20) + 1) == 9);
  CHECK(DiskStatistics::class_of(~std::uint64_t{0}) == 9);
  CHECK(DiskStatistics::up_to(0) == 512);
  CHECK(DiskStatistics::up_to(8) == 32 << 20);
  CHECK(DiskStatistics::up_to(9) == 0);
}

TEST_CASE("requests, waits, queue and busy time of a disk, in order and with a discipline") {
  for (const char* queue : {"fcfs", "c-look"}) {
    CAPTURE(queue);
    pfs::Parameters parameters;
    parameters.disk = arm(100, 1_ms, 1_ms);
    parameters.queue = *disk::disciplines().find(queue);
    // Services of 11, 2 and 1 ms from 10 ms on; one of 6 ms at 100 ms.
    const auto all = counted(
        parameters, {ask(10_ms, Operation::read, 10'000, 600), ask(12_ms, Operation::write, 11'000, 100),
                     ask(13_ms, Operation::read, 11'100, 900), ask(100_ms, Operation::read, 16'000, 1)});
    REQUIRE(all.size() == 1);
    const DiskStatistics& disk = all[0];
    CHECK(disk.reads == std::array<std::uint64_t, 10>{1, 2});
    CHECK(disk.writes == std::array<std::uint64_t, 10>{1});
    CHECK(disk.bytes_read == 1501);
    CHECK(disk.bytes_written == 100);
    CHECK(disk.seeks == 3);
    CHECK(disk.cylinders == 16);
    CHECK(disk.busy.seconds() == Approx(20e-3).epsilon(1e-9));
    CHECK(static_cast<double>(disk.waited) == Approx(9e9 + 10e9).epsilon(1e-9));
    CHECK(disk.longest_queue == 2);
  }
}

TEST_CASE("a request that goes on at the disk's beginning counts once, in order and with a discipline") {
  for (const char* queue : {"fcfs", "c-look"}) {
    CAPTURE(queue);
    pfs::Parameters parameters;
    parameters.disk = arm(100, 1_ms, 1_ms);
    parameters.queue = *disk::disciplines().find(queue);
    Ask around = ask(10_ms, Operation::read, 38'500, 4000);
    around.what.file = 1;  // begins at cylinder 61 of 100
    const auto all = counted(parameters, {around});
    REQUIRE(all.size() == 1);
    CHECK(all[0].reads == std::array<std::uint64_t, 10>{0, 0, 1});
    CHECK(all[0].bytes_read == 4000);
    CHECK(all[0].seeks == 1);
    CHECK(all[0].cylinders == 99 + 99);
    CHECK(all[0].waited == 0);
    CHECK(all[0].longest_queue == 0);
  }
}

TEST_CASE("waits of many requests add up to more than simulated time can be, in order and with a queue") {
  constexpr std::uint64_t requests = 20'000;
  constexpr std::uint64_t service_ps = 50'000'000'000;
  pfs::Parameters parameters;
  parameters.disk = analytic_disk(50_ms, 0_ps, 1e9);
  const std::vector<Ask> asks(requests, ask(10_ms, Operation::read, 0, 0));
  const auto expected = static_cast<unsigned __int128>(requests * (requests - 1) / 2) * service_ps;
  REQUIRE(expected > static_cast<unsigned __int128>(SimTime::infinity().ps()));
  for (const disk::RaidLevel level : {disk::RaidLevel::none, disk::RaidLevel::raid0}) {
    parameters.raid = {level, 1, 1000};
    const auto all = counted(parameters, asks);
    REQUIRE(all.size() == 1);
    CHECK(all[0].reads[0] == requests);
    CHECK((all[0].waited == expected));
    CHECK(all[0].longest_queue == requests - 1);
    CHECK(all[0].busy == 50_ms * requests);
    CHECK(all[0].last_end == 10_ms + 50_ms * requests);
  }
}

TEST_CASE("each member of an array is counted by itself") {
  pfs::Parameters parameters;
  parameters.disk = analytic_disk(1_ms, 0_ps, 1e9);
  parameters.raid = {disk::RaidLevel::raid5, 3, 1000};
  const auto all = counted(parameters, {ask(10_ms, Operation::write, 0, 100)});
  REQUIRE(all.size() == 3);
  // Data on member 0, parity on member 2.
  for (std::uint32_t member = 0; member < 3; ++member) {
    CHECK(all[member].member == member);
    const std::uint64_t expected = member == 1 ? 0 : 1;
    CHECK(all[member].reads[0] == expected);
    CHECK(all[member].writes[0] == expected);
    CHECK(all[member].bytes_written == 100 * expected);
  }
}
