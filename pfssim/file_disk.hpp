#pragma once
// A disk that holds files, or the parts of files that lie in its cell.
//
// On a disk of bounded space, file number n begins at the fraction (n * 0.618...) mod 1 of it, rounded down
// to the disk's unit, and lies there in one piece, which goes on at the disk's beginning when it meets the
// end. So files are spread evenly however many there are (multiples of the golden ratio), as file systems do
// that put each file into another group of cylinders (McKusick, Joy, Leffler, Fabry: "A fast file system for
// UNIX", ACM TOCS 2(3), 1984). Only distances of the head depend on this: that files may overlap does no
// harm, and that all of them together do not fit is not noticed. Without bounds files lie 16 TiB apart, again
// rounded down to the disk's unit.
#include <algorithm>
#include <cstdint>
#include <memory>

#include "disk_models/disk_model.hpp"

namespace mpisim::pfs {

class FilePlacement {
 public:
  explicit FilePlacement(const disk::Space& space) : space_(space) {}

  /// Largest file that fits.
  std::uint64_t room() const { return space_.bytes == 0 ? ~std::uint64_t{0} : space_.bytes; }

  /// Calls visit(disk::Request) for each of the one or two pieces of the disk that bytes
  /// [offset, offset + bytes) of the file are; bytes <= room().
  template <class Visit>
  void for_each_piece(std::uint32_t file, std::uint64_t offset, std::uint64_t bytes, bool write,
                      Visit&& visit) const {
    if (space_.bytes == 0) {
      visit(disk::Request{far_apart(file) + offset, kernel::Bytes(bytes), write});
      return;
    }
    const std::uint64_t address = (beginning(file) + offset) % space_.bytes;
    const std::uint64_t before_end = std::min(bytes, space_.bytes - address);
    visit(disk::Request{address, kernel::Bytes(before_end), write});
    if (before_end < bytes) visit(disk::Request{0, kernel::Bytes(bytes - before_end), write});
  }

 private:
  std::uint64_t far_apart(std::uint32_t file) const;
  std::uint64_t beginning(std::uint32_t file) const;

  disk::Space space_;
};

class FileDisk {
 public:
  explicit FileDisk(const disk::Factory& make);

  /// Bytes [offset, offset + bytes) of the file are read or written from `start` on. bytes <= room().
  disk::Service serve(std::uint32_t file, std::uint64_t offset, std::uint64_t bytes, bool write,
                      kernel::SimTime start);

  std::uint64_t room() const { return placement_.room(); }
  std::uint32_t depth() const { return disk_->depth(); }

 private:
  std::unique_ptr<disk::DiskModel> disk_;
  FilePlacement placement_;
};

}  // namespace mpisim::pfs
