#pragma once
// The shapes of files: what a new one gets, and what a client knows of those that its ranks have opened.
#include <vector>

#include "pfssim/parameters.hpp"

namespace mpisim::pfs {

/// The shape of a new file, number `file`: what its creator asks for, else what the machine has. What cannot
/// be had is left out: cells beyond the disks, unless the layout has use for them, disks that are not there,
/// units of more than 1 TiB, and all the layout's own hints if they do not fit together. Throws
/// std::invalid_argument, "parameter: what is wrong", if the machine's own shape cannot be had.
Shape new_shape(const Parameters& parameters, const ShapeHints& asked, std::uint32_t file);

/// Of one client. Who opens a file is told its shape.
class KnownShapes {
 public:
  explicit KnownShapes(const Parameters& parameters) : parameters_(parameters) {}

  void learn(std::uint32_t file, const Shape& shape) {
    if (file >= shapes_.size()) shapes_.resize(file + 1);
    shapes_[file] = shape;
  }
  /// Of a file that nobody here has opened: what one without hints has.
  const Shape& of(std::uint32_t file) {
    if (file >= shapes_.size() || shapes_[file].cells == 0) learn(file, new_shape(parameters_, {}, file));
    return shapes_[file];
  }

 private:
  const Parameters& parameters_;
  std::vector<Shape> shapes_;  // by number; without cells: not known yet
};

}  // namespace mpisim::pfs
