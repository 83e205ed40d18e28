// Sleeping takes simulated time and no host time.
#include <sched.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "runtime/export.hpp"
#include "runtime/libc/calls.hpp"
#include "runtime/libc/diagnostics.hpp"

namespace mpisim::runtime {
namespace {

constexpr std::int64_t billion = 1'000'000'000;

bool is_valid(const timespec& time) {
  if (time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < billion) return true;
  errno = EINVAL;
  return false;
}

std::int64_t to_nanoseconds(const timespec& time) {
  constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max() / billion - 1;
  return (time.tv_sec < limit ? time.tv_sec : limit) * billion + time.tv_nsec;
}

constexpr const char* forever =
    "waits for a signal for ever, and none reaches a simulated rank: give it a time limit";

}  // namespace
}  // namespace mpisim::runtime

using namespace mpisim::runtime;

MPISIM_EXPORT unsigned __wrap_sleep(unsigned seconds) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return sleep(seconds);
  sleep_nanoseconds(*rank, seconds * billion);
  return 0;
}

MPISIM_EXPORT int __wrap_usleep(useconds_t microseconds) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return usleep(microseconds);
  sleep_nanoseconds(*rank, microseconds * 1000LL);
  return 0;
}

MPISIM_EXPORT int __wrap_nanosleep(const timespec* duration, timespec* remaining) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return nanosleep(duration, remaining);
  if (!is_valid(*duration)) return -1;
  sleep_nanoseconds(*rank, to_nanoseconds(*duration));
  if (remaining != nullptr) *remaining = {};
  return 0;
}

MPISIM_EXPORT int __wrap_thrd_sleep(const timespec* duration, timespec* remaining) {
  return __wrap_nanosleep(duration, remaining);
}

MPISIM_EXPORT int __wrap_clock_nanosleep(clockid_t clock, int flags, const timespec* time,
                                         timespec* remaining) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return clock_nanosleep(clock, flags, time, remaining);
  if (!is_valid(*time)) return EINVAL;
  std::int64_t duration = to_nanoseconds(*time);
  if (flags & TIMER_ABSTIME)
    duration -=
        read_nanoseconds(*rank) + (clock == CLOCK_REALTIME || clock == CLOCK_TAI ? epoch() * billion : 0);
  sleep_nanoseconds(*rank, duration);
  if (remaining != nullptr && !(flags & TIMER_ABSTIME)) *remaining = {};
  return 0;
}

MPISIM_EXPORT int __wrap_sched_yield(void) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return sched_yield();
  rank->services().read_clock();
  return 0;
}

MPISIM_EXPORT void __wrap_thrd_yield(void) {
  __wrap_sched_yield();
}

MPISIM_EXPORT int __wrap_pause(void) {
  if (current_environment() == nullptr) return pause();
  refuse("pause", forever, __builtin_return_address(0));
}
