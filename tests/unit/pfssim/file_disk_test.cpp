#include "pfssim/file_disk.hpp"

#include <catch2/catch.hpp>

#include "disk_models/analytic.hpp"
#include "disk_models/array.hpp"
#include "tests/unit/pfssim/arm.hpp"

using namespace mpisim;
using namespace mpisim::test;
using namespace mpisim::kernel::literals;
using kernel::SimTime;

namespace {

/// 100 cylinders of 1000 bytes; a seek costs 1 ms per cylinder, all else nothing but 1 us per byte.
disk::Factory cylinders() {
  return arm(100, 1_ms, 0_ps, kernel::ByteTime::from_bandwidth(1e6));
}

SimTime time_of(pfs::FileDisk& disk, std::uint32_t file, std::uint64_t offset, std::uint64_t bytes) {
  return disk.serve(file, offset, bytes, true, 0_ps).time;
}

}  // namespace

TEST_CASE("files begin on cylinders that golden steps spread over the disk") {
  pfs::FileDisk disk(cylinders());
  CHECK(disk.room() == 100'000);
  CHECK(time_of(disk, 0, 0, 0) == 0_ps);
  CHECK(time_of(disk, 1, 0, 0) == 61_ms);  // 0.618 of 100 cylinders
  CHECK(time_of(disk, 2, 0, 0) == 38_ms);  // 1.236: cylinder 23
  CHECK(time_of(disk, 3, 0, 0) == 62_ms);  // 1.854: cylinder 85
}

TEST_CASE("a file goes on at the disk's beginning when it meets the end") {
  pfs::FileDisk disk(cylinders());
  CHECK(time_of(disk, 1, 0, 39'000) == 61_ms + 39_ms);
  CHECK(time_of(disk, 1, 39'000, 500) == 99_ms + 500_us);
  pfs::FileDisk whole(cylinders());
  CHECK(time_of(whole, 1, 0, 100'000) == 61_ms + 39_ms + 99_ms + 61_ms);
}

TEST_CASE("without bounds, files are far from each other and any size fits") {
  pfs::FileDisk disk(disk::factory<disk::Analytic>(disk::AnalyticParameters{}));
  CHECK(disk.room() == ~std::uint64_t{0});
  CHECK(disk.serve(0, 0, 100, true, 0_ps).seek);
  CHECK_FALSE(disk.serve(0, 100, 100, true, 0_ps).seek);
  CHECK(disk.serve(1, 200, 100, true, 0_ps).seek);
}

TEST_CASE("without bounds, files begin on rows of an array") {
  const disk::Array array({disk::RaidLevel::raid5, 4, 65536}, disk::Space{});
  const std::uint64_t row = array.space().unit;
  REQUIRE(row == std::uint64_t{3} * 65536);
  const pfs::FilePlacement placement(array.space());
  for (std::uint32_t file = 0; file < 4; ++file) {
    CAPTURE(file);
    placement.for_each_piece(file, 0, row, true, [&](const disk::Request& piece) {
      CHECK(piece.address % row == 0);
      const auto chains = array.plan(piece);
      REQUIRE(chains.size() == 1);
      CHECK(chains[0].first.size() == 4);
      CHECK(chains[0].then.empty());  // a whole row: nothing is read
    });
  }
}
