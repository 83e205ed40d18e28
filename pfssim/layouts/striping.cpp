// Plain striping: stripes of `unit` bytes go round the cells.
//
//   stripe s = offset / unit;   cell = s mod cells;   offset in the cell = (s / cells) * unit + offset mod
//   unit
//
// Source: the Paragon's PFS ("stripes of 64KB per disk ... the first 64KB on the first disk, the second 64KB
// on the second", AFRL-IF-RS-TR-2000-120, section 7.4), and every parallel file system since. Cost: O(cells
// touched), however long the range.
#include "pfssim/layout.hpp"
#include "simkernel/division.hpp"

namespace mpisim::pfs {

namespace {

using kernel::divided;

class PlainStriping final : public Layout {
 public:
  void divide(const Shape& shape, std::uint64_t offset, std::uint64_t bytes,
              std::vector<CellRange>& ranges) const override {
    if (bytes == 0) return;
    const std::uint64_t unit = shape.unit, cells = shape.cells;
    const auto [first, into_first] = divided(offset, unit);
    // Most requests are of one stripe.
    if (bytes <= unit - into_first) {
      const auto [round, cell] = divided(first, cells);
      ranges.push_back({static_cast<std::uint32_t>(cell), round * unit + into_first, bytes});
      return;
    }
    const std::uint64_t last = (offset + bytes - 1) / unit;
    for (std::uint64_t stripe = first; stripe <= last && stripe - first < cells; ++stripe) {
      const std::uint64_t end_stripe = stripe + (last - stripe) / cells * cells;
      const std::uint64_t begin = stripe / cells * unit + (stripe == first ? into_first : 0);
      const std::uint64_t end =
          end_stripe / cells * unit + (end_stripe == last ? (offset + bytes - 1) % unit + 1 : unit);
      ranges.push_back({static_cast<std::uint32_t>(stripe % cells), begin, end - begin});
    }
  }

  std::uint64_t largest_file(const Shape& shape, std::uint64_t room) const override {
    std::uint64_t bytes = 0;
    return __builtin_mul_overflow(room / shape.unit * shape.unit, std::uint64_t{shape.cells}, &bytes)
               ? ~std::uint64_t{0}
               : bytes;
  }
};

}  // namespace

std::shared_ptr<const Layout> plain_striping() {
  return std::make_shared<PlainStriping>();
}

LayoutModule striping_layout() {
  return {"striping", "stripes of `stripe_unit` go round the disks", {}, [](const kernel::Parameters&) {
            return plain_striping();
          }};
}

}  // namespace mpisim::pfs
