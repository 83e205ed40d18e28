// Globally managed caching, with the placement of the report on SESAME (AFRL-IF-RS-TR-2000-120, section
// 5.4.2): a block is in one cache only. What is read from disk goes to the compute node that asked; what a
// compute node has no room for goes to the home's cache; what the home has no room for is forgotten. A block
// moves to the compute node that used it last.
#include "pfssim/cache_policy.hpp"

namespace mpisim::pfs {

namespace {
class Global final : public CachePolicy {
 public:
  bool forwards() const override { return true; }
  bool moves_blocks() const override { return true; }
  Leaving leaving() const override { return Leaving::hand_back; }
};
}  // namespace

Policy global_policy() {
  return {"global", "a block is in one cache only: where it was used last",
          [](const CachingParameters&) { return std::make_unique<Global>(); }};
}

}  // namespace mpisim::pfs
