#include "simkernel/quantities.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

using namespace mpisim::kernel;
using namespace mpisim::kernel::literals;

TEST_CASE("bytes: order and sum") {
  CHECK(Bytes(3) + Bytes(4) == Bytes(7));
  CHECK(Bytes(3) < Bytes(4));
  CHECK(Bytes().count() == 0);
}

TEST_CASE("byte time: from a bandwidth, nearest femtosecond") {
  CHECK(ByteTime::from_bandwidth(1e9).fs() == 1'000'000);
  CHECK(ByteTime::from_bandwidth(175e6).fs() == 5'714'286);
  CHECK(ByteTime::from_bandwidth(3e15).fs() == 0);
  CHECK(ByteTime::from_bandwidth(1e15).fs() == 1);
  CHECK(ByteTime::from_bandwidth(1).fs() == 1'000'000'000'000'000);
  CHECK(ByteTime::from_bandwidth(std::numeric_limits<double>::infinity()).fs() == 0);
}

TEST_CASE("byte time: bandwidths that make no sense are refused") {
  CHECK_THROWS_AS(ByteTime::from_bandwidth(0), std::invalid_argument);
  CHECK_THROWS_AS(ByteTime::from_bandwidth(-1e6), std::invalid_argument);
  CHECK_THROWS_AS(ByteTime::from_bandwidth(std::nan("")), std::invalid_argument);
  CHECK_THROWS_AS(ByteTime::from_bandwidth(0.1), std::invalid_argument);
}

TEST_CASE("byte time: amounts are rounded up to whole picoseconds, once") {
  const ByteTime third = ByteTime::femtoseconds(333);
  CHECK(third * Bytes(0) == SimTime::zero());
  CHECK(third * Bytes(1) == 1_ps);
  CHECK(third * Bytes(3) == 1_ps);
  CHECK(third * Bytes(4) == 2_ps);
  CHECK(third * Bytes(1'000'000) == SimTime::picoseconds(333'000));
  CHECK(ByteTime::from_bandwidth(1e9) * Bytes(1024) == SimTime::picoseconds(1'024'000));
}

TEST_CASE("byte time: wide products do not wrap") {
  CHECK(ByteTime::femtoseconds(1) * Bytes(std::uint64_t{1} << 62) ==
        SimTime::picoseconds((std::int64_t{1} << 62) / 1000 + 1));
  CHECK_THROWS_AS(ByteTime::femtoseconds(1'000'000) * Bytes(std::uint64_t{1} << 62), std::overflow_error);
  CHECK_THROWS_AS(ByteTime::femtoseconds(1'000'000) * Bytes(~std::uint64_t{0}), std::overflow_error);
}
