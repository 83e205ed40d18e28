#pragma once
// How the caches of compute nodes and I/O nodes work together: what every policy decides.
//
// All policies share the machinery of caching_client.hpp (the caches of compute nodes) and
// caching_io_node.hpp (caches and directory of the I/O nodes): a compute node's cache answers what it has and
// asks the block's home for the rest; the home knows which compute nodes have a block, keeps copies coherent,
// and finds the block in its own cache, in other caches, or on disk, in this order. A policy says which of
// the other caches are asked and where blocks go that have to leave a cache; it has no state, so that every
// LP of every host process decides alike.
//
// To add a policy: a file in policies/ with a class and a function that returns its Policy, and its line in
// policies.def. The machine file knows it from then on.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pfssim/block_key.hpp"
#include "pfssim/caching.hpp"
#include "simkernel/modules.hpp"

namespace mpisim::pfs {

class CachePolicy {
 public:
  virtual ~CachePolicy() = default;
  CachePolicy(const CachePolicy&) = delete;
  CachePolicy& operator=(const CachePolicy&) = delete;

  /// Whether a block that its home does not have comes from another compute node that has it.
  virtual bool forwards() const { return false; }

  /// Whether a block is in one cache at a time: it moves to the compute node that reads it, from wherever it
  /// is, and writes change the only copy where it is. Implies forwards().
  virtual bool moves_blocks() const { return false; }

  /// Share of each compute node's cache that the homes manage, 0 to 1. They put blocks there for which their
  /// own caches have no room.
  virtual double managed_share() const { return 0; }

  /// What a compute node does with a block without changes that has to leave its cache.
  enum class Leaving : std::uint8_t {
    drop,       ///< forgets it
    hand_back,  ///< sends it to its home's cache
    last_copy,  ///< asks the home whether another compute node has it, and passes it on if none has
  };
  virtual Leaving leaving() const { return Leaving::drop; }

  /// Times that the last copy of a block is passed on without being used (Leaving::last_copy).
  virtual std::uint32_t chances() const { return 0; }

  static constexpr std::uint32_t nowhere = 0xFFFFFFFF;

  /// The compute node, by number, that gets the last copy of a block which `from` has no room for.
  /// `turn` counts such blocks of the home. Compute nodes: 0 .. cnodes - 1, at least 2.
  virtual std::uint32_t pass_to(const BlockKey& /*key*/, std::uint64_t /*turn*/, std::uint32_t /*from*/,
                                std::uint32_t /*cnodes*/) const {
    return nowhere;
  }

  /// The compute node that gets a block without changes for which its home's cache has no room; `rooms`: free
  /// places of each compute node as far as the home knows. nowhere: the block is forgotten.
  virtual std::uint32_t spread_to(const BlockKey& /*key*/,
                                  const std::vector<std::uint32_t>& /*rooms*/) const {
    return nowhere;
  }

 protected:
  CachePolicy() = default;
};

struct Policy {
  std::string name;
  std::string summary;  ///< one line, without the full stop
  std::function<std::unique_ptr<CachePolicy>(const CachingParameters&)> make;
};

/// All policies, in the order in which they are documented.
kernel::ModuleTable<Policy>& policies();

#define MODULE(name) Policy name##_policy();
#include "pfssim/policies.def"
#undef MODULE

/// Throws std::invalid_argument if there is none of the name caching.policy.
std::unique_ptr<CachePolicy> make_policy(const CachingParameters& caching);

}  // namespace mpisim::pfs
