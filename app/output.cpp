#include "app/output.hpp"

#include <unistd.h>

#include <cstring>

#include "app/descriptors.hpp"

namespace mpisim::app {

DescriptorSink::DescriptorSink() : interactive_(isatty(STDOUT_FILENO) != 0) {}

DescriptorSink::~DescriptorSink() {
  flush();
}

void DescriptorSink::write(int fd, std::span<const std::byte> data) {
  if (fd != buffered_for_ || data.size() > kCapacity - used_) flush();
  buffered_for_ = fd;
  if (data.size() > kCapacity) {
    write_all(fd, data.data(), data.size());
    return;
  }
  std::memcpy(buffer_ + used_, data.data(), data.size());
  used_ += data.size();
  if (interactive_ || fd == STDERR_FILENO) flush();
}

void DescriptorSink::flush() {
  if (used_ > 0) write_all(buffered_for_, buffer_, used_);
  used_ = 0;
}

}  // namespace mpisim::app
