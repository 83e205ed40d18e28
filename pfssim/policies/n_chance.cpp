// N-chance forwarding (Dahlin et al., OSDI 1994), with greedy forwarding: a compute node that has no room for
// the last copy of a block among the compute nodes passes it on to another one, chosen at random, up to N
// times without a use in between. A block that makes room for one that was passed on is not passed on itself.
// Random: a hash of the block and of how many blocks its home has seen leave, the same in every run.
#include "pfssim/cache_policy.hpp"

namespace mpisim::pfs {

namespace {
class NChance final : public CachePolicy {
 public:
  explicit NChance(std::uint32_t chances) : chances_(chances) {}
  bool forwards() const override { return true; }
  Leaving leaving() const override { return Leaving::last_copy; }
  std::uint32_t chances() const override { return chances_; }
  std::uint32_t pass_to(const BlockKey& key, std::uint64_t turn, std::uint32_t from,
                        std::uint32_t cnodes) const override {
    BlockKey mixed = key;
    mixed.index ^= turn << 32;
    const auto other = static_cast<std::uint32_t>((hash_of(mixed) >> 32) % (cnodes - 1));
    return other < from ? other : other + 1;
  }

 private:
  std::uint32_t chances_;
};
}  // namespace

Policy n_chance_policy() {
  return {"n-chance", "greedy, and the last copy of a block is passed on to other compute nodes",
          [](const CachingParameters& caching) { return std::make_unique<NChance>(caching.chances); }};
}

}  // namespace mpisim::pfs
