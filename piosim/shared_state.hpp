#pragma once
// What a rank asks the server of its files (file_server.hpp) for. All of these charge the current rank and
// may block it.
#include <cstdint>

#include "piosim/access.hpp"
#include "piosim/file.hpp"

namespace mpisim::pio {

/// Moves the file's shared pointer by `etypes`; where it was before.
std::uint64_t advance_shared_pointer(File& file, std::uint64_t etypes);
void set_shared_pointer(File& file, std::uint64_t etypes);
/// The file is closed: nothing uses its shared pointer any more.
void forget_shared_pointer(File& file);

/// Waits for a lock of bytes [low, high) of what has this name (see name_of()); its number.
std::uint64_t take_lock(std::uint64_t name, std::uint64_t low, std::uint64_t high, bool write);
void release_lock(std::uint64_t name, std::uint64_t number);

/// A lock of the range of an access in atomic mode, while it lives. Of an empty range or in the other mode it
/// costs nothing.
class RangeLock {
 public:
  explicit RangeLock(const Access& access);
  ~RangeLock();
  RangeLock(const RangeLock&) = delete;
  RangeLock& operator=(const RangeLock&) = delete;

 private:
  std::uint64_t name_ = 0;
  std::uint64_t number_ = 0;  // 0: none
};

}  // namespace mpisim::pio
