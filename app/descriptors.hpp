#pragma once
// Owned file descriptors and complete writes.
#include <cstddef>
#include <string_view>
#include <utility>

namespace mpisim::app {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }
  void reset();

 private:
  int fd_ = -1;
};

/// Writes everything, whatever signals come in between; false (errno set) if that fails.
bool write_all(int fd, const void* data, std::size_t size);

/// Writes `text` to standard error.
void say(std::string_view text);

}  // namespace mpisim::app
