// Addresses of the C library's variables that each rank has its own of (runtime/libc_variables.def); those of
// getopt and the environment are with their functions.
#include <errno.h>
#include <math.h>
#include <time.h>

#include "runtime/export.hpp"
#include "runtime/libc/streams.hpp"

using namespace mpisim::runtime;

namespace {

FILE** stream_variable(int number, FILE** real) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return real;
  standard_stream(*rank, number);
  return &rank->libc().part<StreamState>().standard[number];
}

}  // namespace

MPISIM_EXPORT FILE** mpisim_libc_stdin(void) {
  return stream_variable(0, &stdin);
}
MPISIM_EXPORT FILE** mpisim_libc_stdout(void) {
  return stream_variable(1, &stdout);
}
MPISIM_EXPORT FILE** mpisim_libc_stderr(void) {
  return stream_variable(2, &stderr);
}

// One time zone for all ranks, and one name of the program.
using TimeZoneNames = char* [2];
MPISIM_EXPORT int* mpisim_libc_daylight(void) {
  return &daylight;
}
MPISIM_EXPORT long* mpisim_libc_timezone(void) {
  return &timezone;
}
MPISIM_EXPORT TimeZoneNames* mpisim_libc_tzname(void) {
  return &tzname;
}
MPISIM_EXPORT char** mpisim_libc_program_invocation_name(void) {
  return &program_invocation_name;
}
MPISIM_EXPORT char** mpisim_libc_program_invocation_short_name(void) {
  return &program_invocation_short_name;
}
