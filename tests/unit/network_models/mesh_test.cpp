#include "network_models/mesh.hpp"

#include <catch2/catch.hpp>

using namespace mpisim::network;
using namespace mpisim::kernel::literals;
using mpisim::kernel::Bytes;
using mpisim::kernel::ByteTime;
using mpisim::kernel::SimTime;

namespace {

/// 1 us + 100 ns per hop, links of 100 MB/s (10 ns per byte).
MeshParameters plane(std::vector<std::uint64_t> shape, std::vector<bool> wrap = {}) {
  MeshParameters parameters;
  parameters.shape = std::move(shape);
  parameters.wrap = std::move(wrap);
  parameters.latency = 1_us;
  parameters.hop_latency = 100_ns;
  parameters.per_byte = ByteTime::from_bandwidth(100e6);
  return parameters;
}

Mesh wormhole(std::vector<std::uint64_t> shape, std::vector<bool> wrap = {}) {
  return {Switching::wormhole, plane(std::move(shape), std::move(wrap))};
}

}  // namespace

TEST_CASE("mesh: hops are the distances of all dimensions together") {
  const Mesh mesh = wormhole({4, 5});
  CHECK(mesh.capacity() == 20);
  CHECK(mesh.hops(0, 1) == 1);   // (0,0) to (0,1)
  CHECK(mesh.hops(0, 4) == 4);   // (0,0) to (0,4)
  CHECK(mesh.hops(0, 5) == 1);   // (0,0) to (1,0)
  CHECK(mesh.hops(0, 19) == 7);  // (0,0) to (3,4)
  CHECK(mesh.hops(19, 0) == 7);
  CHECK(mesh.hops(7, 7) == 1);
  CHECK(wormhole({3, 3, 3}).hops(0, 26) == 6);
  CHECK(wormhole({10}).hops(2, 9) == 7);
}

TEST_CASE("torus: the shorter way round, per dimension") {
  const Mesh torus = wormhole({4, 5}, {true});
  CHECK(torus.hops(0, 4) == 1);
  CHECK(torus.hops(0, 15) == 1);
  CHECK(torus.hops(0, 12) == 4);  // (0,0) to (2,2)
  const Mesh cylinder = wormhole({4, 5}, {false, true});
  CHECK(cylinder.hops(0, 4) == 1);
  CHECK(cylinder.hops(0, 15) == 3);
}

TEST_CASE("wormhole: the size counts once, whatever the distance") {
  const Mesh mesh = wormhole({8, 8});
  const Flight flight = mesh.flight(0, 63, Bytes(1000));
  CHECK(flight.envelope == 1_us + 1400_ns);
  CHECK(flight.arrival == 2400_ns + 10_us);
  CHECK(flight.sent == 10_us);
  CHECK(mesh.min_latency(0, 63) == 2400_ns);
  CHECK(mesh.min_latency() == 1100_ns);
}

TEST_CASE("store and forward: the size counts per hop") {
  const Mesh mesh(Switching::store_and_forward, plane({8, 8}));
  CHECK(mesh.flight(0, 1, Bytes(1000)).arrival == 1100_ns + 10_us);
  CHECK(mesh.flight(0, 63, Bytes(1000)).arrival == 2400_ns + 10_us * 14);
  CHECK(mesh.flight(0, 63, Bytes(1000)).envelope == 2400_ns);
}

TEST_CASE("store and forward: packets travel behind one another") {
  MeshParameters parameters = plane({8, 8});
  parameters.packet_size = Bytes(100);
  const Mesh mesh(Switching::store_and_forward, parameters);
  CHECK(mesh.flight(0, 63, Bytes(1000)).arrival == 2400_ns + 1_us * 13 + 10_us);
  CHECK(mesh.flight(0, 63, Bytes(50)).arrival == 2400_ns + 500_ns * 14);
}

TEST_CASE("mesh: a slow port bounds the rate of a fast link") {
  MeshParameters parameters = plane({8, 8});
  parameters.port_per_byte = ByteTime::from_bandwidth(50e6);
  const Mesh mesh(Switching::wormhole, parameters);
  CHECK(mesh.flight(0, 1, Bytes(1000)).arrival == 1100_ns + 20_us);
  Adapter receiver;
  CHECK(mesh.take(1, Bytes(1000), 30_us, receiver) == 30_us);
  CHECK(mesh.take(1, Bytes(1000), 30_us, receiver) == 50_us);
}

TEST_CASE("mesh: shapes that cannot be are refused") {
  CHECK_THROWS_WITH(wormhole({}), Catch::StartsWith("shape:"));
  CHECK_THROWS_WITH(wormhole({4, 0}), Catch::StartsWith("shape:"));
  CHECK_THROWS_WITH(wormhole({1ULL << 40, 1ULL << 40}), Catch::Contains("2^32"));
  CHECK_THROWS_WITH(wormhole({4, 4, 4}, {true, false}), Catch::Contains("3 dimensions"));
}
