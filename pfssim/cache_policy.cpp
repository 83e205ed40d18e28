#include "pfssim/cache_policy.hpp"

namespace mpisim::pfs {

kernel::ModuleTable<Policy>& policies() {
  static kernel::ModuleTable<Policy> all({
#define MODULE(name) name##_policy(),
#include "pfssim/policies.def"
#undef MODULE
  });
  return all;
}

std::unique_ptr<CachePolicy> make_policy(const CachingParameters& caching) {
  const Policy* policy = policies().find(caching.policy);
  if (policy == nullptr) throw std::invalid_argument("there is no cache policy " + caching.policy);
  return policy->make(caching);
}

}  // namespace mpisim::pfs
