#pragma once
// Layouts without a machine file.
#include <memory>
#include <vector>

#include "pfssim/layout.hpp"

namespace mpisim::test {

/// All parameters of a layout are 1.
class Ones final : public kernel::Parameters {
 public:
  kernel::SimTime time(const std::string&) const override { return {}; }
  kernel::ByteTime per_byte(const std::string&) const override { return {}; }
  kernel::Bytes bytes(const std::string&) const override { return kernel::Bytes(1); }
  std::uint64_t integer(const std::string&) const override { return 1; }
  double number(const std::string&) const override { return 1; }
  std::string choice(const std::string&) const override { return {}; }
  bool flag(const std::string&) const override { return true; }
  std::unique_ptr<kernel::Parameters> section(const std::string&) const override { return nullptr; }
  std::vector<std::uint64_t> integers(const std::string&) const override { return {}; }
  std::vector<bool> flags(const std::string&) const override { return {}; }
  std::vector<std::unique_ptr<kernel::Parameters>> pieces(const std::string&) const override { return {}; }
};

inline std::shared_ptr<const pfs::Layout> vesta() {
  return pfs::layouts().find("vesta")->build(Ones());
}

inline pfs::Shape matrix(std::uint32_t cells, std::uint64_t unit, std::uint16_t vbs, std::uint16_t vn,
                         std::uint16_t hbs, std::uint16_t hn) {
  return {.cells = cells, .unit = unit, .own = {vbs, vn, hbs, hn}};
}

inline std::vector<pfs::CellRange> divided(const pfs::Layout& layout, const pfs::Shape& shape,
                                           std::uint64_t offset, std::uint64_t bytes) {
  std::vector<pfs::CellRange> ranges;
  layout.divide(shape, offset, bytes, ranges);
  return ranges;
}

}  // namespace mpisim::test
