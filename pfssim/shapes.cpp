#include "pfssim/shapes.hpp"

namespace mpisim::pfs {

namespace {

constexpr std::uint64_t largest_unit = std::uint64_t{1} << 40;

}  // namespace

Shape new_shape(const Parameters& parameters, const ShapeHints& asked, std::uint32_t file) {
  const std::uint32_t disks = parameters.cells();
  Shape shape;
  shape.cells = parameters.stripe_factor == 0 ? disks : parameters.stripe_factor;
  shape.unit = parameters.stripe_unit;
  shape.first = parameters.start_disk.value_or(file % disks);
  Shape plain = shape;
  parameters.layout->complete(plain, {});
  const std::uint32_t most = parameters.layout->shares_disks() ? most_cells : disks;
  if (asked.cells != 0 && asked.cells <= most) shape.cells = asked.cells;
  if (asked.unit != 0 && asked.unit <= largest_unit) shape.unit = asked.unit;
  if (asked.first != 0 && asked.first <= disks) shape.first = asked.first - 1;
  try {
    parameters.layout->complete(shape, asked);
  } catch (const std::invalid_argument&) {
    plain.first = shape.first;  // any disk will do
    return plain;
  }
  return shape;
}

}  // namespace mpisim::pfs
