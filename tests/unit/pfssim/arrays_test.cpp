// Arrays at a disk LP: members have queues of their own.
#include <catch2/catch.hpp>

#include "tests/unit/pfssim/arm.hpp"
#include "tests/unit/pfssim/disk_harness.hpp"

using namespace mpisim;
using namespace mpisim::test;
using namespace mpisim::kernel::literals;
using disk::RaidLevel;
using kernel::SimTime;
using pfs::Operation;

namespace {

/// Members that serve a request in 1 ms + 1 us per byte; chunks of 1000 bytes.
pfs::Parameters array_of(RaidLevel level, std::uint32_t members) {
  pfs::Parameters parameters;
  parameters.disk = analytic_disk(1_ms, 0_ps, 1e6);
  parameters.raid = {level, members, 1000};
  return parameters;
}

Ask read(SimTime at, std::uint64_t offset, std::uint64_t bytes) {
  return {at, data(Operation::read, 0, offset, bytes)};
}
Ask write(SimTime at, std::uint64_t offset, std::uint64_t bytes) {
  return {at, data(Operation::write, 0, offset, bytes)};
}

}  // namespace

TEST_CASE("level 5: a small write costs two services, and is counted as four requests") {
  const auto served = served_by_disk(array_of(RaidLevel::raid5, 5), {write(10_ms, 0, 500)});
  CHECK(served[0].at == 10_ms + 1500_us * 2 + tick);
  CHECK(served[0].what.tally.reads == 2);
  CHECK(served[0].what.tally.writes == 2);
  const auto row = served_by_disk(array_of(RaidLevel::raid5, 5), {write(10_ms, 0, 4000)});
  CHECK(row[0].at == 10_ms + 2_ms + tick);
  CHECK(row[0].what.tally.reads == 0);
  CHECK(row[0].what.tally.writes == 5);
}

TEST_CASE("level 5: small writes of different rows go on side by side, those of a common member wait") {
  // Rows 0 and 3 of five members: data on member 0 and parity on 4, data on 2 and parity on 1.
  const auto apart =
      served_by_disk(array_of(RaidLevel::raid5, 5), {write(10_ms, 0, 500), write(10_ms, 12'000, 500)});
  CHECK(apart[0].at == 13_ms + tick);
  CHECK(apart[1].at == 13_ms + tick);
  // Rows 0 and 1: both have to do with member 4. Reads of both come before the first one's writes there.
  const auto together =
      served_by_disk(array_of(RaidLevel::raid5, 5), {write(10_ms, 0, 500), write(10_ms, 4000, 500)});
  CHECK(together[0].at == 10_ms + 1500_us * 3 + tick);
  CHECK(together[1].at == 10_ms + 1500_us * 4 + tick);
}

TEST_CASE("level 1: reads go to the member with the shorter queue, writes to all") {
  const auto reads = served_by_disk(array_of(RaidLevel::raid1, 2),
                                    {read(10_ms, 0, 500), read(10_ms, 500, 500), read(10_ms, 0, 500)});
  CHECK(reads[0].at == 10_ms + 1500_us + tick);
  CHECK(reads[1].at == 10_ms + 1500_us + tick);
  CHECK(reads[2].at == 10_ms + 3_ms + tick);
  const auto writes =
      served_by_disk(array_of(RaidLevel::raid1, 2), {write(10_ms, 0, 500), read(10_ms, 0, 500)});
  CHECK(writes[0].at == 10_ms + 1500_us + tick);
  CHECK(writes[0].what.tally.writes == 2);
  CHECK(writes[1].at == 10_ms + 3_ms + tick);
}

TEST_CASE("level 1: of equal queues the head that is nearer") {
  pfs::Parameters parameters = array_of(RaidLevel::raid1, 2);
  parameters.disk = arm(100, 1_ms, 1_ms);
  // The first member goes to cylinder 10, the second to cylinder 60 while the first is busy.
  const auto served = served_by_disk(parameters, {read(10_ms, 10'000, 1), read(11_ms, 60'000, 1),
                                                  read(200_ms, 58'000, 1), read(300_ms, 12'000, 1)});
  CHECK(served[0].at == 10_ms + 11_ms + tick);
  CHECK(served[1].at == 11_ms + 61_ms + tick);
  CHECK(served[2].at == 200_ms + 3_ms + tick);
  CHECK(served[3].at == 300_ms + 3_ms + tick);
}

TEST_CASE("level 0: members serve different requests at once, a large one shares them") {
  const auto apart =
      served_by_disk(array_of(RaidLevel::raid0, 4), {read(10_ms, 0, 1000), read(10_ms, 1000, 1000)});
  CHECK(apart[0].at == 12_ms + tick);
  CHECK(apart[1].at == 12_ms + tick);
  const auto large = served_by_disk(array_of(RaidLevel::raid0, 4), {read(10_ms, 0, 40'000)});
  CHECK(large[0].at == 10_ms + 11_ms + tick);
  CHECK(large[0].what.tally.reads == 4);
}
