// Greedy forwarding (Dahlin, Wang, Anderson, Patterson: "Cooperative caching: using remote client memory to
// improve file system performance", OSDI 1994): compute nodes manage their caches for themselves, but a block
// that its home does not have comes from a compute node that happens to have it.
#include "pfssim/cache_policy.hpp"

namespace mpisim::pfs {

namespace {
class Greedy final : public CachePolicy {
 public:
  bool forwards() const override { return true; }
};
}  // namespace

Policy greedy_policy() {
  return {"greedy", "blocks come from other compute nodes' caches, too",
          [](const CachingParameters&) { return std::make_unique<Greedy>(); }};
}

}  // namespace mpisim::pfs
