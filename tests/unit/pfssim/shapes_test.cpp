// The shapes of files: who decides, and where cells are on the disks.
#include "pfssim/shapes.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/pfssim/layout_support.hpp"
#include "tests/unit/pfssim/support.hpp"

using namespace mpisim;
using namespace mpisim::kernel::literals;
using namespace mpisim::test;
using pfs::CellRange;
using pfs::Shape;
using pfs::ShapeHints;

namespace {

pfs::Parameters four_disks() {
  pfs::Parameters parameters;
  parameters.io_nodes = 2;
  parameters.disks_per_node = 2;
  parameters.stripe_unit = 100;
  parameters.disk = analytic_disk(1_ms, 9_ms, 1e9);
  return parameters;
}

std::vector<CellRange> on_disks(const pfs::Parameters& parameters, const Shape& shape, std::uint64_t offset,
                                std::uint64_t bytes) {
  const network::Hockney network({{kernel::Bytes(~0ULL), latency, kernel::ByteTime()}});
  const pfs::FileSystem system(parameters, network, {0}, 1);
  std::vector<CellRange> ranges;
  system.divide(shape, offset, bytes, ranges);
  return ranges;
}

}  // namespace

TEST_CASE(
    "files are on all disks, each begins on the next, unless the machine or the creator says otherwise") {
  pfs::Parameters parameters = four_disks();
  CHECK(pfs::new_shape(parameters, {}, 6) == Shape{.cells = 4, .first = 2, .unit = 100});
  CHECK(pfs::new_shape(parameters, {.cells = 2, .unit = 7, .first = 4}, 6) ==
        Shape{.cells = 2, .first = 3, .unit = 7});
  parameters.stripe_factor = 3;
  parameters.start_disk = 1;
  CHECK(pfs::new_shape(parameters, {}, 6) == Shape{.cells = 3, .first = 1, .unit = 100});
  CHECK(pfs::new_shape(parameters, {.first = 1}, 6) == Shape{.cells = 3, .first = 0, .unit = 100});
}

TEST_CASE("hints that cannot be had are left out") {
  pfs::Parameters parameters = four_disks();
  const Shape plain = pfs::new_shape(parameters, {}, 0);
  CHECK(pfs::new_shape(parameters, {.cells = 5}, 0) == plain);
  CHECK(pfs::new_shape(parameters, {.unit = ~std::uint64_t{0}}, 0) == plain);
  CHECK(pfs::new_shape(parameters, {.first = 5}, 0) == plain);
  parameters.layout = vesta();
  CHECK(pfs::new_shape(parameters, {.cells = 8, .own = {1, 1, 2, 4}}, 0) ==
        Shape{.cells = 8, .unit = 100, .own = {1, 1, 2, 4}});
  CHECK(pfs::new_shape(parameters, {.cells = 8, .own = {1, 1, 3, 1}}, 0) == matrix(4, 100, 1, 1, 1, 1));
  CHECK(pfs::new_shape(parameters, {.unit = std::uint64_t{1} << 40, .own = {65535, 65535, 1, 1}}, 0) ==
        matrix(4, 100, 1, 1, 1, 1));
}

TEST_CASE("cells go round the disks from the first one") {
  const auto ranges = on_disks(four_disks(), {.cells = 3, .first = 2, .unit = 100}, 50, 300);
  REQUIRE(ranges.size() == 3);
  CHECK(ranges[0].cell == 2);
  CHECK(ranges[1].cell == 3);
  CHECK(ranges[2].cell == 0);
  CHECK(ranges[0].offset == 50);
  CHECK(ranges[0].bytes == 100);  // the end of stripe 0, and half of stripe 3
}

TEST_CASE("cells that share a disk have equal parts of it") {
  pfs::Parameters parameters = four_disks();
  parameters.layout = vesta();
  const Shape shape = matrix(10, 100, 1, 1, 1, 1);  // three on each of the first two disks
  const auto ranges = on_disks(parameters, shape, 0, 1000);
  REQUIRE(ranges.size() == 10);
  const std::uint64_t part = (std::uint64_t{1} << 44) / 3;  // of a disk without bounds
  for (std::uint64_t i = 0; i < 10; ++i) {
    CHECK(ranges[i].cell == i % 4);
    CHECK(ranges[i].offset == i / 4 * part);
  }
}

TEST_CASE("behind burst buffers files have the machine's shape, whatever is asked for") {
  Setup setup{{0}, {{}}, four_disks()};
  setup.parameters.burst.place = pfs::BurstParameters::Place::dedicated;
  setup.parameters.burst.nodes = 1;
  setup.parameters.burst.capacity = 1 << 20;
  pfs::TransactionData open;
  open.operation = pfs::Operation::open;
  open.name = 99;
  pfs::pack_shape(open, ShapeHints{.cells = 1, .unit = 1000, .first = 2});
  setup.asks[0] = {{1_ms, open}};
  const auto replies = replies_of(setup)[0];
  REQUIRE(replies.size() == 1);
  CHECK(pfs::unpack_shape<Shape>(replies[0].what) == pfs::new_shape(setup.parameters, {}, 0));
}

TEST_CASE("a file keeps the shape that it was created with until it is deleted, whoever opens it") {
  Setup setup{{0, 1}, {{}, {}}, four_disks()};
  const auto call = [](pfs::Operation operation, const ShapeHints& asked) {
    pfs::TransactionData data;
    data.operation = operation;
    data.name = 99;
    pfs::pack_shape(data, asked);
    return data;
  };
  setup.asks[0] = {{1_ms, call(pfs::Operation::open, {.cells = 2, .unit = 1000, .first = 2})},
                   {30_ms, call(pfs::Operation::remove, {})},
                   {40_ms, call(pfs::Operation::open, {.cells = 1})}};
  setup.asks[1] = {{10_ms, call(pfs::Operation::open, {.cells = 3})},
                   // 40 stripes of the file's unit are one access of each of its two disks
                   {20_ms, data(pfs::Operation::write, 0, 0, 40'000)}};
  for (const int hosts : {1, 2}) {
    const auto replies = replies_of(setup, hosts);
    const Shape asked{.cells = 2, .first = 1, .unit = 1000};
    CHECK(pfs::unpack_shape<Shape>(replies[0][0].what) == asked);
    CHECK(pfs::unpack_shape<Shape>(replies[1][0].what) == asked);
    CHECK(replies[1][1].what.tally.writes == 2);
    CHECK(pfs::unpack_shape<Shape>(replies[0][2].what) == Shape{.cells = 1, .first = 1, .unit = 100});
    CHECK(replies[0][2].what.file == 1);
  }
  setup.parameters.caching.cnode.blocks = 4;
  setup.parameters.caching.block = 1000;
  CHECK(pfs::unpack_shape<Shape>(replies_of(setup)[1][0].what) ==
        Shape{.cells = 2, .first = 1, .unit = 1000});
}
