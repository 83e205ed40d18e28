#pragma once
// The tree of a machine file: like YAML's, but every node remembers where it was written, and after checking
// every scalar has its typed value.
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "machine/units.hpp"

namespace mpisim::machine {

/// Where something was written.
struct Origin {
  std::string source;  ///< file name, "--set path=value", or empty for a default
  int line = 0;        ///< from 1; 0 if the source has no lines
  int column = 0;      ///< from 1
  std::string place() const;
  bool is_default() const { return source.empty(); }
};

/// Typed value of a scalar: nothing for text and for words such as `auto`; those are told by Node::text.
using Value = std::variant<std::monostate, bool, std::uint64_t, double, kernel::SimTime, kernel::Bytes,
                           kernel::ByteTime, Cost>;

struct Entry;

struct Node {
  enum class Kind : std::uint8_t { empty, scalar, list, map };

  Kind kind = Kind::empty;
  Origin origin;
  std::string text;            ///< scalar, as written
  Value value;                 ///< scalar, after checking
  std::vector<Entry> entries;  ///< map, in the order written (after checking: in the schema's order)
  std::vector<Node> items;     ///< list

  /// Null if there is no such key.
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
  void erase(std::string_view key);
  /// Node at a path of keys and indices separated by dots, "mpi.eager_limit"; null if there is none.
  const Node* at(std::string_view path) const;
};

struct Entry {
  std::string key;
  Origin origin;  ///< of the key
  Node value;
};

/// Puts `above` over `below`: maps are merged, everything else is replaced. A map that has a `model` key of
/// another value replaces the whole map below, since other models have other keys. A processor of another
/// `class` drops the prices and the score below, which describe the former one.
void merge_over(Node& below, Node above);

}  // namespace mpisim::machine
