// Greedy forwarding with the caches of I/O nodes as victim caches: what a compute node has no room for goes
// to its home's cache (N. P. Jouppi, "Improving direct-mapped cache performance by the addition of a small
// fully-associative cache and prefetch buffers", ISCA 1990, where the victim cache stands beside one cache).
#include "pfssim/cache_policy.hpp"

namespace mpisim::pfs {

namespace {

class Victim final : public CachePolicy {
 public:
  bool forwards() const override { return true; }
  Leaving leaving() const override { return Leaving::hand_back; }
};

}  // namespace

Policy victim_policy() {
  return {"victim", "greedy, and what leaves a compute node's cache goes to its home's",
          [](const CachingParameters&) { return std::make_unique<Victim>(); }};
}

}  // namespace mpisim::pfs
