#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

namespace mpisim::machine {

/// Machine files and studies are written by people: what is larger is something else.
inline constexpr std::size_t most_text = std::size_t{16} << 20;
/// Values of one file, those that aliases repeat included.
inline constexpr std::size_t most_values = 1'000'000;

/// What a file or pipe holds; throws std::runtime_error that says why it cannot be read, or that it is larger
/// than most_text bytes.
std::string read_text(const std::filesystem::path& path);

}  // namespace mpisim::machine
