#include "network_models/ports.hpp"

#include <catch2/catch.hpp>

#include "network_models/hockney.hpp"

using namespace mpisim::network;
using namespace mpisim::kernel::literals;
using mpisim::kernel::Bytes;
using mpisim::kernel::ByteTime;

namespace {

/// 10 us + n / 100 MB/s: 1000 B take 10 us in a port.
const Hockney network({{Bytes(~0ULL), 10_us, ByteTime::from_bandwidth(100e6)}});

}  // namespace

TEST_CASE("a reservation holds the port from when it was made") {
  Adapter sender;
  const auto reserved = network.reserve(0, 1, Bytes(1000), 5_us, sender);
  CHECK(reserved == 5_us);
  CHECK(network.transit(0, 2, Bytes(1000), 5_us, sender).start == 15_us);
  CHECK(network.bulk(0, 1, Bytes(1000), reserved, 2_us).start == 5_us);
  CHECK(network.bulk(0, 1, Bytes(1000), reserved, 50_us).start == 50_us);
  CHECK(network.bulk(0, 1, Bytes(1000), reserved, 50_us).arrival == 70_us);
}

TEST_CASE("bulk transfers may be answered in any order") {
  Adapter sender;
  const auto first = network.reserve(0, 1, Bytes(1000), 0_ps, sender);
  const auto second = network.reserve(0, 2, Bytes(1000), 0_ps, sender);
  const auto early = network.bulk(0, 1, Bytes(1000), first, 0_ps).arrival;
  CHECK(network.bulk(0, 2, Bytes(1000), second, 0_ps).arrival == 30_us);
  CHECK(network.bulk(0, 1, Bytes(1000), first, 0_ps).arrival == early);
}

TEST_CASE("a port that has been free for the whole message costs nothing") {
  Adapter receiver;
  CHECK(network.take(0, Bytes(1000), 20_us, receiver) == 20_us);
  CHECK(network.take(0, Bytes(1000), 30_us, receiver) == 30_us);
  CHECK(network.take(0, Bytes(1000), 35_us, receiver) == 40_us);
  CHECK(network.take(0, Bytes(1000), 90_us, receiver) == 90_us);
}

TEST_CASE("a message that came before the port's busy period does not wait for it") {
  Adapter receiver;
  CHECK(network.take(0, Bytes(1000), 100_us, receiver) == 100_us);
  CHECK(network.take(0, Bytes(1000), 40_us, receiver) == 40_us);
  CHECK(network.take(0, Bytes(1000), 90_us, receiver) == 90_us);
  CHECK(network.take(0, Bytes(1000), 95_us, receiver) == 110_us);
}
