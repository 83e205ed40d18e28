#include "pfssim/file_disk.hpp"

#include <algorithm>

namespace mpisim::pfs {

namespace {

constexpr unsigned file_spacing_bits = 44;
constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;  // 0.618... * 2^64

}  // namespace

FileDisk::FileDisk(const disk::Factory& make) : disk_(make()), space_(disk_->space()) {}

std::uint64_t FileDisk::room() const {
  return space_.bytes == 0 ? ~std::uint64_t{0} : space_.bytes;
}

std::uint64_t FileDisk::beginning(std::uint32_t file) const {
  const auto place = static_cast<unsigned __int128>(file * golden_ratio) * space_.bytes;
  const auto address = static_cast<std::uint64_t>(place >> 64);
  return address / space_.unit * space_.unit;
}

disk::Service FileDisk::serve(std::uint32_t file, std::uint64_t offset, std::uint64_t bytes, bool write,
                              kernel::SimTime start) {
  if (space_.bytes == 0)
    return disk_->serve({(std::uint64_t{file} << file_spacing_bits) + offset, kernel::Bytes(bytes), write},
                        start);
  const std::uint64_t address = (beginning(file) + offset) % space_.bytes;
  const std::uint64_t before_end = std::min(bytes, space_.bytes - address);
  disk::Service service = disk_->serve({address, kernel::Bytes(before_end), write}, start);
  if (before_end < bytes)
    service.time += disk_->serve({0, kernel::Bytes(bytes - before_end), write}, start + service.time).time;
  return service;
}

}  // namespace mpisim::pfs
