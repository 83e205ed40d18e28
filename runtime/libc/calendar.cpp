// Conversions of calendar time, whose results lie in buffers of the C library.
#include <time.h>

#include "runtime/export.hpp"
#include "runtime/libc/libc_state.hpp"

namespace mpisim::runtime {

struct CalendarState : LibcPart {
  static constexpr LibcSubject subject = LibcSubject::calendar;
  explicit CalendarState(LibcState&) {}

  tm broken_down{};  // gmtime and localtime share one, as in the C library
  char text[64] = "";
};

}  // namespace mpisim::runtime

using namespace mpisim::runtime;

MPISIM_EXPORT tm* __wrap_gmtime(const time_t* time) {
  CalendarState* const state = current_part<CalendarState>();
  return state == nullptr ? gmtime(time) : gmtime_r(time, &state->broken_down);
}

MPISIM_EXPORT tm* __wrap_localtime(const time_t* time) {
  CalendarState* const state = current_part<CalendarState>();
  if (state == nullptr) return localtime(time);
  tzset();
  return localtime_r(time, &state->broken_down);
}

MPISIM_EXPORT char* __wrap_asctime(const tm* time) {
  CalendarState* const state = current_part<CalendarState>();
  return state == nullptr ? asctime(time) : asctime_r(time, state->text);
}

MPISIM_EXPORT char* __wrap_ctime(const time_t* time) {
  CalendarState* const state = current_part<CalendarState>();
  if (state == nullptr) return ctime(time);
  tm* const local = __wrap_localtime(time);
  return local == nullptr ? nullptr : asctime_r(local, state->text);
}
