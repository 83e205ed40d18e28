#pragma once
// A disk that holds files, or the parts of files that lie in its cell.
//
// On a disk of bounded space, file number n begins at the fraction (n * 0.618...) mod 1 of it, rounded down
// to the disk's unit, and lies there in one piece, which goes on at the disk's beginning when it meets the
// end. So files are spread evenly however many there are (multiples of the golden ratio), as file systems do
// that put each file into another group of cylinders (McKusick, Joy, Leffler, Fabry: "A fast file system for
// UNIX", ACM TOCS 2(3), 1984). Only distances of the head depend on this: that files may overlap does no
// harm, and that all of them together do not fit is not noticed. Without bounds files lie 16 TiB apart.
#include <cstdint>
#include <memory>

#include "disk_models/disk_model.hpp"

namespace mpisim::pfs {

class FileDisk {
 public:
  explicit FileDisk(const disk::Factory& make);

  /// Bytes [offset, offset + bytes) of the file are read or written from `start` on. bytes <= room().
  disk::Service serve(std::uint32_t file, std::uint64_t offset, std::uint64_t bytes, bool write,
                      kernel::SimTime start);

  /// Largest file that fits.
  std::uint64_t room() const;

 private:
  std::uint64_t beginning(std::uint32_t file) const;

  std::unique_ptr<disk::DiskModel> disk_;
  disk::Space space_;
};

}  // namespace mpisim::pfs
