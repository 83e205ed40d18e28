#include <catch2/catch.hpp>

#include "disk_models/analytic.hpp"

using namespace mpisim;
using namespace mpisim::kernel::literals;

TEST_CASE("the analytic disk charges overhead, latency unless sequential, and transfer") {
  disk::AnalyticParameters parameters;
  parameters.overhead = 1_ms;
  parameters.latency = 20_ms;
  parameters.transfer = kernel::ByteTime::from_bandwidth(1e6);
  disk::Analytic disk(parameters);

  const disk::Service first = disk.serve({0, kernel::Bytes(1000), true}, 0_ps);
  CHECK(first.time == 22_ms);
  CHECK(first.seek);
  const disk::Service next = disk.serve({1000, kernel::Bytes(500), false}, 0_ps);
  CHECK(next.time == 1_ms + 500_us);
  CHECK_FALSE(next.seek);
  const disk::Service gap = disk.serve({1501, kernel::Bytes(0), false}, 0_ps);
  CHECK(gap.time == 21_ms);
  CHECK(gap.seek);
  const disk::Service back = disk.serve({0, kernel::Bytes(1), true}, 0_ps);
  CHECK(back.time == 21_ms + 1_us);
}
