// Intervals of processor time against the operating system's clock of the thread.
#include "mpisim/processor_stopwatch.hpp"

#include <time.h>

#include <algorithm>
#include <catch2/catch.hpp>

using namespace mpisim::mpi;

namespace {

void compute(std::int64_t nanoseconds) {
  const std::int64_t end = thread_cpu_nanoseconds() + nanoseconds;
  while (thread_cpu_nanoseconds() < end) {
  }
}

}  // namespace

TEST_CASE("The stopwatch agrees with the thread's clock") {
  const std::int64_t before = thread_cpu_nanoseconds();
  const std::uint64_t mark = stopwatch_mark();
  compute(20'000'000);
  const double seen = stopwatch_nanoseconds(mark);
  const auto passed = static_cast<double>(thread_cpu_nanoseconds() - before);
  CHECK(seen > 0.95 * 20'000'000);
  CHECK(seen < 1.05 * passed);
}

TEST_CASE("Time without the processor is not counted") {
  const std::uint64_t mark = stopwatch_mark();
  const timespec pause{0, 50'000'000};
  nanosleep(&pause, nullptr);
  CHECK(stopwatch_nanoseconds(mark) < 10'000'000);
}

TEST_CASE("Short intervals are neither negative nor long") {
  double least = 1e9;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t mark = stopwatch_mark();
    const double seen = stopwatch_nanoseconds(mark);
    CHECK(seen >= 0);
    least = std::min(least, seen);
  }
  CHECK(least < 200);
}
