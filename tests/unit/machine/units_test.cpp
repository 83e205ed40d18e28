#include "machine/units.hpp"

#include <catch2/catch.hpp>

using namespace mpisim::machine;
using namespace mpisim::kernel::literals;
using Catch::Contains;
using mpisim::kernel::Bytes;
using mpisim::kernel::ByteTime;
using mpisim::kernel::SimTime;

TEST_CASE("times in every unit, with and without space") {
  CHECK(parse_time("1 ps") == 1_ps);
  CHECK(parse_time("40 ns") == 40_ns);
  CHECK(parse_time("40ns") == 40_ns);
  CHECK(parse_time("  1.5 us ") == 1500_ns);
  CHECK(parse_time("2 ms") == 2_ms);
  CHECK(parse_time("3 s") == 3_s);
  CHECK(parse_time("2 min") == 120_s);
  CHECK(parse_time("1 h") == 3600_s);
  CHECK(parse_time("0 s") == 0_ps);
  CHECK(parse_time("+7 ns") == 7_ns);
}

TEST_CASE("decimal fractions and exponents are exact, the rest is rounded to the nearest") {
  CHECK(parse_time("0.1 us") == 100_ns);
  CHECK(parse_time("0.000000001 s") == 1_ns);
  CHECK(parse_time("1e-6 s") == 1_us);
  CHECK(parse_time("2.5E3 ns") == 2500_ns);
  CHECK(parse_time("1e+2 ns") == 100_ns);
  CHECK(parse_time("0.0004 ns") == 0_ps);
  CHECK(parse_time("0.0005 ns") == 1_ps);
}

TEST_CASE("amounts of data in decimal and binary units") {
  CHECK(parse_bytes("7 B") == Bytes(7));
  CHECK(parse_bytes("64 KiB") == Bytes(65536));
  CHECK(parse_bytes("64 KB") == Bytes(64000));
  CHECK(parse_bytes("1 MB") == Bytes(1'000'000));
  CHECK(parse_bytes("1.5 MiB") == Bytes(1572864));
  CHECK(parse_bytes("2 GB") == Bytes(2'000'000'000));
  CHECK(parse_bytes("1 GiB") == Bytes(1ULL << 30));
  CHECK(parse_bytes("1 TB") == Bytes(1'000'000'000'000));
  CHECK(parse_bytes("1 TiB") == Bytes(1ULL << 40));
}

TEST_CASE("bandwidths in bytes and bits") {
  CHECK(parse_bandwidth("175 MB/s") == ByteTime::from_bandwidth(175e6));
  CHECK(parse_bandwidth("1 GiB/s") == ByteTime::from_bandwidth(1073741824.0));
  CHECK(parse_bandwidth("20 Mbit/s") == ByteTime::from_bandwidth(2.5e6));
  CHECK(parse_bandwidth("100 Gbit/s") == ByteTime::from_bandwidth(12.5e9));
  CHECK(parse_bandwidth("8 bit/s") == ByteTime::from_bandwidth(1));
  CHECK(parse_bandwidth("1 kbit/s") == ByteTime::from_bandwidth(125));
}

TEST_CASE("frequencies, rates, costs and plain numbers") {
  CHECK(parse_frequency("66.7 MHz") == Approx(66.7e6));
  CHECK(parse_frequency("2.5 GHz") == Approx(2.5e9));
  CHECK(parse_frequency("3 kHz") == Approx(3000));
  CHECK(parse_rate("30 Mop/s") == Approx(30e6));
  CHECK(parse_cost("2 cycles").in_cycles);
  CHECK(parse_cost("0.25 cycles").amount == Approx(0.25));
  CHECK(parse_cost("1 cycle").amount == Approx(1));
  CHECK_FALSE(parse_cost("0.5 ns").in_cycles);
  CHECK(parse_cost("0.5 ns").amount == Approx(500));
  CHECK(parse_integer("56") == 56);
  CHECK(parse_integer("1e3") == 1000);
  CHECK(parse_number("0.8") == Approx(0.8));
}

TEST_CASE("a unit that is missing or does not fit: the message lists those that do") {
  CHECK_THROWS_WITH(parse_time("40 parsecs"), Contains("parsecs") && Contains("ps, ns, us, ms, s, min, h"));
  CHECK_THROWS_WITH(parse_time("40"), Contains("needs a unit") && Contains("ns"));
  CHECK_THROWS_WITH(parse_time("40 NS"), Contains("not a unit that fits here"));
  CHECK_THROWS_WITH(parse_bytes("64 kb"), Contains("KB, KiB"));
  CHECK_THROWS_WITH(parse_bandwidth("175 MB"), Contains("MB/s") && Contains("Gbit/s"));
  CHECK_THROWS_WITH(parse_frequency("50 MB"), Contains("MHz"));
  CHECK_THROWS_WITH(parse_rate("50"), Contains("op/s"));
  CHECK_THROWS_WITH(parse_cost("3"), Contains("cycles") && Contains("ns"));
  CHECK_THROWS_WITH(parse_cost("3 MHz"), Contains("cycles"));
}

TEST_CASE("negative, zero and excessive values") {
  CHECK_THROWS_WITH(parse_time("-40 ns"), Contains("must not be negative"));
  CHECK_THROWS_WITH(parse_bytes("-1 B"), Contains("must not be negative"));
  CHECK_THROWS_WITH(parse_bandwidth("-1 MB/s"), Contains("must not be negative"));
  CHECK_THROWS_WITH(parse_cost("-1 cycles"), Contains("must not be negative"));
  CHECK_THROWS_WITH(parse_integer("-3"), Contains("must not be negative"));
  CHECK_THROWS_WITH(parse_number("-0.5"), Contains("must not be negative"));
  CHECK_THROWS_WITH(parse_bandwidth("0 MB/s"), Contains("more than zero"));
  CHECK_THROWS_WITH(parse_frequency("0 Hz"), Contains("more than zero"));
  CHECK_THROWS_WITH(parse_time("10000 h"), Contains("too large"));
  CHECK_THROWS_WITH(parse_bytes("20000000 TiB"), Contains("too large"));
  CHECK_THROWS_WITH(parse_bandwidth("0.0001 bit/s"), Contains("bandwidth"));
}

TEST_CASE("what is no number says so") {
  CHECK_THROWS_WITH(parse_time("fast"), Contains("`fast` is not a time such as `40 ns`"));
  CHECK_THROWS_WITH(parse_time(""), Contains("not a time"));
  CHECK_THROWS_WITH(parse_bytes("many KB"), Contains("not an amount of data"));
  CHECK_THROWS_WITH(parse_integer("1.5"), Contains("not a whole number"));
  CHECK_THROWS_WITH(parse_integer("3 nodes"), Contains("not a whole number"));
  CHECK_THROWS_WITH(parse_number("0.5 x"), Contains("not a number"));
  CHECK_THROWS_WITH(parse_time("1e99 s"), Contains("not a time"));
}
