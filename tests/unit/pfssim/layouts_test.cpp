// The layouts against the definition of each, byte by byte.
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "pfssim/layout.hpp"
#include "tests/unit/pfssim/layout_support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using pfs::CellRange;
using pfs::Layout;
using pfs::Shape;

namespace {

using Place = std::pair<std::uint32_t, std::uint64_t>;  // cell, and byte there

Place place_in_stripes(const Shape& shape, std::uint64_t byte) {
  const std::uint64_t stripe = byte / shape.unit;
  return {static_cast<std::uint32_t>(stripe % shape.cells),
          stripe / shape.cells * shape.unit + byte % shape.unit};
}

/// The places of a Vesta file's first bytes, in its order: loops over tiles, subfiles, cells and units.
std::vector<Place> places_in_matrix(const Shape& shape, std::uint64_t bytes) {
  const std::uint64_t vbs = shape.own[0], vn = shape.own[1], hbs = shape.own[2], hn = shape.own[3];
  std::vector<Place> places;
  for (std::uint64_t down = 0;; ++down)
    for (std::uint64_t across = 0; across < shape.cells / (hn * hbs); ++across)
      for (std::uint64_t i = 0; i < vn; ++i)
        for (std::uint64_t j = 0; j < hn; ++j)
          for (std::uint64_t column = 0; column < hbs; ++column)
            for (std::uint64_t row = 0; row < vbs; ++row)
              for (std::uint64_t byte = 0; byte < shape.unit; ++byte) {
                const std::uint64_t cell = (across * hn + j) * hbs + column;
                const std::uint64_t bsu = (down * vn + i) * vbs + row;
                places.emplace_back(static_cast<std::uint32_t>(cell), bsu * shape.unit + byte);
                if (places.size() == bytes) return places;
              }
}

constexpr std::uint64_t long_enough = 400;

/// Whether the layout's ranges of [offset, offset + bytes) are those places, one for each cell, in the order
/// of their first bytes.
bool divides_as(const Layout& layout, const Shape& shape, const std::vector<Place>& places,
                std::uint64_t offset, std::uint64_t bytes) {
  std::vector<CellRange> ranges;
  layout.divide(shape, offset, bytes, ranges);
  std::set<Place> touched;
  std::vector<std::uint32_t> cells, expected_cells;
  for (const CellRange& range : ranges) {
    cells.push_back(range.cell);
    for (std::uint64_t i = 0; i < range.bytes; ++i)
      if (!touched.emplace(range.cell, range.offset + i).second) return false;
  }
  std::set<std::uint32_t> met;
  for (std::uint64_t byte = offset; byte < offset + bytes; ++byte) {
    if (!touched.contains(places[byte])) return false;
    if (met.insert(places[byte].first).second) expected_cells.push_back(places[byte].first);
  }
  return touched.size() == bytes && cells == expected_cells;
}

}  // namespace

TEST_CASE("striping: a long range is one range of each cell, in the order of the file") {
  const auto found = divided(*pfs::plain_striping(), {.cells = 3, .unit = 100}, 250, 500);  // stripes 2 to 7
  REQUIRE(found.size() == 3);
  CHECK(found[0].cell == 2);
  CHECK(found[0].offset == 50);
  CHECK(found[0].bytes == 150);
  CHECK(found[1].cell == 0);
  CHECK(found[1].offset == 100);
  CHECK(found[1].bytes == 200);
  CHECK(found[2].cell == 1);
  CHECK(found[2].offset == 100);
  CHECK(found[2].bytes == 150);
}

TEST_CASE("striping: every byte of a request is where the layout has it, once") {
  const auto layout = pfs::plain_striping();
  for (const std::uint64_t unit : {1, 3, 8}) {
    for (const std::uint32_t cells : {1U, 2U, 5U}) {
      const Shape shape{.cells = cells, .unit = unit};
      std::vector<Place> places;
      for (std::uint64_t byte = 0; byte < 110; ++byte) places.push_back(place_in_stripes(shape, byte));
      bool right = true;
      for (std::uint64_t offset = 0; offset < 45; offset += 7)
        for (std::uint64_t bytes = 0; bytes < 60; ++bytes)
          right = right && divides_as(*layout, shape, places, offset, bytes);
      CAPTURE(unit, cells);
      REQUIRE(right);
    }
  }
}

TEST_CASE("striping: the largest file is full stripes of every cell") {
  const auto layout = pfs::plain_striping();
  CHECK(layout->largest_file({.cells = 3, .unit = 100}, 250) == 600);
  CHECK(layout->largest_file({.cells = 2, .unit = 64}, ~std::uint64_t{0}) == ~std::uint64_t{0});
}

TEST_CASE("vesta: every byte of a request is where the matrix and its partition have it, once") {
  const auto layout = vesta();
  for (const Shape& shape : {matrix(1, 1, 1, 1, 1, 1), matrix(3, 1, 1, 1, 1, 1), matrix(3, 2, 2, 1, 1, 1),
                             matrix(4, 3, 1, 2, 1, 2), matrix(4, 2, 2, 1, 2, 1), matrix(4, 1, 3, 2, 2, 2),
                             matrix(6, 2, 2, 3, 1, 3), matrix(12, 1, 2, 2, 3, 2), matrix(6, 5, 1, 1, 6, 1)}) {
    const auto places = places_in_matrix(shape, long_enough);
    CAPTURE(shape.cells, shape.unit, shape.own[0], shape.own[1], shape.own[2], shape.own[3]);
    bool right = true;
    for (std::uint64_t offset = 0; offset < long_enough; offset += 11)
      for (std::uint64_t bytes = 0; bytes <= long_enough - offset; bytes += 1 + bytes / 9)
        right = right && divides_as(*layout, shape, places, offset, bytes);
    REQUIRE(right);
  }
}

TEST_CASE("vesta: with blocks of one cell it is striping, of as many units as a block has") {
  for (const std::uint64_t offset : {0, 5, 47, 1000}) {
    const auto one = divided(*vesta(), matrix(5, 4, 3, 1, 1, 1), offset, 77);
    const auto other = divided(*pfs::plain_striping(), {.cells = 5, .unit = 12}, offset, 77);
    REQUIRE(one.size() == other.size());
    for (std::size_t i = 0; i < one.size(); ++i) {
      CHECK(one[i].cell == other[i].cell);
      CHECK(one[i].offset == other[i].offset);
      CHECK(one[i].bytes == other[i].bytes);
    }
  }
}

TEST_CASE("vesta: a subfile is every so-manieth block, and has cells of its own if blocks go round across") {
  // Two subfiles beside each other on two cells each: units of 10 B, blocks of 3 x 2 units, which are 60 B.
  const Shape shape = matrix(4, 10, 3, 1, 2, 2);
  for (const std::uint64_t subfile : {0, 1}) {
    std::set<std::uint32_t> cells;
    std::map<std::uint32_t, std::uint64_t> next;
    for (std::uint64_t block = subfile; block < 20; block += 2) {
      for (const CellRange& range : divided(*vesta(), shape, block * 60, 60)) {
        cells.insert(range.cell);
        CHECK(range.offset == next[range.cell]);  // one block after the other
        next[range.cell] += range.bytes;
      }
    }
    CHECK(cells == std::set<std::uint32_t>{static_cast<std::uint32_t>(2 * subfile),
                                           static_cast<std::uint32_t>(2 * subfile + 1)});
  }
}

TEST_CASE("vesta: a request costs no more than the runs it touches, however long it is") {
  const Shape shape = matrix(64, 4096, 2, 2, 4, 2);
  const std::uint64_t much = std::uint64_t{1} << 50;
  const auto ranges = divided(*vesta(), shape, 12345, much);
  CHECK(ranges.size() == 64);
  std::uint64_t bytes = 0;
  for (const CellRange& range : ranges) bytes += range.bytes;
  CHECK(bytes == much);
}

TEST_CASE("vesta: the largest file fills every cell with whole rows of blocks") {
  const Shape shape = matrix(4, 10, 3, 2, 1, 1);
  CHECK(vesta()->largest_file(shape, 130) == 480);  // 2 * 3 units of 4 cells, twice
  CHECK(vesta()->largest_file(shape, ~std::uint64_t{0}) == ~std::uint64_t{0});
}
