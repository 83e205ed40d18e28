#include "network_models/ideal.hpp"

#include <catch2/catch.hpp>

using namespace mpisim::network;
using namespace mpisim::kernel::literals;
using mpisim::kernel::Bytes;
using mpisim::kernel::ByteTime;

TEST_CASE("ideal: constant latency whatever the size, ports never busy") {
  const Ideal network({1_us, ByteTime()});
  Adapter sender;
  for (int i = 0; i < 3; ++i) {
    const Transit message = network.transit(0, 5, Bytes(1'000'000), 7_us, sender);
    CHECK(message.start == 7_us);
    CHECK(message.sent == 7_us);
    CHECK(message.envelope == 8_us);
    CHECK(message.arrival == 8_us);
  }
  Adapter receiver;
  CHECK(network.take(5, Bytes(1'000'000), 8_us, receiver) == 8_us);
  CHECK(network.take(5, Bytes(1'000'000), 8_us, receiver) == 8_us);
}

TEST_CASE("ideal: a finite bandwidth holds for each message alone") {
  const Ideal network({1_us, ByteTime::from_bandwidth(1e9)});
  Adapter sender;
  CHECK(network.transit(0, 1, Bytes(1000), 0_ps, sender).arrival == 2_us);
  CHECK(network.transit(0, 1, Bytes(1000), 0_ps, sender).arrival == 2_us);
}

TEST_CASE("ideal: a latency of zero becomes 1 ps") {
  CHECK(Ideal({0_ps, ByteTime()}).min_latency() == 1_ps);
}

TEST_CASE("ideal: a message is handed over when it arrives, in whatever order messages are taken") {
  const Ideal network({1_us, ByteTime()});
  Adapter by_node;
  Adapter by_port;
  for (const auto arrival : {8_us, 5_us, 5_us, 9_us, 8_us, 1_ps, 20_us, 0_ps}) {
    CHECK(network.take_from(0, 5, Bytes(1000), arrival, by_node) == arrival);
    CHECK(network.take(5, Bytes(1000), arrival, by_port) == arrival);
    CHECK(network.PortModel::take_from(0, 5, Bytes(1000), arrival, by_port) == arrival);
  }
}

TEST_CASE("ideal: its own transit is that of its flight") {
  const Ideal network({3_us, ByteTime::from_bandwidth(7e8)});
  Adapter own;
  Adapter general;
  for (const auto ready : {8_us, 5_us, 12_us, 12_us, 0_ps}) {
    for (const std::uint64_t size : {0U, 1U, 1000U, 4'000'000'000U}) {
      const Transit a = network.transit(0, 1, Bytes(size), ready, own);
      const Transit b = network.PortModel::transit(0, 1, Bytes(size), ready, general);
      CHECK(a.start == b.start);
      CHECK(a.sent == b.sent);
      CHECK(a.envelope == b.envelope);
      CHECK(a.arrival == b.arrival);
    }
  }
}
