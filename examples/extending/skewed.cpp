// Skewed striping: as plain striping, but each row of stripes begins one cell further on, so that a column of
// a matrix whose rows are as long as a row of stripes lies on all disks instead of one (P. Budnik and D. J.
// Kuck, "The organization and use of parallel memories", IEEE Transactions on Computers C-20(12), 1971, for
// the banks of a memory).
//
//   stripe s = offset / unit;   row = s / cells;   cell = (s + row) mod cells;
//   offset in the cell = row * unit + offset mod unit
//
// Valid for files of fewer than 2^64 bytes. Cost: O(stripes touched), at most two rows.
#include <algorithm>

#include "pfssim/layout.hpp"

namespace mpisim::pfs {

namespace {

class Skewed final : public Layout {
 public:
  void divide(const Shape& shape, std::uint64_t offset, std::uint64_t bytes,
              std::vector<CellRange>& ranges) const override {
    if (bytes == 0) return;
    const std::uint64_t end = offset + bytes;
    const std::uint64_t first = offset / shape.unit;
    // Two rows have stripes of every cell.
    const std::uint64_t last = std::min((end - 1) / shape.unit, first + 2 * std::uint64_t{shape.cells} - 1);
    for (std::uint64_t stripe = first; stripe <= last; ++stripe) {
      const auto cell = static_cast<std::uint32_t>((stripe + stripe / shape.cells) % shape.cells);
      const std::uint64_t begin = in_cell(shape, cell, offset);
      const bool met = in_cell(shape, cell, std::max(offset, stripe * shape.unit)) != begin;
      if (!met) ranges.push_back({cell, begin, in_cell(shape, cell, end) - begin});
    }
  }

  std::uint64_t largest_file(const Shape& shape, std::uint64_t room) const override {
    std::uint64_t bytes = 0;
    return __builtin_mul_overflow(room / shape.unit * shape.unit, std::uint64_t{shape.cells}, &bytes)
               ? ~std::uint64_t{0}
               : bytes;
  }

 private:
  /// Bytes of the cell among the first `n` of the file.
  static std::uint64_t in_cell(const Shape& shape, std::uint32_t cell, std::uint64_t n) {
    const std::uint64_t row = n / shape.unit / shape.cells, place = n / shape.unit % shape.cells;
    const std::uint64_t own = (cell + shape.cells - row % shape.cells) % shape.cells;  // place in this row
    return row * shape.unit + (own < place ? shape.unit : own == place ? n % shape.unit : 0);
  }
};

}  // namespace

LayoutModule skewed_layout() {
  return {"skewed", "striping whose rows begin one disk further on each", {}, [](const kernel::Parameters&) {
            return std::make_shared<Skewed>();
          }};
}

}  // namespace mpisim::pfs
