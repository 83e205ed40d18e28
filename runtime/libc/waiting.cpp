#include "runtime/libc/waiting.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>

#include <cerrno>
#include <cstdint>

#include "runtime/libc/calls.hpp"

namespace mpisim::runtime {
namespace {

// SO_RCVTIMEO or SO_SNDTIMEO; 0: none, or no socket.
std::int64_t time_limit_ns(int real, short events) {
  timeval limit{};
  socklen_t size = sizeof limit;
  const int option = events == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO;
  if (::getsockopt(real, SOL_SOCKET, option, &limit, &size) != 0) return 0;
  return limit.tv_sec * 1'000'000'000 + limit.tv_usec * 1000;
}

// Also after an error, which the call itself will tell; not if a signal came.
bool is_ready(int real, short events, int host_ms) {
  pollfd about{real, events, 0};
  const int ready = ::poll(&about, 1, host_ms);
  return ready > 0 || (ready < 0 && errno != EINTR);
}

}  // namespace

// Files are always ready.
bool may_block(int real) {
  struct stat about{};
  if (::fstat(real, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)) return false;
  const int flags = ::fcntl(real, F_GETFL);
  return flags >= 0 && (flags & O_NONBLOCK) == 0;
}

bool await_ready(RankEnvironment& rank, int real, short events) {
  if (!may_block(real)) return true;
  const int error = errno;
  rank.services().take_compute_time();
  constexpr int rest_ms = 5;
  int host_ms = 0;
  while (!is_ready(real, events, host_ms)) {
    host_ms = rank.services().let_others_go_on() ? 0 : rest_ms;
    const std::int64_t limit = time_limit_ns(real, events);
    if (limit == 0 || is_ready(real, events, 0)) continue;
    sleep_nanoseconds(rank, limit);
    if (is_ready(real, events, 0)) break;
    errno = EAGAIN;
    return false;
  }
  errno = error;
  return true;
}

void look_again_later(RankEnvironment& rank) {
  const int error = errno;
  rank.services().take_compute_time();
  rank.services().let_others_go_on();
  errno = error;
}

}  // namespace mpisim::runtime
