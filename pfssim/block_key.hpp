#pragma once
// Names of blocks: the units of caching.
#include <cstdint>

#include "simkernel/sim_time.hpp"

namespace mpisim::pfs {

/// Block `index` of a file's cell: its bytes [index * block, (index + 1) * block). Cells are on one disk
/// each, so that a block has one home: the I/O node of its cell.
struct BlockKey {
  std::uint64_t index = 0;
  std::uint32_t file = 0;
  std::uint32_t cell = 0;
  bool operator==(const BlockKey&) const = default;
  /// In the order of files, then of places on a disk.
  friend bool operator<(const BlockKey& a, const BlockKey& b) {
    if (a.file != b.file) return a.file < b.file;
    return a.cell != b.cell ? a.cell < b.cell : a.index < b.index;
  }
};

/// Multiplication by the golden ratio and a fold of the upper half, twice: near keys spread over all bits.
inline std::uint64_t hash_of(const BlockKey& key) {
  constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;
  std::uint64_t hash = (key.index ^ (std::uint64_t{key.file} << 40) ^ (std::uint64_t{key.cell} << 20));
  hash = (hash ^ (hash >> 32)) * golden_ratio;
  return (hash ^ (hash >> 29)) * golden_ratio;
}

/// Consecutive bytes of a block; empty if begin == end.
struct Extent {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool empty() const { return begin == end; }
  std::uint32_t bytes() const { return end - begin; }
  bool covers(const Extent& other) const { return begin <= other.begin && other.end <= end; }
  /// Overlaps the other or begins where it ends, or the other way round.
  bool touches(const Extent& other) const { return begin <= other.end && other.begin <= end; }
  /// The smallest that covers both; one of them if the other is empty.
  Extent hull(const Extent& other) const {
    if (empty()) return other;
    if (other.empty()) return *this;
    return {begin < other.begin ? begin : other.begin, end > other.end ? end : other.end};
  }
};

}  // namespace mpisim::pfs
