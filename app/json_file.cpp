#include "app/json_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "app/descriptors.hpp"
#include "simkernel/result_file.hpp"

namespace mpisim::app {

void write_atomically(const std::string& path, const std::string& text) {
  if (path != standard_output) {
    kernel::write_result(path, [&text](std::ostream& out) { out << text; });
  } else if (!write_all(STDOUT_FILENO, text.data(), text.size())) {
    throw std::runtime_error(std::string("cannot write to standard output: ") + std::strerror(errno));
  }
}

}  // namespace mpisim::app
