#pragma once
// Typed values of a checked tree, by path. The path must be there and have that type (check() saw to it).
#include <limits>

#include "machine/document.hpp"

namespace mpisim::machine {

inline kernel::SimTime time_at(const Node& tree, std::string_view path) {
  return std::get<kernel::SimTime>(tree.at(path)->value);
}

/// The largest number for the word `infinite`.
inline kernel::Bytes bytes_at(const Node& tree, std::string_view path) {
  const Node& node = *tree.at(path);
  return node.text == "infinite" ? kernel::Bytes(std::numeric_limits<std::uint64_t>::max())
                                 : std::get<kernel::Bytes>(node.value);
}

/// 0 for the word `infinite`.
inline kernel::ByteTime per_byte_at(const Node& tree, std::string_view path) {
  const Node& node = *tree.at(path);
  return node.text == "infinite" ? kernel::ByteTime() : std::get<kernel::ByteTime>(node.value);
}

inline double number_at(const Node& tree, std::string_view path) {
  return std::get<double>(tree.at(path)->value);
}

/// The largest number for the word `infinite`.
inline std::uint64_t integer_at(const Node& tree, std::string_view path) {
  const Node& node = *tree.at(path);
  return node.text == "infinite" ? std::numeric_limits<std::uint64_t>::max()
                                 : std::get<std::uint64_t>(node.value);
}

}  // namespace mpisim::machine
