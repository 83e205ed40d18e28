// The cache policy of docs/extending.md: what a compute node has no room for is found in its home's cache.
#include <catch2/catch.hpp>

#include "machine/description.hpp"
#include "pfssim/cache_policy.hpp"
#include "tests/unit/pfssim/support.hpp"
#include "tests/unit/piosim/support.hpp"

namespace mpisim::pfs {
Policy victim_policy();
}

using namespace mpisim;
using namespace mpisim::kernel::literals;
using namespace mpisim::test;

namespace {

// What the line MODULE(victim) in policies.def does.
const bool registered = (pfs::policies().add(pfs::victim_policy()), true);

/// Blocks from the home's cache when a node reads block 0 again, after other blocks have pushed it out of its
/// own cache, and out of its home's unless it came back there.
std::uint32_t ionode_hits(const std::string& policy) {
  pfs::Parameters parameters;
  parameters.stripe_unit = 1000;
  parameters.disk = analytic_disk(1_ms, 0_ps, 1e9);
  parameters.caching.policy = policy;
  parameters.caching.block = 1000;
  parameters.caching.cnode.blocks = 4;
  parameters.caching.ionode.blocks = 2;
  Setup setup{{0}, {{}}, parameters};
  kernel::SimTime at;
  for (const std::uint64_t block : {0, 1, 2, 3, 4, 0})
    setup.asks[0].push_back({at += 100_ms, data(pfs::Operation::read, 0, block * 1000, 1000)});
  return replies_of(setup)[0].back().what.tally.ionode_hits;
}

}  // namespace

TEST_CASE("machine files know the policy") {
  REQUIRE(registered);
  const Directory directory;
  write_content(directory.file("victim.yaml"),
                "schema_version: 1\nname: victim\nnodes: {io: 1}\nnetwork: {model: ideal}\n"
                "io: {model: pfs, cache: {policy: victim, cnode: {}}}\n");
  const machine::Description machine = machine::load(directory.file("victim.yaml"));
  CHECK(machine.io_config(machine.placement(2)).pfs.caching.policy == "victim");
}

TEST_CASE("what leaves a node's cache is in its home's") {
  CHECK(ionode_hits("greedy") == 0);
  CHECK(ionode_hits("victim") == 1);
}
