// The bus that the disks of an I/O node share.
#include <catch2/catch.hpp>

#include "tests/unit/pfssim/support.hpp"

using namespace mpisim;
using namespace mpisim::test;
using namespace mpisim::kernel::literals;
using kernel::SimTime;
using pfs::Operation;

namespace {

constexpr std::uint64_t unit = 10'000;

/// Disks that take 11 ms and 1 us per byte, on buses of 1 MB/s.
pfs::Parameters parameters(std::uint32_t io_nodes, std::uint32_t disks) {
  pfs::Parameters all;
  all.io_nodes = io_nodes;
  all.disks_per_node = disks;
  all.stripe_unit = unit;
  all.client_overhead = all.server_overhead = 0_ps;
  all.header = kernel::Bytes(100);
  all.disk = analytic_disk(1_ms, 10_ms, 1e6);
  all.disk_bus = kernel::ByteTime::from_bandwidth(1e6);
  return all;
}

/// Of one request of each of several compute nodes, all at once: request i goes to disk i.
std::vector<SimTime> replies(const pfs::Parameters& all,
                             const std::vector<std::pair<Operation, std::uint64_t>>& requests) {
  Setup setup{{}, {}, all};
  for (std::size_t i = 0; i < requests.size(); ++i) {
    setup.node_of_asker.push_back(static_cast<network::NodeId>(i));
    setup.asks.push_back({{1_ms, data(requests[i].first, 0, i * unit, requests[i].second)}});
  }
  std::vector<SimTime> at;
  for (const auto& of_asker : replies_of(setup)) at.push_back(of_asker.at(0).at);
  return at;
}

pfs::Parameters without_bus(pfs::Parameters all) {
  all.disk_bus = {};
  return all;
}

constexpr SimTime header = byte_on_wire * 100;

}  // namespace

TEST_CASE("a request that is alone on the bus does not wait for it") {
  for (const Operation operation : {Operation::read, Operation::write}) {
    const auto all = parameters(1, 2);
    CHECK(replies(all, {{operation, 500}})[0] ==
          replies(without_bus(all), {{operation, 500}})[0] + tick + tick);
  }
}

TEST_CASE("data of reads come over the bus one after the other, while disks work side by side") {
  const auto all = parameters(1, 8);
  const std::vector<std::pair<Operation, std::uint64_t>> requests(8, {Operation::read, unit});
  const auto shared = replies(all, requests);
  const auto apart = replies(without_bus(all), requests);
  for (int i = 1; i < 8; ++i) {
    // unit at 1 MB/s; what waits takes no tick more
    CHECK(shared[i] - shared[i - 1] == (i == 1 ? 10_ms - tick : 10_ms));
    CHECK(apart[i] - apart[i - 1] < 1_ms);  // the node's port alone
  }
  CHECK(shared[0] == apart[0] + tick + tick);
}

TEST_CASE("a write occupies the bus for its bytes before its disk begins") {
  const auto all = parameters(1, 2);
  const auto at = replies(all, {{Operation::write, 500}, {Operation::write, 500}});
  CHECK(at[1] - at[0] == 500_us - tick);
}

TEST_CASE("a read's request waits for the data of a write before it") {
  const auto all = parameters(1, 2);
  const auto shared = replies(all, {{Operation::write, 5000}, {Operation::read, 500}});
  const auto apart = replies(without_bus(all), {{Operation::write, 5000}, {Operation::read, 500}});
  // The read's request is at the node first: it is shorter.
  CHECK(shared[1] == apart[1] + tick + tick);
  const auto late = [&](const pfs::Parameters& machine) {
    Setup setup{{0, 1},
                {{{1_ms, data(Operation::write, 0, 0, 5000)}}, {{2_ms, data(Operation::read, 0, unit, 500)}}},
                machine};
    return replies_of(setup)[1][0].at;
  };
  // The write is at the node `wire` and a latency after 1 ms; the read's request a header and a latency after
  // 2 ms.
  const SimTime wire = byte_on_wire * 5100;
  CHECK(late(all) - late(without_bus(all)) == (1_ms + wire + 5_ms) - (2_ms + header) + tick);
}

TEST_CASE("disks of different I/O nodes share no bus") {
  const auto at = replies(parameters(2, 1), {{Operation::read, unit}, {Operation::read, unit}});
  CHECK(at[0] == at[1]);
}
