#include "pfssim/striping.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <utility>
#include <vector>

using namespace mpisim;
using pfs::CellRange;
using pfs::Striping;

namespace {

std::vector<CellRange> ranges(const Striping& striping, std::uint32_t file, std::uint64_t offset,
                              std::uint64_t bytes) {
  std::vector<CellRange> found;
  striping.for_each_range(file, offset, bytes, [&](const CellRange& range) { found.push_back(range); });
  return found;
}

/// Cell and place of one byte, by the definition.
std::pair<std::uint32_t, std::uint64_t> place(std::uint64_t unit, std::uint32_t cells, std::uint32_t file,
                                              std::uint64_t byte) {
  const std::uint64_t stripe = byte / unit;
  return {static_cast<std::uint32_t>((file + stripe) % cells), stripe / cells * unit + byte % unit};
}

}  // namespace

TEST_CASE("striping: a long range is one range of each cell, in the order of the file") {
  const Striping striping(100, 3);
  const auto found = ranges(striping, 1, 250, 500);  // stripes 2 to 7, which lie on cells 0, 1, 2, 0, 1, 2
  REQUIRE(found.size() == 3);
  CHECK(found[0].cell == 0);
  CHECK(found[0].offset == 50);
  CHECK(found[0].bytes == 150);
  CHECK(found[1].cell == 1);
  CHECK(found[1].offset == 100);
  CHECK(found[1].bytes == 200);
  CHECK(found[2].cell == 2);
  CHECK(found[2].offset == 100);
  CHECK(found[2].bytes == 150);
}

TEST_CASE("striping: every byte of a request is where the layout has it, once") {
  for (const std::uint64_t unit : {1, 3, 8}) {
    for (const std::uint32_t cells : {1U, 2U, 5U}) {
      const Striping striping(unit, cells);
      for (std::uint32_t file = 0; file < 3; ++file) {
        for (std::uint64_t offset = 0; offset < 45; offset += 7) {
          for (std::uint64_t bytes = 0; bytes < 60; ++bytes) {
            std::map<std::pair<std::uint32_t, std::uint64_t>, int> touched;
            std::map<std::uint32_t, int> visits;
            for (const CellRange& range : ranges(striping, file, offset, bytes)) {
              ++visits[range.cell];
              for (std::uint64_t i = 0; i < range.bytes; ++i) ++touched[{range.cell, range.offset + i}];
            }
            bool right = touched.size() == bytes;
            for (std::uint64_t i = offset; i < offset + bytes; ++i)
              right = right && touched[place(unit, cells, file, i)] == 1;
            for (const auto& [cell, count] : visits) right = right && count == 1;
            CAPTURE(unit, cells, file, offset, bytes);
            REQUIRE(right);
          }
        }
      }
    }
  }
}

TEST_CASE("striping: the largest file is full stripes of every cell") {
  CHECK(Striping(100, 3).largest_file(250) == 600);
  CHECK(Striping(64, 2).largest_file(~std::uint64_t{0}) == ~std::uint64_t{0});
}
