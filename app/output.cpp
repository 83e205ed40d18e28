#include "app/output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/descriptors.hpp"
#include "app/progress.hpp"

namespace mpisim::app {

DescriptorSink::DescriptorSink() : interactive_(isatty(STDOUT_FILENO) != 0) {}

DescriptorSink::~DescriptorSink() {
  flush();
}

void DescriptorSink::write(int fd, std::string_view text) {
  if (fd != buffered_for_ || text.size() > capacity - used_) flush();
  buffered_for_ = fd;
  if (text.size() > capacity) {
    write_through(fd, text);
    return;
  }
  std::memcpy(buffer_ + used_, text.data(), text.size());
  used_ += text.size();
  if (interactive_ || fd == STDERR_FILENO) flush();
}

void DescriptorSink::flush() {
  if (used_ > 0) write_through(buffered_for_, {buffer_, used_});
  used_ = 0;
}

void DescriptorSink::erase_progress() {
  if (progress_ != nullptr) progress_->erase();
}

void DescriptorSink::write_through(int fd, std::string_view text) {
  erase_progress();
  // What cannot be written to standard error cannot be told either.
  if (!write_all(fd, text.data(), text.size()) && fd == STDOUT_FILENO && error_ == 0) error_ = errno;
}

}  // namespace mpisim::app
