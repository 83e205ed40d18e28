// Base caching: the caches of compute nodes and I/O nodes do not work together.
#include "pfssim/cache_policy.hpp"

namespace mpisim::pfs {

namespace {
class Base final : public CachePolicy {};
}  // namespace

Policy base_policy() {
  return {"base", "each node has a cache of its own",
          [](const CachingParameters&) { return std::make_unique<Base>(); }};
}

}  // namespace mpisim::pfs
