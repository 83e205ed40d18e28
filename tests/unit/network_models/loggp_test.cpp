#include "network_models/loggp.hpp"

#include <catch2/catch.hpp>

using namespace mpisim::network;
using namespace mpisim::kernel::literals;
using mpisim::kernel::Bytes;
using mpisim::kernel::ByteTime;

namespace {

/// L = 5 us, g = 2 us, G = 10 ns/B.
const LogGP network({5_us, 2_us, ByteTime::from_bandwidth(100e6)});

}  // namespace

TEST_CASE("loggp: a ping of k bytes travels (k - 1) G + L") {
  CHECK(network.flight(0, 1, Bytes(1)).arrival == 5_us);
  CHECK(network.flight(0, 1, Bytes(0)).arrival == 5_us);
  CHECK(network.flight(0, 1, Bytes(1001)).arrival == 15_us);
  CHECK(network.flight(0, 1, Bytes(1001)).envelope == 5_us);
  CHECK(network.flight(0, 1, Bytes(1001)).sent == 10_us);
}

TEST_CASE("loggp: n messages leave g apart, long ones (k - 1) G + g") {
  Adapter sender;
  for (int i = 0; i < 5; ++i) CHECK(network.transit(0, 1, Bytes(1), 0_ps, sender).arrival == 5_us + 2_us * i);
  Adapter other;
  for (int i = 0; i < 5; ++i)
    CHECK(network.transit(0, 1, Bytes(1001), 0_ps, other).arrival == 15_us + 12_us * i);
}

TEST_CASE("loggp: the receiver takes messages g apart") {
  Adapter receiver;
  for (int i = 0; i < 5; ++i) CHECK(network.take(1, Bytes(1), 9_us, receiver) == 9_us + 2_us * i);
  Adapter other;
  for (int i = 0; i < 5; ++i) CHECK(network.take(1, Bytes(1001), 15_us, other) == 15_us + 12_us * i);
}

TEST_CASE("loggp: a stream of one sender is not slowed down by the receiver") {
  Adapter sender;
  Adapter receiver;
  for (const std::uint64_t size : {1001, 1, 51, 1001, 1001, 1}) {
    const Transit message = network.transit(0, 1, Bytes(size), 0_ps, sender);
    CHECK(network.take(1, Bytes(size), message.arrival, receiver) == message.arrival);
  }
}
