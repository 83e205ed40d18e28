#include "simkernel/result_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace mpisim::kernel {

namespace {

// An open file by its number, as /dev/stdout is in the end.
bool is_open_file(const std::filesystem::path& path) {
  return path.string().starts_with("/proc/");
}

}  // namespace

std::filesystem::path without_links(std::filesystem::path path) {
  constexpr int most_links = 40;  // as the system
  std::error_code error;
  for (int i = 0; i < most_links && !is_open_file(path) && std::filesystem::is_symlink(path, error); ++i)
    path = path.parent_path() / std::filesystem::read_symlink(path, error);
  return path;
}

void write_result(const std::string& path, const std::function<void(std::ostream&)>& write) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path target = without_links(path);
  const bool special =
      is_open_file(target) || (fs::exists(target, error) && !fs::is_regular_file(target, error));
  const std::string written =
      special ? target.string() : target.string() + unfinished_suffix + std::to_string(getpid());
  errno = 0;
  std::ofstream out(written, special ? std::ios::binary | std::ios::app : std::ios::binary);
  if (out) write(out);
  out.close();
  if (out && (special || std::rename(written.c_str(), target.c_str()) == 0)) return;
  const int reason = errno;
  if (!special) std::remove(written.c_str());
  throw std::runtime_error(
      fmt::format("cannot write {}: {}", path, std::strerror(reason == 0 ? EIO : reason)));
}

}  // namespace mpisim::kernel
