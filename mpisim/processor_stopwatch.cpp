#include "mpisim/processor_stopwatch.hpp"

#include <cpuid.h>
#include <time.h>
#include <x86intrin.h>

#include <algorithm>
#include <limits>

namespace mpisim::mpi {
namespace {

constexpr double trusted_nanoseconds =
    20'000;                                // operating systems take the processor away for longer than this
constexpr double compared_every = 50'000;  // nanoseconds; half a percent of this is a comparison's cost
constexpr std::int64_t calibration_nanoseconds = 2'000'000;

std::int64_t read_clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

bool counter_has_constant_rate() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  constexpr unsigned power_management = 0x80000007, constant_rate = 1U << 8;
  return __get_cpuid(power_management, &eax, &ebx, &ecx, &edx) != 0 && (edx & constant_rate) != 0;
}

// The counter and the monotonic clock at the same time: the closest of several pairs.
struct Pair {
  std::uint64_t ticks = 0;
  std::int64_t nanoseconds = 0;

  static Pair read() {
    Pair best;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (int i = 0; i < 5; ++i) {
      const std::uint64_t before = __rdtsc();
      const std::int64_t nanoseconds = read_clock(CLOCK_MONOTONIC);
      const std::uint64_t width = __rdtsc() - before;
      if (width >= least) continue;
      least = width;
      best = {before + width / 2, nanoseconds};
    }
    return best;
  }
};

struct Counter {
  bool of_processor = counter_has_constant_rate();
  double nanoseconds_per_tick = 1;
  double cost = 0;  // of a reading, in nanoseconds

  Counter() {
    if (of_processor) {
      const Pair begin = Pair::read();
      while (read_clock(CLOCK_MONOTONIC) < begin.nanoseconds + calibration_nanoseconds) {
      }
      const Pair end = Pair::read();
      nanoseconds_per_tick = static_cast<double>(end.nanoseconds - begin.nanoseconds) /
                             static_cast<double>(end.ticks - begin.ticks);
    }
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t before = ticks();
      least = std::min(least, ticks() - before);
    }
    cost = nanoseconds(least);
  }
  std::uint64_t ticks() const {
    return of_processor ? __rdtsc() : static_cast<std::uint64_t>(read_clock(CLOCK_MONOTONIC));
  }
  double nanoseconds(std::uint64_t count) const { return static_cast<double>(count) * nanoseconds_per_tick; }
};

const Counter& counter() {
  static const Counter the_counter;
  return the_counter;
}

// When the counter and the thread's clock were last read together.
struct Comparison {
  std::uint64_t ticks = 0;
  std::int64_t processor = 0;
};
thread_local Comparison last;

void compare(const Counter& clock) {
  last.processor = thread_cpu_nanoseconds();
  last.ticks = clock.ticks();
}

}  // namespace

std::int64_t thread_cpu_nanoseconds() {
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

std::uint64_t stopwatch_mark() {
  const Counter& clock = counter();
  const std::uint64_t now = clock.ticks();
  if (clock.nanoseconds(now - last.ticks) < compared_every) return now;
  compare(clock);
  return clock.ticks();
}

double stopwatch_nanoseconds(std::uint64_t mark) {
  const Counter& clock = counter();
  const std::uint64_t now = clock.ticks();
  double result = clock.nanoseconds(now - mark) - clock.cost;
  if (result > trusted_nanoseconds) {
    const Comparison before = last;
    compare(clock);
    const double passed = clock.nanoseconds(last.ticks - before.ticks);
    result -= std::max(0.0, passed - static_cast<double>(last.processor - before.processor));
  }
  return std::max(0.0, result);
}

}  // namespace mpisim::mpi
