#include "pfssim/file_disk.hpp"

namespace mpisim::pfs {

namespace {

constexpr unsigned file_spacing_bits = 44;
constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;  // 0.618... * 2^64

}  // namespace

std::uint64_t FilePlacement::far_apart(std::uint32_t file) const {
  const std::uint64_t address = std::uint64_t{file} << file_spacing_bits;
  return address / space_.unit * space_.unit;
}

std::uint64_t FilePlacement::beginning(std::uint32_t file) const {
  const auto place = static_cast<unsigned __int128>(file * golden_ratio) * space_.bytes;
  const auto address = static_cast<std::uint64_t>(place >> 64);
  return address / space_.unit * space_.unit;
}

FileDisk::FileDisk(const disk::Factory& make) : disk_(make()), placement_(disk_->space()) {}

disk::Service FileDisk::serve(std::uint32_t file, std::uint64_t offset, std::uint64_t bytes, bool write,
                              kernel::SimTime start) {
  disk::Service all;
  bool first = true;
  placement_.for_each_piece(file, offset, bytes, write, [&](const disk::Request& piece) {
    const disk::Service service = disk_->serve(piece, start + all.time);
    all.time += service.time;
    all.cylinders += service.cylinders;
    if (first) all.seek = service.seek;
    first = false;
  });
  return all;
}

}  // namespace mpisim::pfs
