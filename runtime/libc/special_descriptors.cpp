// Calls that make descriptors of things that are no files: pipes, events, timers, memory.
#include <aio.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/export.hpp"
#include "runtime/libc/descriptors.hpp"
#include "runtime/libc/diagnostics.hpp"
#include "runtime/libc/directories.hpp"

using namespace mpisim::runtime;

MPISIM_EXPORT int __wrap_pipe2(int ends[2], int flags) {
  if (current_environment() == nullptr) return pipe2(ends, flags);
  int real[2];
  if (pipe2(real, flags | O_CLOEXEC) != 0) return -1;
  return give_pair(real, ends, (flags & O_CLOEXEC) != 0);
}
MPISIM_EXPORT int __wrap_pipe(int ends[2]) {
  return __wrap_pipe2(ends, 0);
}

MPISIM_EXPORT int __wrap_eventfd(unsigned value, int flags) {
  return give_number(eventfd(value, flags), (flags & EFD_CLOEXEC) != 0);
}
MPISIM_EXPORT int __wrap_eventfd_read(int descriptor, eventfd_t* value) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return eventfd_read(descriptor, value);
  return rank_read(*rank, descriptor, value, sizeof *value) == sizeof *value ? 0 : -1;
}
MPISIM_EXPORT int __wrap_eventfd_write(int descriptor, eventfd_t value) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return eventfd_write(descriptor, value);
  return rank_write(*rank, descriptor, &value, sizeof value) == sizeof value ? 0 : -1;
}

MPISIM_EXPORT int __wrap_timerfd_create(clockid_t clock, int flags) {
  if (current_environment() != nullptr)
    warn_once("timerfd_create", "the timer runs on the host's clock, not on simulated time",
              __builtin_return_address(0));
  return give_number(timerfd_create(clock, flags), (flags & TFD_CLOEXEC) != 0);
}
MPISIM_EXPORT int __wrap_timerfd_settime(int descriptor, int flags, const itimerspec* value,
                                         itimerspec* before) {
  return timerfd_settime(real_descriptor(descriptor), flags, value, before);
}
MPISIM_EXPORT int __wrap_timerfd_gettime(int descriptor, itimerspec* value) {
  return timerfd_gettime(real_descriptor(descriptor), value);
}

// Signals never reach a rank from elsewhere, so nothing is ever read from it.
MPISIM_EXPORT int __wrap_signalfd(int descriptor, const sigset_t* set, int flags) {
  if (current_environment() == nullptr) return signalfd(descriptor, set, flags);
  if (descriptor != -1) return signalfd(real_descriptor(descriptor), set, flags) < 0 ? -1 : descriptor;
  return give_number(signalfd(-1, set, flags | SFD_CLOEXEC), (flags & SFD_CLOEXEC) != 0);
}

MPISIM_EXPORT int __wrap_inotify_init1(int flags) {
  return give_number(inotify_init1(flags), (flags & IN_CLOEXEC) != 0);
}
MPISIM_EXPORT int __wrap_inotify_init(void) {
  return __wrap_inotify_init1(0);
}
MPISIM_EXPORT int __wrap_inotify_add_watch(int descriptor, const char* path, uint32_t events) {
  return inotify_add_watch(real_descriptor(descriptor), RankPath(path), events);
}
MPISIM_EXPORT int __wrap_inotify_rm_watch(int descriptor, int watch) {
  return inotify_rm_watch(real_descriptor(descriptor), watch);
}

MPISIM_EXPORT int __wrap_memfd_create(const char* name, unsigned flags) {
  if (current_environment() == nullptr) return memfd_create(name, flags);
  return give_number(memfd_create(name, flags | MFD_CLOEXEC), (flags & MFD_CLOEXEC) != 0);
}
// Always closed by exec.
MPISIM_EXPORT int __wrap_shm_open(const char* name, int flags, mode_t mode) {
  const RankMask mask;
  return give_number(shm_open(name, flags, mode), true);
}

namespace {
constexpr const char* no_threads_read =
    "asynchronous access works with threads of the C library, which a simulated rank cannot wait for: use "
    "read, "
    "write or MPI-IO";
}

#define REFUSE_ASYNCHRONOUS(name, control)                       \
  MPISIM_EXPORT int __wrap_##name(control block) {               \
    if (current_environment() == nullptr) return name(block);    \
    refuse(#name, no_threads_read, __builtin_return_address(0)); \
  }
REFUSE_ASYNCHRONOUS(aio_read, aiocb*)
REFUSE_ASYNCHRONOUS(aio_read64, aiocb64*)
REFUSE_ASYNCHRONOUS(aio_write, aiocb*)
REFUSE_ASYNCHRONOUS(aio_write64, aiocb64*)

#define REFUSE_FLUSH(name, control)                                      \
  MPISIM_EXPORT int __wrap_##name(int operation, control block) {        \
    if (current_environment() == nullptr) return name(operation, block); \
    refuse(#name, no_threads_read, __builtin_return_address(0));         \
  }
REFUSE_FLUSH(aio_fsync, aiocb*)
REFUSE_FLUSH(aio_fsync64, aiocb64*)

#define REFUSE_LIST_OF(name, control)                                                       \
  MPISIM_EXPORT int __wrap_##name(int mode, control blocks[], int count, sigevent* event) { \
    if (current_environment() == nullptr) return name(mode, blocks, count, event);          \
    refuse(#name, no_threads_read, __builtin_return_address(0));                            \
  }
REFUSE_LIST_OF(lio_listio, aiocb* const)
REFUSE_LIST_OF(lio_listio64, aiocb64* const)
