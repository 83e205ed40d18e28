// What must hold with every policy and every way to write, for random requests of several ranks.
#include <catch2/catch.hpp>
#include <map>

#include "pfssim/cache_policy.hpp"
#include "tests/unit/pfssim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using namespace mpisim::kernel::literals;
using kernel::SimTime;
using pfs::Operation;

namespace {

constexpr std::uint64_t block = 1000;

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

/// Reads and writes within blocks of few files, from all askers at random times, many of them equal, often of
/// blocks that others use; every tag once.
Setup random_requests(std::uint64_t seed, const pfs::CachingParameters& caching, std::size_t requests) {
  std::uint64_t state = seed;
  const auto below = [&state](std::uint64_t bound) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % bound;
  };
  Setup setup;
  setup.parameters.io_nodes = 1 + static_cast<std::uint32_t>(seed % 3);
  setup.parameters.stripe_unit = seed % 2 == 0 ? block : 2 * block;
  setup.parameters.server_overhead = seed % 4 == 0 ? 0_ps : 30_us;
  setup.parameters.client_overhead = 5_us;
  setup.parameters.header = kernel::Bytes(100);
  setup.parameters.disk = analytic_disk(1_ms, 5_ms, 1e6);
  setup.parameters.caching = caching;
  for (network::NodeId asker = 0; asker < 6; ++asker) {
    setup.node_of_asker.push_back(asker / 2);  // two on each node
    std::vector<Ask> asks;
    for (std::size_t i = 0; i < requests; ++i) {
      const SimTime at = 100_us * static_cast<std::int64_t>(1 + below(requests * 20));
      const std::uint64_t begin = below(4) == 0 ? below(900) : 0;
      const std::uint64_t end = below(4) == 0 ? begin + 1 + below(block - begin) : block;
      pfs::TransactionData what =
          data(below(3) == 0 ? Operation::write : Operation::read, static_cast<std::uint32_t>(below(2)),
               below(14) * block + begin, end - begin);
      what.tag = static_cast<std::uint32_t>(i + 1);
      asks.push_back({at, what});
    }
    setup.asks.push_back(std::move(asks));
  }
  return setup;
}

/// Requests that read what was older than a write that had been answered before they began.
int stale_reads(const Setup& setup, const std::vector<std::vector<Reply>>& replies) {
  struct Done {
    SimTime at;
    std::uint64_t version;
  };
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<Done>> writes;
  const auto block_of = [](const pfs::TransactionData& what) {
    return std::pair{what.file, what.offset / block};
  };
  for (std::size_t asker = 0; asker < replies.size(); ++asker)
    for (const Reply& reply : replies[asker]) {
      const Ask& ask = setup.asks[asker][reply.what.tag - 1];
      if (ask.what.operation == Operation::write)
        writes[block_of(ask.what)].push_back({reply.at, reply.what.version});
    }
  int stale = 0;
  for (std::size_t asker = 0; asker < replies.size(); ++asker)
    for (const Reply& reply : replies[asker]) {
      const Ask& ask = setup.asks[asker][reply.what.tag - 1];
      if (ask.what.operation != Operation::read) continue;
      for (const Done& write : writes[block_of(ask.what)])
        if (write.at <= ask.at && write.version > reply.what.version) ++stale;
    }
  return stale;
}

std::map<std::uint32_t, std::pair<SimTime, std::uint64_t>> by_tag(const std::vector<Reply>& replies) {
  std::map<std::uint32_t, std::pair<SimTime, std::uint64_t>> all;
  for (const Reply& reply : replies) all[reply.what.tag] = {reply.at, reply.what.version};
  return all;
}

bool same(const std::vector<std::vector<Reply>>& a, const std::vector<std::vector<Reply>>& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (by_tag(a[i]) != by_tag(b[i])) return false;
  return a.size() == b.size();
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
