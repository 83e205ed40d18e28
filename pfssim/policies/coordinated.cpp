// Centrally coordinated caching (Dahlin et al., OSDI 1994), with forwarding: the homes manage a share of
// every compute node's cache as if it were memory of their own; what leaves a home's cache goes there.
#include "pfssim/cache_policy.hpp"

namespace mpisim::pfs {

namespace {
class Coordinated final : public CachePolicy {
 public:
  explicit Coordinated(double share) : share_(share) {}
  bool forwards() const override { return true; }
  double managed_share() const override { return share_; }

 private:
  double share_;
};
}  // namespace

Policy coordinated_policy() {
  return {
      "coordinated", "greedy, and I/O nodes manage a share of each compute node's cache",
      [](const CachingParameters& caching) { return std::make_unique<Coordinated>(caching.coordinated); }};
}

}  // namespace mpisim::pfs
