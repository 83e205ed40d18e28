// Waiting for several descriptors. What they wait for comes from other ranks or from outside of simulated
// time: the others go on first; a time limit passes at once, as simulated time, and then the descriptors are
// looked at again.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <vector>

#include "runtime/export.hpp"
#include "runtime/libc/calls.hpp"
#include "runtime/libc/descriptor_table.hpp"
#include "runtime/libc/diagnostics.hpp"
#include "runtime/libc/waiting.hpp"

using namespace mpisim::runtime;

namespace {

constexpr std::int64_t for_ever = -1;
constexpr std::int64_t billion = 1'000'000'000;
constexpr const char* nothing_to_wait_for =
    "waits for a signal for ever, and none reaches a simulated rank: give it a time limit";

std::int64_t nanoseconds(std::int64_t seconds, std::int64_t rest) {
  constexpr std::int64_t limit = std::numeric_limits<std::int64_t>::max() / billion - 1;
  return std::min(seconds, limit) * billion + rest;
}

std::int64_t nanoseconds_of(int milliseconds) {
  return milliseconds < 0 ? for_ever : milliseconds * std::int64_t{1'000'000};
}

// `look` says how many descriptors are ready, or -1.
template <class Look>
int look_within(RankEnvironment& rank, std::int64_t limit, Look look) {
  int ready = look();
  if (ready != 0) return ready;
  if (limit == 0) {
    look_again_later(rank);
    return look();
  }
  if (limit == for_ever) {
    wait_until(rank, [&] { return (ready = look()) != 0; });
    return ready;
  }
  rank.services().take_compute_time();
  rank.services().let_others_go_on();
  ready = look();
  if (ready != 0) return ready;
  sleep_nanoseconds(rank, limit);
  return look();
}

int look_at(pollfd* descriptors, nfds_t count) {
  std::vector<pollfd> real(descriptors, descriptors + count);
  for (pollfd& one : real)
    if (one.fd >= 0) one.fd = real_descriptor(one.fd);
  int ready = poll(real.data(), count, 0);
  if (ready < 0) return ready;
  for (nfds_t i = 0; i < count; ++i) {
    descriptors[i].revents = real[i].revents;
    if (descriptors[i].fd < 0 || real[i].fd >= 0) continue;
    descriptors[i].revents = POLLNVAL;
    ++ready;
  }
  return ready;
}

int poll_within(RankEnvironment& rank, const char* name, pollfd* descriptors, nfds_t count,
                std::int64_t limit, const void* address) {
  const bool any =
      std::any_of(descriptors, descriptors + count, [](const pollfd& one) { return one.fd >= 0; });
  if (!any && limit == for_ever) refuse(name, nothing_to_wait_for, address);
  return look_within(rank, limit, [&] { return look_at(descriptors, count); });
}

// One of the three sets of select(). Sets may be larger than fd_set, whose macros know no more than its size.
struct DescriptorSet {
  static constexpr int bits = NFDBITS;
  fd_set* set;
  std::vector<fd_mask> wanted;

  DescriptorSet(fd_set* given, int count) : set(given) {
    if (given != nullptr) wanted.assign(__FDS_BITS(given), __FDS_BITS(given) + (count + bits - 1) / bits);
  }
  bool has(int number) const {
    return set != nullptr && (wanted[static_cast<std::size_t>(number / bits)] >> (number % bits) & 1) != 0;
  }
  void clear() const {
    if (set != nullptr) std::fill_n(__FDS_BITS(set), wanted.size(), 0);
  }
  int add(int number) const {
    __FDS_BITS(set)[number / bits] |= fd_mask{1} << (number % bits);
    return 1;
  }
};

int select_within(RankEnvironment& rank, int count, fd_set* readable, fd_set* writable, fd_set* exceptional,
                  std::int64_t limit, const void* address) {
  if (count < 0) {
    errno = EINVAL;
    return -1;
  }
  const DescriptorSet sets[3] = {{readable, count}, {writable, count}, {exceptional, count}};
  std::vector<pollfd> polled;
  for (int number = 0; number < count; ++number) {
    const int events = (sets[0].has(number) ? POLLIN : 0) | (sets[1].has(number) ? POLLOUT : 0) |
                       (sets[2].has(number) ? POLLPRI : 0);
    if (events != 0) polled.push_back({number, static_cast<short>(events), 0});
  }
  const int ready = poll_within(rank, "select", polled.data(), polled.size(), limit, address);
  if (ready < 0) return ready;
  for (const pollfd& one : polled) {
    if ((one.revents & POLLNVAL) == 0) continue;
    errno = EBADF;
    return -1;
  }
  for (const DescriptorSet& set : sets) set.clear();
  int bits = 0;
  for (const pollfd& one : polled) {
    if (sets[0].has(one.fd) && (one.revents & (POLLIN | POLLHUP | POLLERR)) != 0) bits += sets[0].add(one.fd);
    if (sets[1].has(one.fd) && (one.revents & (POLLOUT | POLLERR)) != 0) bits += sets[1].add(one.fd);
    if (sets[2].has(one.fd) && (one.revents & POLLPRI) != 0) bits += sets[2].add(one.fd);
  }
  return bits;
}

// A time limit of poll and its kind; false with errno if it is none.
bool read_limit(const timespec* time, std::int64_t& limit) {
  limit = for_ever;
  if (time == nullptr) return true;
  if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= billion) {
    errno = EINVAL;
    return false;
  }
  limit = nanoseconds(time->tv_sec, time->tv_nsec);
  return true;
}

}  // namespace

MPISIM_EXPORT int __wrap_poll(pollfd* descriptors, nfds_t count, int milliseconds) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return poll(descriptors, count, milliseconds);
  return poll_within(*rank, "poll", descriptors, count, nanoseconds_of(milliseconds),
                     __builtin_return_address(0));
}
MPISIM_EXPORT int __wrap___poll_chk(pollfd* descriptors, nfds_t count, int milliseconds, size_t) {
  return __wrap_poll(descriptors, count, milliseconds);
}

MPISIM_EXPORT int __wrap_ppoll(pollfd* descriptors, nfds_t count, const timespec* time,
                               const sigset_t* mask) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return ppoll(descriptors, count, time, mask);
  std::int64_t limit = 0;
  if (!read_limit(time, limit)) return -1;
  return poll_within(*rank, "ppoll", descriptors, count, limit, __builtin_return_address(0));
}
MPISIM_EXPORT int __wrap___ppoll_chk(pollfd* descriptors, nfds_t count, const timespec* time,
                                     const sigset_t* mask, size_t) {
  return __wrap_ppoll(descriptors, count, time, mask);
}

MPISIM_EXPORT int __wrap_pselect(int count, fd_set* readable, fd_set* writable, fd_set* exceptional,
                                 const timespec* time, const sigset_t* mask) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return pselect(count, readable, writable, exceptional, time, mask);
  std::int64_t limit = 0;
  if (!read_limit(time, limit)) return -1;
  return select_within(*rank, count, readable, writable, exceptional, limit, __builtin_return_address(0));
}

MPISIM_EXPORT int __wrap_select(int count, fd_set* readable, fd_set* writable, fd_set* exceptional,
                                timeval* timeout) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return select(count, readable, writable, exceptional, timeout);
  if (timeout != nullptr && (timeout->tv_sec < 0 || timeout->tv_usec < 0)) {
    errno = EINVAL;
    return -1;
  }
  const std::int64_t limit =
      timeout == nullptr ? for_ever : nanoseconds(timeout->tv_sec, timeout->tv_usec * std::int64_t{1000});
  const int ready =
      select_within(*rank, count, readable, writable, exceptional, limit, __builtin_return_address(0));
  if (timeout != nullptr && ready == 0) *timeout = {};  // what is left of it
  return ready;
}

MPISIM_EXPORT int __wrap_epoll_create1(int flags) {
  return give_number(epoll_create1(flags), (flags & EPOLL_CLOEXEC) != 0);
}
MPISIM_EXPORT int __wrap_epoll_create(int size) {
  return give_number(epoll_create(size));
}
MPISIM_EXPORT int __wrap_epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event) {
  return epoll_ctl(real_descriptor(epoll), operation, real_descriptor(descriptor), event);
}

MPISIM_EXPORT int __wrap_epoll_wait(int epoll, epoll_event* events, int count, int milliseconds) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return epoll_wait(epoll, events, count, milliseconds);
  const int real = real_descriptor(epoll);
  return look_within(*rank, nanoseconds_of(milliseconds), [&] { return epoll_wait(real, events, count, 0); });
}
MPISIM_EXPORT int __wrap_epoll_pwait(int epoll, epoll_event* events, int count, int milliseconds,
                                     const sigset_t* mask) {
  if (current_environment() == nullptr) return epoll_pwait(epoll, events, count, milliseconds, mask);
  return __wrap_epoll_wait(epoll, events, count, milliseconds);
}
MPISIM_EXPORT int __wrap_epoll_pwait2(int epoll, epoll_event* events, int count, const timespec* time,
                                      const sigset_t* mask) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return epoll_pwait2(epoll, events, count, time, mask);
  std::int64_t limit = 0;
  if (!read_limit(time, limit)) return -1;
  const int real = real_descriptor(epoll);
  return look_within(*rank, limit, [&] { return epoll_wait(real, events, count, 0); });
}
