#include "simkernel/in_process_transport.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <set>
#include <stdexcept>
#include <vector>

using namespace mpisim::kernel;

namespace {
std::vector<std::byte> number_packet(int number) {
  std::vector<std::byte> data(sizeof number);
  std::memcpy(data.data(), &number, sizeof number);
  return data;
}
int number_of(const Packet& packet) {
  int number = 0;
  std::memcpy(&number, packet.data.data(), sizeof number);
  return number;
}

/// Everyone sends `count` numbered packets to everyone; returns the order of sources that host 0 saw.
std::vector<int> exchange(std::uint64_t seed, int hosts, int count) {
  std::vector<int> order;
  run_in_process(hosts, seed, [&](Transport& transport) {
    for (int i = 0; i < count; ++i) {
      for (int host = 0; host < hosts; ++host) transport.send(host, number_packet(i));
    }
    std::vector<int> next(static_cast<std::size_t>(hosts));
    for (int got = 0; got < hosts * count;) {
      Packet packet;
      if (!transport.receive(packet)) {
        transport.wait();
        continue;
      }
      ++got;
      if (number_of(packet) != next[static_cast<std::size_t>(packet.source)]++)
        throw std::runtime_error("packets of one pair out of order");
      if (transport.host() == 0) order.push_back(packet.source);
    }
  });
  return order;
}
}  // namespace

TEST_CASE("in-process transport: order per pair holds, order between sources varies with the seed") {
  std::set<std::vector<int>> orders;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto order = exchange(seed, 3, 5);
    REQUIRE(order.size() == 15);
    REQUIRE(order == exchange(seed, 3, 5));
    orders.insert(order);
  }
  CHECK(orders.size() > 10);
}

TEST_CASE("in-process transport: a failure ends all hosts") {
  CHECK_THROWS_WITH(run_in_process(3, 1,
                                   [](Transport& transport) {
                                     if (transport.host() == 1) throw std::runtime_error("host 1 fell");
                                     for (;;) transport.wait();
                                   }),
                    "host 1 fell");
  CHECK_THROWS_WITH(run_in_process(2, 1,
                                   [](Transport& transport) {
                                     if (transport.host() == 0) transport.abort(7);
                                     for (;;) transport.wait();
                                   }),
                    Catch::Contains("status 7"));
}
