// What must hold with every policy and every way to write, for random requests of several ranks.
#include <catch2/catch.hpp>

#include "pfssim/cache_policy.hpp"
#include "tests/unit/pfssim/random_programs.hpp"

using namespace mpisim;
using namespace mpisim::test;
using namespace mpisim::kernel::literals;

namespace {

constexpr std::uint64_t block = random_block;

pfs::CachingParameters caching(const std::string& policy, bool write_back, bool allocate,
                               pfs::Coherence coherence) {
  pfs::CachingParameters all;
  all.policy = policy;
  all.coordinated = 0.5;
  all.coherence = coherence;
  all.block = block;
  all.versions = true;
  all.cnode.blocks = 8;
  all.cnode.write_back = write_back;
  all.cnode.allocate = allocate;
  all.cnode.flush_interval = 300_ms;
  all.ionode = all.cnode;
  all.ionode.blocks = 6;
  return all;
}

template <class Visit>
void for_each_way(Visit&& visit) {
  for (const pfs::Policy& policy : pfs::policies())
    for (const bool write_back : {false, true})
      for (const bool allocate : {false, true})
        for (const auto coherence : {pfs::Coherence::invalidate, pfs::Coherence::update})
          visit(caching(policy.name, write_back, allocate, coherence));
}

}  // namespace

TEST_CASE("no read returns what is older than a write that was done before it") {
  for_each_way([](pfs::CachingParameters way) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      way.ionode.blocks = seed == 3 ? 0 : 6;
      way.cnode.ways = seed == 4 ? 1 : seed == 5 ? 2 : 0;
      way.ionode.write_back = seed % 2 == 0;
      way.cnode.read_ahead = way.ionode.read_ahead = seed == 6 ? 2 : 0;
      const Setup setup = random_requests(seed, way, 120);
      const auto replies = replies_of(setup);
      CAPTURE(way.policy, way.cnode.write_back, way.cnode.allocate, way.coherence == pfs::Coherence::update,
              seed);
      for (const auto& asker : replies) REQUIRE(asker.size() == 120);
      REQUIRE(stale_reads(setup, replies) == 0);
    }
  });
}

TEST_CASE("caches: the same replies at the same times on any number of host processes") {
  for_each_way([](pfs::CachingParameters way) {
    way.ionode.write_back = way.cnode.write_back;
    way.cnode.read_ahead = way.ionode.read_ahead = 1;
    const Setup setup = random_requests(7, way, 25);
    const auto expected = replies_of(setup);
    for (const int hosts : {2, 3}) {
      for (std::uint64_t seed = 1; seed <= 2; ++seed) {
        CAPTURE(way.policy, way.cnode.write_back, way.cnode.allocate, hosts, seed);
        REQUIRE(same(replies_of(setup, hosts, seed), expected));
      }
    }
  });
}
