#include "network_models/hockney.hpp"

#include <catch2/catch.hpp>

using namespace mpisim::network;
using namespace mpisim::kernel::literals;
using mpisim::kernel::Bytes;
using mpisim::kernel::ByteTime;

namespace {

/// 10 us + n / 100 MB/s up to 1000 B, 30 us + n / 200 MB/s above.
Hockney two_pieces() {
  return Hockney({{Bytes(1000), 10_us, ByteTime::from_bandwidth(100e6)},
                  {Bytes(~0ULL), 30_us, ByteTime::from_bandwidth(200e6)}});
}

}  // namespace

TEST_CASE("hockney: latency plus size over bandwidth of the piece that has the size") {
  const Hockney network = two_pieces();
  CHECK(network.flight(0, 1, Bytes(0)).arrival == 10_us);
  CHECK(network.flight(0, 1, Bytes(1000)).arrival == 20_us);
  CHECK(network.flight(0, 1, Bytes(1001)).arrival == 30_us + 5005_ns);
  CHECK(network.flight(0, 1, Bytes(1'000'000)).arrival == 5030_us);
}

TEST_CASE("hockney: envelopes take the smallest latency, so that none overtakes another") {
  const Hockney network = two_pieces();
  CHECK(network.min_latency() == 10_us);
  Adapter sender;
  const Transit large = network.transit(0, 1, Bytes(2000), 0_ps, sender);
  const Transit small = network.transit(0, 1, Bytes(0), 0_ps, sender);
  CHECK(large.envelope == 10_us);
  CHECK(small.envelope == 20_us);  // 2000 B have left after 10 us
}

TEST_CASE("hockney: n sends leave one behind the other") {
  const Hockney network = two_pieces();
  Adapter sender;
  for (int i = 1; i <= 10; ++i) {
    const Transit message = network.transit(0, static_cast<NodeId>(i), Bytes(1000), 0_ps, sender);
    CHECK(message.sent == 10_us * i);
    CHECK(message.arrival == 10_us + 10_us * i);
  }
}

TEST_CASE("hockney: n messages that arrive together come in one behind the other") {
  const Hockney network = two_pieces();
  Adapter receiver;
  for (int i = 0; i < 5; ++i) CHECK(network.take(0, Bytes(1000), 20_us, receiver) == 20_us + 10_us * i);
}

TEST_CASE("hockney: the last piece holds beyond its limit") {
  const Hockney network({{Bytes(10), 1_us, ByteTime::from_bandwidth(1e6)}});
  CHECK(network.flight(0, 1, Bytes(100)).arrival == 101_us);
}

TEST_CASE("hockney: pieces that do not ascend are refused") {
  CHECK_THROWS_WITH(Hockney({}), Catch::Contains("at least one"));
  CHECK_THROWS_WITH(Hockney({{Bytes(10), 1_us, ByteTime()}, {Bytes(10), 1_us, ByteTime()}}),
                    Catch::Contains("up_to must grow"));
}
