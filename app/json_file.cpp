#include "app/json_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "app/descriptors.hpp"

namespace mpisim::app {

void write_atomically(const std::string& path, const std::string& text) {
  const auto fail = [&path](const char* step) {
    throw std::runtime_error("cannot write " + path + ": " + step + ": " + std::strerror(errno));
  };
  if (path == standard_output) {
    if (!write_all(STDOUT_FILENO, text.data(), text.size()))
      throw std::runtime_error(std::string("cannot write to standard output: ") + std::strerror(errno));
    return;
  }
  struct stat found{};
  const bool special = stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode);
  const std::string written = special ? path : path + unfinished_suffix + std::to_string(getpid());
  const FileDescriptor file(open(written.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file) fail("open");
  if (!write_all(file.get(), text.data(), text.size())) {
    if (!special) unlink(written.c_str());
    fail("write");
  }
  if (!special && std::rename(written.c_str(), path.c_str()) != 0) {
    unlink(written.c_str());
    fail("rename");
  }
}

}  // namespace mpisim::app
