// Globally managed caching whose blocks spread: as `global`, but what a home has no room for goes to the
// compute node with the most free places instead of being forgotten. It mends what the report on SESAME
// (section 8.2.4) observed on shared sequential reading: blocks clump in the cache of the compute node that
// read last, fill its home's cache, and are lost while other compute nodes have room.
#include <algorithm>

#include "pfssim/cache_policy.hpp"

namespace mpisim::pfs {

namespace {
class GlobalSpread final : public CachePolicy {
 public:
  bool forwards() const override { return true; }
  bool moves_blocks() const override { return true; }
  Leaving leaving() const override { return Leaving::hand_back; }
  std::uint32_t spread_to(const BlockKey& /*key*/, const std::vector<std::uint32_t>& rooms) const override {
    const auto most = std::max_element(rooms.begin(), rooms.end());
    return most == rooms.end() || *most == 0 ? nowhere : static_cast<std::uint32_t>(most - rooms.begin());
  }
};
}  // namespace

Policy global_spread_policy() {
  return {"global-spread", "global, but blocks for which a home has no room go to compute nodes that have",
          [](const CachingParameters&) { return std::make_unique<GlobalSpread>(); }};
}

}  // namespace mpisim::pfs
