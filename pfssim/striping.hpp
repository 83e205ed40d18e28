#pragma once
// Where the bytes of a file lie: plain striping, in the terms of Vesta.
//
// A file is an array of cells, one on each disk of the file system (Corbett and Feitelson, "The Vesta
// parallel file system", ACM TOCS 14(3), 1996). Stripes of `unit` bytes go round the cells:
//
//   stripe s = offset / unit;   cell = (first + s) mod cells;
//   offset in the cell = (s / cells) * unit + offset mod unit
//
// Neighbouring cells are on different I/O nodes: cell c is on I/O node c mod io_nodes and there on disk
// c / io_nodes. File number n begins on cell n mod cells, so that small files spread. A range of the file is
// one range of each cell that it touches, since what lies between two of its stripes there belongs to it.
// Cost: O(cells touched), however long the range.
#include <algorithm>
#include <cstdint>

namespace mpisim::pfs {

struct CellRange {
  std::uint32_t cell = 0;
  std::uint64_t offset = 0;  ///< in the cell
  std::uint64_t bytes = 0;
};

class Striping {
 public:
  /// unit >= 1, cells >= 1.
  Striping(std::uint64_t unit, std::uint32_t cells) : unit_(unit), cells_(cells) {}

  /// Calls visit(CellRange) for each cell that bytes [offset, offset + bytes) of the file touch, in the order
  /// of their first bytes in the file.
  template <class Visit>
  void for_each_range(std::uint32_t file, std::uint64_t offset, std::uint64_t bytes, Visit&& visit) const {
    if (bytes == 0) return;
    const std::uint64_t first = offset / unit_;
    const std::uint64_t last = (offset + bytes - 1) / unit_;
    for (std::uint64_t stripe = first; stripe <= last && stripe - first < cells_; ++stripe) {
      const std::uint64_t end_stripe = stripe + (last - stripe) / cells_ * cells_;
      const std::uint64_t begin = stripe / cells_ * unit_ + (stripe == first ? offset % unit_ : 0);
      const std::uint64_t end =
          end_stripe / cells_ * unit_ + (end_stripe == last ? (offset + bytes - 1) % unit_ + 1 : unit_);
      visit(CellRange{static_cast<std::uint32_t>((file + stripe) % cells_), begin, end - begin});
    }
  }

  /// Largest file whose part in each cell has at most `room` bytes.
  std::uint64_t largest_file(std::uint64_t room) const {
    std::uint64_t bytes = 0;
    return __builtin_mul_overflow(room / unit_ * unit_, cells_, &bytes) ? ~std::uint64_t{0} : bytes;
  }

 private:
  std::uint64_t unit_;
  std::uint64_t cells_;
};

}  // namespace mpisim::pfs
