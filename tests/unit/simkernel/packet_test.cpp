#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <stdexcept>

#include "simkernel/event.hpp"

using namespace mpisim::kernel;

TEST_CASE("packet: values come out as they went in") {
  struct Plain {
    double a;
    std::int16_t b[3];
  };
  PacketWriter out;
  out.put(std::uint8_t{7});
  out.put(std::uint64_t{0x1122334455667788});
  out.put(Plain{2.5, {-1, 0, 1}});
  out.put(EventKey{SimTime::picoseconds(5), 6, 7});
  const char text[] = "payload";
  out.append(text, sizeof text);
  out.append(nullptr, 0);

  PacketReader in(out.buffer());
  CHECK(in.get<std::uint8_t>() == 7);
  CHECK(in.get<std::uint64_t>() == 0x1122334455667788);
  const auto plain = in.get<Plain>();
  CHECK(plain.a == 2.5);
  CHECK(plain.b[0] == -1);
  CHECK(plain.b[2] == 1);
  CHECK(in.get<EventKey>() == EventKey{SimTime::picoseconds(5), 6, 7});
  CHECK_FALSE(in.empty());
  const auto taken = in.take(sizeof text);
  CHECK(std::equal(taken.begin(), taken.end(), reinterpret_cast<const std::byte*>(text)));
  CHECK(in.empty());
  CHECK(in.take(0).empty());
}

TEST_CASE("packet: reading past the end is an error that changes nothing") {
  PacketWriter out;
  out.put(std::uint16_t{1});
  PacketReader in(out.buffer());
  CHECK_THROWS_AS(in.get<std::uint32_t>(), std::out_of_range);
  CHECK(in.get<std::uint16_t>() == 1);
  CHECK_THROWS_AS(in.get<char>(), std::out_of_range);
  CHECK_THROWS_AS(PacketReader({}).take(1), std::out_of_range);
}

TEST_CASE("event keys: time, then source, then sequence") {
  std::vector<EventKey> keys;
  for (int time = 0; time < 3; ++time) {
    for (LpId source = 0; source < 3; ++source) {
      for (std::uint64_t sequence = 0; sequence < 3; ++sequence)
        keys.push_back({SimTime::picoseconds(time), source, sequence});
    }
  }
  auto shuffled = keys;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(42));
  std::sort(shuffled.begin(), shuffled.end());
  CHECK(shuffled == keys);
}
