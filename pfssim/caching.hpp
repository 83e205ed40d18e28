#pragma once
// The caches of the file system, as plain values.
#include <cstdint>
#include <string>

#include "simkernel/quantities.hpp"
#include "simkernel/sim_time.hpp"

namespace mpisim::pfs {

/// One cache of a compute node, or of an I/O node. The defaults are those of a machine file that names it (a
/// test compares them with the schema); without room there is none.
struct CacheParameters {
  std::uint64_t blocks = 0;  ///< that it has room for
  std::uint64_t ways = 0;    ///< blocks of a set; 0: all of them
  bool write_back = false;
  bool allocate = false;  ///< blocks that are written enter the cache; else only those that are there change
  std::uint64_t read_ahead = 0;  ///< blocks
  /// write_back: all that is dirty leaves so long after the first block became so (> 0).
  kernel::SimTime flush_interval = kernel::SimTime::picoseconds(30'000'000'000'000);
  /// write_back: as soon as more than high_water of the blocks are dirty, the oldest leave until low_water of
  /// them are left; fractions of the blocks, low_water <= high_water.
  double high_water = 0.6;
  double low_water = 0.3;
};

/// What is done to the copies that other compute nodes have of what is written.
enum class Coherence : std::uint8_t { invalidate, update };

struct CachingParameters {
  std::string policy = "base";
  double coordinated = 0.8;   ///< share of a compute node's cache (policy `coordinated`)
  std::uint32_t chances = 2;  ///< times that the last copy of a block is passed on (policy `n-chance`)
  Coherence coherence = Coherence::invalidate;
  std::uint64_t block = std::uint64_t{8} << 10;  ///< bytes, < 2^32; of all caches
  /// Time per byte of a copy between a cache and a program, or a message; one after the other on a node.
  kernel::ByteTime copy = kernel::ByteTime::femtoseconds(2'500'000);
  CacheParameters cnode;
  CacheParameters ionode;
  /// Replies tell which state of a block was read or written (for tests): TransactionData::version.
  bool versions = false;

  bool any() const { return cnode.blocks > 0 || ionode.blocks > 0; }
  bool write_back() const {
    return (cnode.blocks > 0 && cnode.write_back) || (ionode.blocks > 0 && ionode.write_back);
  }
};

}  // namespace mpisim::pfs
