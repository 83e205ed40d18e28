#include "app/descriptors.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace mpisim::app {

void FileDescriptor::reset() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

bool write_all(int fd, const void* data, std::size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t done = write(fd, next, size);
    if (done >= 0) {
      next += done;
      size -= static_cast<std::size_t>(done);
    } else if (errno == EAGAIN) {  // somebody made a shared terminal or pipe non-blocking
      pollfd ready{fd, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

void say(std::string_view text) {
  write_all(STDERR_FILENO, text.data(), text.size());
}

}  // namespace mpisim::app
