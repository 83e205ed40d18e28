// Ranks that share what there is, and host processes that share the ranks.
#include <catch2/catch.hpp>

#include "disk_models/simple.hpp"
#include "tests/unit/pfssim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using namespace mpisim::kernel::literals;
using kernel::SimTime;
using pfs::Operation;

namespace {

pfs::Parameters parameters(std::uint32_t io_nodes) {
  pfs::Parameters all;
  all.io_nodes = io_nodes;
  all.stripe_unit = 1000;
  all.server_overhead = 0_ps;
  all.header = kernel::Bytes(100);
  all.open_cost = 50_ms;
  all.metadata_cost = 5_ms;
  all.disk = analytic_disk(1_ms, 10_ms, 1e6);
  return all;
}

constexpr SimTime header = byte_on_wire * 100;

bool same(const std::vector<std::vector<Reply>>& a, const std::vector<std::vector<Reply>>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size()) return false;
    for (std::size_t j = 0; j < a[i].size(); ++j) {
      const auto& one = a[i][j];
      const auto& other = b[i][j];
      if (one.at != other.at || one.what.file != other.what.file ||
          one.what.tally.seeks != other.what.tally.seeks)
        return false;
    }
  }
  return true;
}

/// Reads and writes of random places and sizes, and opens of few names, from all askers at random times,
/// many of them equal.
Setup random_requests(std::uint64_t seed, std::uint32_t io_nodes, std::uint32_t disks) {
  std::uint64_t state = seed;
  const auto below = [&state](std::uint64_t bound) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % bound;
  };
  Setup setup;
  setup.parameters = parameters(io_nodes);
  setup.parameters.disks_per_node = disks;
  setup.parameters.server_overhead = 30_us;
  if (seed % 2 == 1) {
    disk::SimpleParameters turning;
    turning.rotation = disk::Rotation::position;
    setup.parameters.disk = disk::factory<disk::Simple>(turning);
  }
  for (network::NodeId asker = 0; asker < 6; ++asker) {
    setup.node_of_asker.push_back(asker / 2);  // two on each node
    std::vector<Ask> asks;
    for (int i = 0; i < 15; ++i) {
      const SimTime at = 1_ms * static_cast<std::int64_t>(1 + below(40));
      const auto kind = below(5);
      pfs::TransactionData what = data(kind < 2 ? Operation::read : Operation::write,
                                       static_cast<std::uint32_t>(below(3)), below(20'000), 1 + below(5'000));
      if (kind == 4) {
        what = data(Operation::open, 0, 0, 0);
        what.name = below(4);
      }
      asks.push_back({at, what});
    }
    setup.asks.push_back(std::move(asks));
  }
  return setup;
}

}  // namespace

TEST_CASE("two ranks at one disk: the second waits for the first") {
  Setup setup{{0, 1},
              {{{1_ms, data(Operation::write, 0, 0, 500)}}, {{1_ms, data(Operation::write, 0, 500, 500)}}},
              parameters(1)};
  const auto replies = replies_of(setup);
  const SimTime wire = byte_on_wire * 600;
  const SimTime first = 1_ms + latency + wire + tick + 11_ms + 500_us + latency + header + tick;
  CHECK(replies[0][0].at == first);
  // It continues where the first ended: no latency, but its turn comes 11.5 ms later. Both messages arrived
  // at the same time; the port took one after the other while the disk worked.
  CHECK(replies[1][0].at == first + 1_ms + 500_us);
  CHECK(replies[1][0].what.tally.seeks == 0);
}

TEST_CASE("two ranks at two disks do not meet") {
  Setup setup{{0, 1},
              {{{1_ms, data(Operation::write, 0, 0, 500)}}, {{1_ms, data(Operation::write, 0, 1000, 500)}}},
              parameters(2)};
  const auto replies = replies_of(setup);
  CHECK(replies[0][0].at == replies[1][0].at);
}

TEST_CASE("ranks of one node share its client's port") {
  const std::vector<std::vector<Ask>> asks{{{1_ms, data(Operation::write, 0, 0, 1000)}},
                                           {{1_ms, data(Operation::write, 0, 1000, 1000)}}};
  const auto shared = replies_of({{0, 0}, asks, parameters(2)});
  const auto apart = replies_of({{0, 1}, asks, parameters(2)});
  CHECK(shared[0][0].at == apart[0][0].at);
  CHECK(shared[1][0].at == apart[1][0].at + byte_on_wire * 1100);
}

TEST_CASE("opens are served one after the other") {
  pfs::TransactionData open = data(Operation::open, 0, 0, 0);
  Setup setup{{0, 1, 2, 3}, {}, parameters(2)};
  for (int i = 0; i < 4; ++i) setup.asks.push_back({{1_ms, open}});
  const auto replies = replies_of(setup);
  for (int i = 1; i < 4; ++i) CHECK(replies[i][0].at - replies[i - 1][0].at == 50_ms);
}

TEST_CASE("the same replies at the same times on any number of host processes") {
  for (std::uint64_t program = 1; program <= 6; ++program) {
    Setup setup = random_requests(program, 1 + program % 4, 1 + program % 2);
    if (program > 3) setup.parameters.disk_bus = kernel::ByteTime::from_bandwidth(1e6);
    const auto expected = replies_of(setup);
    for (const auto& asker : expected) REQUIRE(asker.size() == 15);
    for (const int hosts : {2, 3, 4}) {
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        CAPTURE(program, hosts, seed);
        REQUIRE(same(replies_of(setup, hosts, seed), expected));
      }
    }
  }
}
