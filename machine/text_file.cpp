#include "machine/text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace mpisim::machine {

std::string read_text(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw std::runtime_error("it is a folder");
  errno = 0;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::runtime_error(std::strerror(errno));
  std::string text;
  char part[65536];
  while (stream.read(part, sizeof part) || stream.gcount() > 0) {
    text.append(part, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > most_text)
      throw std::runtime_error(fmt::format("it has more than {} MiB", most_text >> 20U));
  }
  return text;
}

}  // namespace mpisim::machine
