// Two-dimensional files, as those of Vesta (Corbett and Feitelson, "The Vesta parallel file system", ACM TOCS
// 14(3), 1996).
//
// A file is a matrix of basic striping units (BSU, `unit` bytes): its columns are the cells, each on one
// disk, its rows go on as the file grows. A partition cuts the matrix into blocks of Vbs rows and Hbs cells
// and deals them out to Vn * Hn subfiles: block (i, j) belongs to subfile (i mod Vn) * Hn + j mod Hn. So
// whoever opens a file chooses how parallel the accesses to a subfile are (Hbs cells at a time, cells / Hn in
// all), and which subfiles have disks of their own.
//
// MPI-IO knows one order of a file's bytes. Here it is this one:
//
//   - tiles of Vn x Hn blocks, from left to right, then down;
//   - in a tile the blocks of subfiles 0, 1, ... Vn * Hn - 1;
//   - in a block the BSUs down the first cell, then down the second, and so on.
//
// So subfile s of a partition is every (Vn * Hn)-th run of Vbs * Hbs units, from the s-th on: the view of a
// vector type. With Vbs = Hbs = Vn = Hn = 1 the layout is plain striping, with Vbs = k alone that of k units.
//
//   bytes of cell c among the first n of the file, with C = Vbs * unit, B = Hbs * C, T = Vn * Hn * B,
//   W = cells / (Hn * Hbs) tiles in a row, and for the cell q = its tile, j = its block, k = its place there:
//     tile t = n / T, r = n mod T, block b = r / B:
//     (t / W) * Vn * C                                  rows of tiles above
//     + Vn * C                                          if q < t mod W
//     + C * #{i : i * Hn + j < b}                       if q = t mod W: blocks of this tile that are full
//     + min(max(r mod B - k * C, 0), C)                 if q = t mod W and b mod Hn = j: the one that is not
//
// Valid where cells is a multiple of Hn * Hbs. Cost: O(runs of Vbs units touched), at most Vn * cells.
#include <fmt/format.h>

#include <algorithm>

#include "pfssim/layout.hpp"

namespace mpisim::pfs {

namespace {

/// A partition of a file, in the terms above.
struct Partition {
  explicit Partition(const Shape& shape)
      : vn(shape.own[1]),
        hbs(shape.own[2]),
        hn(shape.own[3]),
        tiles(shape.cells / (hn * hbs)),
        run(shape.own[0] * shape.unit),
        block(hbs * run),
        tile(vn * hn * block) {}

  /// Bytes of `cell` among the first `n` of the file.
  std::uint64_t in_cell(std::uint32_t cell, std::uint64_t n) const {
    const std::uint64_t t = n / tile, rest = n % tile;
    const std::uint64_t column = cell / (hn * hbs), here = t % tiles;
    std::uint64_t bytes = t / tiles * vn * run;
    if (column < here) bytes += vn * run;
    if (column != here) return bytes;
    const std::uint64_t j = cell / hbs % hn, k = cell % hbs;
    const std::uint64_t full = rest / block, begun = rest % block;
    if (full > j) bytes += ((full - j - 1) / hn + 1) * run;
    if (full % hn == j && begun > k * run) bytes += std::min(begun - k * run, run);
    return bytes;
  }

  /// Cell of the run that byte `n` of the file is in.
  std::uint32_t cell_of(std::uint64_t n) const {
    const std::uint64_t j = n % tile / block % hn, k = n % block / run;
    return static_cast<std::uint32_t>((n / tile % tiles * hn + j) * hbs + k);
  }

  std::uint64_t vn, hbs, hn;
  std::uint64_t tiles;             ///< beside each other
  std::uint64_t run, block, tile;  ///< bytes
};

class Vesta final : public Layout {
 public:
  explicit Vesta(const std::array<std::uint16_t, 4>& defaults) : defaults_(defaults) {}

  bool shares_disks() const override { return true; }

  std::vector<std::string> own_hints() const override {
    return {"mpisim_vbs", "mpisim_vn", "mpisim_hbs", "mpisim_hn"};
  }

  void complete(Shape& shape, const ShapeHints& asked) const override {
    for (std::size_t i = 0; i < defaults_.size(); ++i)
      shape.own[i] = asked.own[i] != 0 ? asked.own[i] : defaults_[i];
    const std::uint64_t width = std::uint64_t{shape.own[2]} * shape.own[3];
    if (shape.cells % width != 0)
      throw std::invalid_argument(
          fmt::format("hbs: {} cells are no multiple of hbs * hn = {}", shape.cells, width));
    const auto rows = static_cast<unsigned __int128>(shape.own[0]) * shape.own[1];
    if (rows * width * shape.unit > ~std::uint64_t{0})
      throw std::invalid_argument("vbs: vbs * vn * hbs * hn units are more than 2^64 B");
  }

  void divide(const Shape& shape, std::uint64_t offset, std::uint64_t bytes,
              std::vector<CellRange>& ranges) const override {
    if (bytes == 0) return;
    const Partition file(shape);
    const std::uint64_t end = offset + bytes;
    // After so many runs every cell has been touched.
    const std::uint64_t most = file.vn * shape.cells + 1;
    std::uint64_t at = offset;
    for (std::uint64_t runs = 0; at < end && runs < most; ++runs) {
      const std::uint32_t cell = file.cell_of(at);
      const std::uint64_t begin = file.in_cell(cell, offset);
      if (file.in_cell(cell, at) == begin) ranges.push_back({cell, begin, file.in_cell(cell, end) - begin});
      if (__builtin_add_overflow(at - at % file.run, file.run, &at)) return;
    }
  }

  std::uint64_t largest_file(const Shape& shape, std::uint64_t room) const override {
    const Partition file(shape);
    std::uint64_t bytes = 0;
    const bool beyond = __builtin_mul_overflow(room / (file.vn * file.run), file.tile, &bytes) ||
                        __builtin_mul_overflow(bytes, file.tiles, &bytes);
    return beyond ? ~std::uint64_t{0} : bytes;
  }

 private:
  std::array<std::uint16_t, 4> defaults_;  // Vbs, Vn, Hbs, Hn
};

kernel::Parameter count(const char* name, const char* meaning) {
  kernel::Parameter parameter{name, kernel::ParameterType::integer, "1", meaning};
  parameter.at_most = 65535;
  return parameter;
}

}  // namespace

LayoutModule vesta_layout() {
  return {"vesta",
          "files are matrices of units of `stripe_unit`, a column on each disk, partitioned into subfiles",
          {count("vbs", "units of a block down a cell; hint `mpisim_vbs`"),
           count("vn", "subfiles that blocks go round downwards; hint `mpisim_vn`"),
           count("hbs", "cells of a block; hint `mpisim_hbs`"),
           count("hn", "subfiles that blocks go round across the cells; hint `mpisim_hn`")},
          [](const kernel::Parameters& given) {
            const auto number = [&given](const char* name) {
              return static_cast<std::uint16_t>(given.integer(name));
            };
            return std::make_shared<Vesta>(
                std::array<std::uint16_t, 4>{number("vbs"), number("vn"), number("hbs"), number("hn")});
          }};
}

}  // namespace mpisim::pfs
