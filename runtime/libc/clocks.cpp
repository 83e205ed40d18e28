// Clocks of the C library: simulated time from a fixed epoch. Processor time of a rank is taken to be its
// clock: it has its processor for itself.
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/export.hpp"
#include "runtime/libc/calls.hpp"

namespace mpisim::runtime {
namespace {

constexpr std::int64_t billion = 1'000'000'000;
std::int64_t epoch_seconds = 946684800;  // 2000-01-01T00:00:00Z

timespec to_timespec(std::int64_t nanoseconds) {
  return {nanoseconds / billion, nanoseconds % billion};
}
timeval to_timeval(std::int64_t nanoseconds) {
  return {nanoseconds / billion, nanoseconds % billion / 1000};
}

}  // namespace

void set_epoch(std::int64_t seconds) {
  epoch_seconds = seconds;
}
std::int64_t epoch() {
  return epoch_seconds;
}

}  // namespace mpisim::runtime

using namespace mpisim::runtime;

MPISIM_EXPORT int __wrap_gettimeofday(timeval* result, void* zone) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return gettimeofday(result, static_cast<struct timezone*>(zone));
  const std::int64_t now = read_nanoseconds(*rank);
  if (result != nullptr) {
    *result = to_timeval(now);
    result->tv_sec += epoch_seconds;
  }
  if (zone != nullptr) std::memset(zone, 0, sizeof(struct timezone));
  return 0;
}

MPISIM_EXPORT int __wrap_clock_gettime(clockid_t clock, timespec* result) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return clock_gettime(clock, result);
  const timespec now = to_timespec(read_nanoseconds(*rank));
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_REALTIME_ALARM:
    case CLOCK_TAI:
      *result = now;
      result->tv_sec += epoch_seconds;
      return 0;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
    case CLOCK_BOOTTIME_ALARM:
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
      *result = now;
      return 0;
    default:
      if (clock < 0) {  // what clock_getcpuclockid gives
        *result = now;
        return 0;
      }
      errno = EINVAL;
      return -1;
  }
}

MPISIM_EXPORT int __wrap_clock_getres(clockid_t clock, timespec* result) {
  if (current_environment() == nullptr) return clock_getres(clock, result);
  if (result != nullptr) *result = {0, 1};
  return 0;
}

MPISIM_EXPORT int __wrap_timespec_get(timespec* result, int base) {
  if (current_environment() == nullptr) return timespec_get(result, base);
  return base == TIME_UTC && __wrap_clock_gettime(CLOCK_REALTIME, result) == 0 ? base : 0;
}

MPISIM_EXPORT time_t __wrap_time(time_t* result) {
  RankEnvironment* const rank = current_environment();
  const time_t now = rank == nullptr ? time(nullptr) : epoch_seconds + read_nanoseconds(*rank) / billion;
  if (result != nullptr) *result = now;
  return now;
}

MPISIM_EXPORT int __wrap_ftime(timeb* result) {
  timespec now;
  __wrap_clock_gettime(CLOCK_REALTIME, &now);
  *result = {};
  result->time = now.tv_sec;
  result->millitm = static_cast<unsigned short>(now.tv_nsec / 1'000'000);
  return 0;
}

MPISIM_EXPORT clock_t __wrap_times(tms* result) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return times(result);
  const clock_t ticks = read_nanoseconds(*rank) / (billion / sysconf(_SC_CLK_TCK));
  if (result != nullptr) *result = {ticks, 0, 0, 0};
  return ticks;
}

MPISIM_EXPORT clock_t __wrap_clock(void) {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? clock() : read_nanoseconds(*rank) / (billion / CLOCKS_PER_SEC);
}

MPISIM_EXPORT int __wrap_getrusage(int who, rusage* result) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return getrusage(static_cast<__rusage_who_t>(who), result);
  *result = {};
  if (who != RUSAGE_CHILDREN) result->ru_utime = to_timeval(read_nanoseconds(*rank));
  return 0;
}
