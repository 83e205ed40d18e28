#pragma once
// Files that a run leaves behind: complete or not there.
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>

namespace mpisim::kernel {

/// What stands behind a result's name, with the process number, as long as it is being written.
inline constexpr const char* unfinished_suffix = ".part-";

/// The file that a path leads to, whether it is there already or not.
std::filesystem::path without_links(std::filesystem::path path);

/// Writes a file under another name beside it, and gives it its own when it is complete. A symbolic link
/// stays one, and devices and pipes are written to as they are. Throws std::runtime_error with path and
/// reason.
void write_result(const std::string& path, const std::function<void(std::ostream&)>& write);

}  // namespace mpisim::kernel
