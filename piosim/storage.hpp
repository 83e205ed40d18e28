#pragma once
// Where accesses get their time from. One implementation per value of `io.model`.
#include <cstdint>
#include <memory>

#include "piosim/config.hpp"
#include "simkernel/sim_time.hpp"

namespace mpisim::pio {

/// One contiguous piece of a file.
struct FilePiece {
  std::uint64_t offset = 0;  ///< bytes from the beginning of the file
  std::uint64_t bytes = 0;
};

/// A rank's way to the file system.
class Storage {
 public:
  virtual ~Storage() = default;
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  /// Charges the current rank for one contiguous access and counts it. `file`: number of the file among those
  /// that the rank has opened.
  virtual void access(std::uint32_t file, const FilePiece& piece, bool write) = 0;

 protected:
  Storage() = default;
};

/// `io.model: disk`: every rank has a disk of its own, so that ranks never wait for each other's accesses.
/// Files lie 16 TiB apart on it.
std::unique_ptr<Storage> make_disk_storage(const Config& config);

}  // namespace mpisim::pio
