#pragma once
#include <string>

namespace mpisim::app {

/// The path that means this process' standard output.
inline constexpr const char* standard_output = "-";

/// Writes `text` to `path` so that a reader sees the whole file or the one before: through a temporary file
/// beside it and a rename. Devices, pipes and standard_output are written directly. Throws std::runtime_error
/// that names the file and the reason.
void write_atomically(const std::string& path, const std::string& text);

}  // namespace mpisim::app
