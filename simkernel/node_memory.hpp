#pragma once
// Memory that the host processes of one machine share. It has no name that a run could leave behind: one
// process makes it, the others open it through that process, and it goes away with the last of them.
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace mpisim::kernel {

class NodeMemory {
 public:
  /// What others need to open it; plain data.
  struct Key {
    pid_t process = 0;
    int descriptor = -1;  ///< of that process
    std::uint64_t stamp =
        0;  ///< found in the memory itself: the process may be another one in this namespace
  };

  NodeMemory() = default;
  ~NodeMemory();
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;

  /// Makes `size` bytes, all zero; false where the system does not let us.
  bool make(std::size_t size);
  /// What another process has made with the same size; false if it cannot be reached.
  bool open(const Key& key, std::size_t size);
  Key key() const { return key_; }
  /// Nobody will open it any more.
  void seal();
  /// Aligned to cache lines; null before it is made or opened.
  std::byte* data() const;

 private:
  bool map(int descriptor, std::size_t size);

  Key key_;
  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace mpisim::kernel
