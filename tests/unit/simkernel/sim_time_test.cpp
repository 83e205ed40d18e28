#include "simkernel/sim_time.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

using namespace mpisim::kernel;
using namespace mpisim::kernel::literals;

namespace {
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
SimTime ps(std::int64_t value) {
  return SimTime::picoseconds(value);
}
}  // namespace

TEST_CASE("time: literals and plain arithmetic are exact") {
  CHECK((1_ps).ps() == 1);
  CHECK((1_ns).ps() == 1'000);
  CHECK((1_us).ps() == 1'000'000);
  CHECK((1_ms).ps() == 1'000'000'000);
  CHECK((1_s).ps() == 1'000'000'000'000);
  CHECK(SimTime() == SimTime::zero());
  CHECK(1_s + 1_ps == ps(1'000'000'000'001));
  CHECK(1_us - 1_ns == ps(999'000));
  CHECK((1_ns - 1_us).ps() == -999'000);
  CHECK(3_ns * 7 == 21_ns);
  CHECK(3_ns * 0 == SimTime::zero());
  CHECK((3_ns * -2).ps() == -6'000);
  SimTime t = 5_ns;
  t += 2_ns;
  t -= 3_ns;
  CHECK(t == 4_ns);
  static_assert(2_ns + 3_ns == 5_ns);
}

TEST_CASE("time: order, minimum and maximum") {
  CHECK(1_ns < 1_us);
  CHECK(ps(-1) < SimTime::zero());
  CHECK(106_s < SimTime::infinity());
  CHECK(max(1_ns, 2_ns) == 2_ns);
  CHECK(min(1_ns, SimTime::infinity()) == 1_ns);
  CHECK(max(SimTime::infinity(), 2_ns).is_infinite());
}

TEST_CASE("time: infinity saturates") {
  const SimTime never = SimTime::infinity();
  CHECK(never.is_infinite());
  CHECK((never + 1_s) == never);
  CHECK((1_s + never) == never);
  CHECK((never + never) == never);
  CHECK((never + ps(smallest)) == never);
  CHECK((never - 1_s) == never);
  CHECK((never - never) == never);
  CHECK((never * 3) == never);
}

TEST_CASE("time: every other overflow is an error") {
  CHECK_THROWS_AS(ps(largest - 1) + 2_ps, std::overflow_error);
  CHECK_THROWS_AS(ps(smallest) + ps(-1), std::overflow_error);
  CHECK_THROWS_AS(ps(smallest) - 1_ps, std::overflow_error);
  CHECK_THROWS_AS(1_ps - SimTime::infinity(), std::overflow_error);
  CHECK_THROWS_AS(ps(largest - 1) - ps(-2), std::overflow_error);
  CHECK_THROWS_AS(ps(largest / 2) * 3, std::overflow_error);
  CHECK_THROWS_AS(ps(smallest) * -1, std::overflow_error);
  CHECK_THROWS_WITH(1000_s * 1'000'000, Catch::Contains("106 days"));
}

TEST_CASE("time: a finite result never becomes infinity") {
  CHECK_THROWS_AS(ps(largest - 1) + 1_ps, std::overflow_error);
  CHECK_THROWS_AS(SimTime::zero() - ps(-largest), std::overflow_error);
  CHECK_THROWS_AS(ps(-1) - ps(smallest), std::overflow_error);
  static_assert(largest % 7 == 0);
  CHECK_THROWS_AS(ps(largest / 7) * 7, std::overflow_error);
  CHECK((ps(largest - 2) + 1_ps).ps() == largest - 1);
}

TEST_CASE("time: sums agree with wide arithmetic") {
  std::mt19937_64 random(20260101);
  for (int i = 0; i < 100'000; ++i) {
    const auto a = static_cast<std::int64_t>(random()) >> (random() % 3);
    const auto b = static_cast<std::int64_t>(random()) >> (random() % 3);
    if (a == largest || b == largest) continue;
    const __int128 exact = static_cast<__int128>(a) + b;
    if (exact >= largest || exact < smallest) {
      REQUIRE_THROWS_AS(ps(a) + ps(b), std::overflow_error);
    } else {
      REQUIRE((ps(a) + ps(b)).ps() == static_cast<std::int64_t>(exact));
    }
  }
}

TEST_CASE("time: conversion from seconds rounds to the nearest picosecond") {
  CHECK(SimTime::from_seconds(0) == SimTime::zero());
  CHECK(SimTime::from_seconds(1) == 1_s);
  CHECK(SimTime::from_seconds(1e-12) == 1_ps);
  CHECK(SimTime::from_seconds(0.4e-12) == SimTime::zero());
  CHECK(SimTime::from_seconds(0.6e-12) == 1_ps);
  CHECK(SimTime::from_seconds(2.5e-12).ps() == 3);
  CHECK(SimTime::from_seconds(-2.5e-12).ps() == -3);
  CHECK(SimTime::from_seconds(0.1) == 100_ms);
  CHECK(SimTime::from_seconds(9e6).ps() == 9'000'000'000'000'000'000);
  CHECK(SimTime::from_seconds(1.25).seconds() == Approx(1.25));
}

TEST_CASE("time: conversion from seconds refuses what does not fit") {
  CHECK_THROWS_AS(SimTime::from_seconds(9.3e6), std::overflow_error);
  CHECK_THROWS_AS(SimTime::from_seconds(-9.3e6), std::overflow_error);
  CHECK_THROWS_AS(SimTime::from_seconds(std::numeric_limits<double>::infinity()), std::overflow_error);
  CHECK_THROWS_AS(SimTime::from_seconds(std::nan("")), std::overflow_error);
}

TEST_CASE("time: text") {
  CHECK(to_string(SimTime::zero()) == "0 s");
  CHECK(to_string(1_ps) == "1 ps");
  CHECK(to_string(999_ps) == "999 ps");
  CHECK(to_string(1_ns) == "1 ns");
  CHECK(to_string(1234567_ns) == "1.235 ms");
  CHECK(to_string(1500_us) == "1.5 ms");
  CHECK(to_string(ps(999'960)) == "1000 ns");
  CHECK(to_string(1_s) == "1 s");
  CHECK(to_string(9999_s) == "9999 s");
  CHECK(to_string(86'400_s) == "86400 s");
  CHECK(to_string(ps(-2'500)) == "-2.5 ns");
  CHECK(to_string(SimTime::infinity()) == "infinity");
}
