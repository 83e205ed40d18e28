// The layout of docs/extending.md: its bytes are where its definition has them, and a column of a matrix that
// plain striping keeps on one disk is on all of them.
#include <catch2/catch.hpp>
#include <set>

#include "machine/description.hpp"
#include "pfssim/layout.hpp"
#include "tests/unit/piosim/support.hpp"

namespace mpisim::pfs {
LayoutModule skewed_layout();
}

using namespace mpisim;
using namespace mpisim::test;
using pfs::CellRange;
using pfs::Shape;

namespace {

// What the line MODULE(skewed) in layouts.def does.
const bool registered = (pfs::layouts().add(pfs::skewed_layout()), true);

pio::Config configured(const std::string& layout) {
  const Directory directory;
  write_content(directory.file("skewed.yaml"),
                "schema_version: 1\nname: skewed\nnodes: {io: 4}\nnetwork: {model: ideal}\n"
                "io: {model: pfs, stripe_unit: 64 KiB, start_disk: 0, layout: {model: " +
                    layout + "}}\n");
  const machine::Description machine = machine::load(directory.file("skewed.yaml"));
  return machine.io_config(machine.placement(1));
}

/// Time in which one rank writes a column, every fourth piece of 64 KiB, all pieces in one list.
kernel::SimTime column_by(const std::string& layout) {
  const Directory directory;
  return run_ranks(1, program([&directory](int) {
                     MPI_Datatype column;
                     MPI_Type_vector(16, 65536, 4 * 65536, MPI_BYTE, &column);
                     MPI_Type_commit(&column);
                     MPI_Info info;
                     MPI_Info_create(&info);
                     MPI_Info_set(info, "mpisim_collective", "list");
                     MPI_File file = MPI_FILE_NULL;
                     MPI_File_open(MPI_COMM_WORLD, directory.file("data").c_str(),
                                   MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
                     MPI_File_set_view(file, 0, MPI_BYTE, column, "native", MPI_INFO_NULL);
                     const std::string text(1 << 20, 'x');
                     MPI_File_write_all(file, text.data(), 1 << 20, MPI_CHAR, MPI_STATUS_IGNORE);
                     MPI_Info_free(&info);
                     MPI_Type_free(&column);
                     return MPI_File_close(&file);
                   }),
                   with(configured(layout)))
      .predicted;
}

}  // namespace

TEST_CASE("skewed: every byte of a request is where the layout has it, once") {
  REQUIRE(registered);
  const auto layout = configured("skewed").pfs.layout;
  for (const Shape& shape :
       {Shape{.cells = 1, .unit = 5}, Shape{.cells = 3, .unit = 4}, Shape{.cells = 4, .unit = 1}}) {
    for (std::uint64_t offset = 0; offset < 50; ++offset) {
      for (std::uint64_t bytes = 0; bytes < 60; ++bytes) {
        std::vector<CellRange> ranges;
        layout->divide(shape, offset, bytes, ranges);
        std::set<std::pair<std::uint64_t, std::uint64_t>> touched, expected;
        for (const CellRange& range : ranges)
          for (std::uint64_t i = 0; i < range.bytes; ++i) touched.emplace(range.cell, range.offset + i);
        for (std::uint64_t byte = offset; byte < offset + bytes; ++byte) {
          const std::uint64_t stripe = byte / shape.unit, row = stripe / shape.cells;
          expected.emplace((stripe + row) % shape.cells, row * shape.unit + byte % shape.unit);
        }
        CAPTURE(shape.cells, shape.unit, offset, bytes);
        REQUIRE(touched == expected);
        REQUIRE(ranges.size() <= shape.cells);
      }
    }
  }
}

TEST_CASE("a column of a matrix is on all disks") {
  CHECK(column_by("skewed") * 2 < column_by("striping"));
}
