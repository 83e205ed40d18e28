#include "network_models/node_local.hpp"

#include <catch2/catch.hpp>

#include "network_models/hockney.hpp"

using namespace mpisim::network;
using namespace mpisim::kernel::literals;
using mpisim::kernel::Bytes;
using mpisim::kernel::ByteTime;

namespace {

NodeLocal with_memory() {
  auto network = std::make_unique<Hockney>(
      std::vector<HockneyPiece>{{Bytes(~0ULL), 10_us, ByteTime::from_bandwidth(100e6)}});
  return {{200_ns, ByteTime::from_bandwidth(1e9)}, std::move(network)};
}

}  // namespace

TEST_CASE("inside a node a message takes the memory's times, between nodes the network's") {
  const NodeLocal model = with_memory();
  CHECK(model.flight(3, 3, Bytes(1000)).arrival == 1200_ns);
  CHECK(model.flight(3, 4, Bytes(1000)).arrival == 20_us);
  CHECK(model.min_latency() == 200_ns);
  CHECK(model.min_latency(3, 3) == 200_ns);
  CHECK(model.min_latency(3, 4) == 10_us);
  CHECK(model.name() == "hockney");
}

TEST_CASE("messages inside a node do not use the network's port at the receiver") {
  const NodeLocal model = with_memory();
  Adapter receiver;
  CHECK(model.take_from(0, 1, Bytes(1000), 20_us, receiver) == 20_us);
  CHECK(model.take_from(1, 1, Bytes(1000), 20_us, receiver) == 20_us);
  CHECK(model.take_from(0, 1, Bytes(1000), 20_us, receiver) == 30_us);
}
