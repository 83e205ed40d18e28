#include <catch2/catch.hpp>
#include <cmath>
#include <tuple>

#include "disk_models/simple.hpp"

using namespace mpisim;
using namespace mpisim::kernel::literals;
using kernel::Bytes;
using kernel::SimTime;

namespace {

/// 100 cylinders of 10 sectors of 100 bytes, 1 us per byte, a turn of 1 ms: one track per cylinder.
disk::SimpleParameters plain() {
  disk::SimpleParameters parameters;
  parameters.overhead = 1_ms;
  parameters.seek = {3_ms, 2_ms, 25, 5_ms, 10_us};
  parameters.cylinders = 100;
  parameters.cylinder_size = 1000;
  parameters.sector = 100;
  parameters.turn = 1_ms;
  parameters.transfer = kernel::ByteTime::from_bandwidth(1e6);
  return parameters;
}

SimTime time_of(disk::Simple& disk, std::uint64_t address, std::uint64_t bytes, SimTime start = 0_ps) {
  return disk.serve({address, Bytes(bytes), true}, start).time;
}

constexpr SimTime half_turn = 500_us;

}  // namespace

TEST_CASE("simple disk: the seek curve has its two branches") {
  const disk::SeekCurve seek{3_ms, 2_ms, 25, 5_ms, 10_us};
  CHECK(seek(0) == 0_ps);
  CHECK(seek(1) == 5_ms);
  CHECK(seek(16) == 11_ms);
  CHECK(seek(25) == 13_ms);
  CHECK(seek(26) == 5_ms + 260_us);
  CHECK(seek(99) == 5_ms + 990_us);
}

TEST_CASE("simple disk: HP 97560 by default") {
  const disk::SimpleParameters hp97560;
  CHECK(hp97560.cylinder_size == 19 * 72 * 512);
  CHECK(hp97560.seek(383) == SimTime::from_seconds(3.24e-3 + 0.4e-3 * std::sqrt(383.0)));
  CHECK(hp97560.seek(1961) == 8_ms + 8_us * 1961);
  CHECK(60.0 / 4002 == Approx(hp97560.turn.seconds()).epsilon(0.001));
  CHECK(disk::Simple(hp97560).space().bytes == 1962ULL * 19 * 72 * 512);  // 1.37 GB
}

TEST_CASE("simple disk: overhead, seek from where the head is, half a turn, sectors") {
  disk::Simple disk(plain());
  CHECK(time_of(disk, 0, 100) == 1_ms + half_turn + 100_us);  // the head begins on cylinder 0
  CHECK(time_of(disk, 16'000, 100) == 1_ms + 11_ms + half_turn + 100_us);
  CHECK(time_of(disk, 15'000, 1000) == 1_ms + 5_ms + half_turn + 1_ms);  // ends on the same cylinder
  CHECK(time_of(disk, 15'900, 200) == 1_ms + half_turn + 200_us);        // ends on the next one
  CHECK(time_of(disk, 16'500, 100) == 1_ms + half_turn + 100_us);
  CHECK(time_of(disk, 99'000, 100) == 1_ms + 5_ms + 830_us + half_turn + 100_us);
}

TEST_CASE("simple disk: a part of a sector costs a whole one") {
  for (const auto& [address, bytes, sectors] :
       {std::tuple{0, 1, 1}, {99, 1, 1}, {99, 2, 2}, {150, 100, 2}, {100, 100, 1}, {50, 901, 10}}) {
    disk::Simple disk(plain());
    CAPTURE(address, bytes);
    CHECK(time_of(disk, static_cast<std::uint64_t>(address), static_cast<std::uint64_t>(bytes)) ==
          1_ms + half_turn + 100_us * sectors);
  }
}

TEST_CASE("simple disk: a write of a part of a sector can read it first, and write it whole turns later") {
  disk::SimpleParameters parameters = plain();
  parameters.partial_writes = disk::PartialWrites::update;
  const auto write = [&](std::uint64_t address, std::uint64_t bytes) {
    return disk::Simple(parameters).serve({address, Bytes(bytes), true}, 0_ps).time - 1_ms - half_turn;
  };
  const SimTime turn = half_turn * 2;  // ten sectors
  CHECK(write(0, 50) == turn + 100_us);
  CHECK(write(50, 50) == turn + 100_us);
  CHECK(write(50, 100) == turn + 200_us);
  CHECK(write(50, 2500) == turn + 100_us * 26);
  CHECK(write(100, 200) == 200_us);
  CHECK(disk::Simple(parameters).serve({0, Bytes(50), false}, 0_ps).time == 1_ms + half_turn + 100_us);

  // By position: to the sectors that are read, the last one of 0 to 250, the first and the last of 350 to
  // 650.
  parameters.rotation = disk::Rotation::position;
  const auto times = [&](std::uint64_t address, std::uint64_t bytes) {
    return disk::Simple(parameters).serve({address, Bytes(bytes), true}, 0_ps).time - 1_ms;
  };
  CHECK(times(0, 250) == 200_us + 100_us + 700_us + 300_us);
  CHECK(times(350, 300) == 300_us + 100_us + 200_us + 100_us + 600_us + 400_us);

  // Parts of one sector, each a little after the one before: two turns each.
  parameters.overhead = 100_us;
  disk::Simple disk(parameters);
  SimTime now;
  for (std::uint64_t part = 0; part < 4; ++part) now += disk.serve({part * 25, Bytes(25), true}, now).time;
  CHECK(now == turn * 8 + 100_us);
}

TEST_CASE("simple disk: rotation by position waits for the first sector") {
  disk::SimpleParameters parameters = plain();
  parameters.rotation = disk::Rotation::position;
  const auto served = [&](std::uint64_t address, SimTime start) {
    disk::Simple disk(parameters);
    return time_of(disk, address, 100, start);
  };
  CHECK(served(0, 0_ps) == 1_ms + 100_us);             // after the overhead a whole turn has passed
  CHECK(served(300, 0_ps) == 1_ms + 300_us + 100_us);  // the medium turns on to sector 3
  CHECK(served(350, 0_ps) == 1_ms + 300_us + 200_us);
  CHECK(served(300, 300_us) == 1_ms + 100_us);
  CHECK(served(300, 400_us) == 1_ms + 900_us + 100_us);

  // The next sector comes by during the overhead: each sector takes a turn and itself.
  parameters.overhead = 250_us;
  disk::Simple disk(parameters);
  SimTime now;
  for (std::uint64_t sector = 0; sector < 5; ++sector) now += time_of(disk, sector * 100, 100, now);
  CHECK(now == (1_ms + 100_us) * 5);
}

TEST_CASE("simple disk: the mean over all angles is that of `mean`") {
  disk::SimpleParameters parameters = plain();
  parameters.rotation = disk::Rotation::position;
  SimTime sum;
  constexpr int angles = 1000;
  for (int angle = 0; angle < angles; ++angle) {
    disk::Simple disk(parameters);
    sum += time_of(disk, 700, 100, 1_us * angle + 500_ns) - 1_ms - 100_us;
  }
  CHECK(sum == half_turn * angles);
}

TEST_CASE("simple disk: seeks are requests that do not continue") {
  disk::Simple disk(plain());
  const auto seeks = [&disk](std::uint64_t address) {
    return disk.serve({address, Bytes(50), false}, 0_ps).seek;
  };
  CHECK(seeks(0));
  CHECK_FALSE(seeks(50));
  CHECK(seeks(50));
}
