#pragma once
// Where the bytes of a file lie: what every layout decides.
//
// A file is an array of cells (Corbett and Feitelson, "The Vesta parallel file system", ACM TOCS 14(3),
// 1996), each on one disk. How many there are, the unit in which the file goes round them, and the disk of
// the first one are the file's shape: the machine file has them for all files, and whoever creates a file may
// choose others for it (the hints striping_factor, striping_unit and start_iodevice). A shape stays what it
// is until the file is deleted. A layout says which bytes of a file are which bytes of a cell; it has no
// state, so that every LP of every host process decides alike.
//
// Disks are numbered so that neighbours are at different I/O nodes: disk d is at I/O node d mod io_nodes.
// Cell c is on disk (first + c) mod disks.
//
// To add a layout: a file in layouts/ with a class and a function that returns its Module, and its line in
// layouts.def. The machine file knows it from then on.
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "simkernel/modules.hpp"

namespace mpisim::pfs {

/// Of a file, from its creation to its deletion.
struct Shape {
  std::uint32_t cells = 0;  ///< at least 1, at most most_cells
  std::uint32_t first = 0;  ///< disk of cell 0
  std::uint64_t unit = 0;   ///< bytes, at least 1
  /// The layout's own, as it likes.
  std::array<std::uint16_t, 4> own{};
  bool operator==(const Shape&) const = default;
};

/// What the creator of a file asks for; 0: nothing.
struct ShapeHints {
  std::uint32_t cells = 0;
  std::uint64_t unit = 0;
  std::uint32_t first = 0;  ///< number of the disk, plus 1
  std::array<std::uint16_t, 4> own{};
};

inline constexpr std::uint32_t most_cells = 1U << 24;

/// Consecutive bytes of a cell.
struct CellRange {
  std::uint32_t cell = 0;
  std::uint64_t offset = 0;  ///< in the cell
  std::uint64_t bytes = 0;
};

class Layout {
 public:
  virtual ~Layout() = default;
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;

  /// Whether a file may have more cells than there are disks: a disk then has several.
  virtual bool shares_disks() const { return false; }

  /// Sets the layout's own part of a new file's shape, from the hints of own_hints(). Throws
  /// std::invalid_argument, "parameter: what is wrong", if the layout cannot have such a shape.
  virtual void complete(Shape& /*shape*/, const ShapeHints& /*asked*/) const {}

  /// Names of the hints in ShapeHints::own, in their order; at most 4. Each is a whole number, 1 to 65535.
  virtual std::vector<std::string> own_hints() const { return {}; }

  /// Adds a range for each cell that bytes [offset, offset + bytes) of the file touch, in the order of their
  /// first bytes in the file. The bytes of a cell have the same order as in the file, so that what such a
  /// range of the file has of a cell is one range there.
  virtual void divide(const Shape& shape, std::uint64_t offset, std::uint64_t bytes,
                      std::vector<CellRange>& ranges) const = 0;

  /// Largest file whose part in each cell has at most `room` bytes; 2^64 - 1 if it is larger than that.
  virtual std::uint64_t largest_file(const Shape& shape, std::uint64_t room) const = 0;

 protected:
  Layout() = default;
};

using LayoutModule = kernel::Module<std::shared_ptr<const Layout>>;

/// All layouts, in the order in which they are documented.
kernel::ModuleTable<LayoutModule>& layouts();

#define MODULE(name) LayoutModule name##_layout();
#include "pfssim/layouts.def"
#undef MODULE

/// Plain striping, the layout of machines that name none.
std::shared_ptr<const Layout> plain_striping();

}  // namespace mpisim::pfs
