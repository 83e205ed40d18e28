// fcntl, ioctl and locks of files.
//
// POSIX gives a lock to a process, and the host process runs many ranks: they would not exclude each other,
// and a descriptor that one closes would take the locks of all. So a rank's locks are those of the open file
// (OFD): they exclude other ranks, wherever those run, and end when the file is closed.
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/export.hpp"
#include "runtime/libc/descriptor_table.hpp"
#include "runtime/libc/waiting.hpp"

using namespace mpisim::runtime;

namespace {

int set_lock(RankEnvironment& rank, int real, struct flock lock, bool waits) {
  lock.l_pid = 0;  // as these locks demand
  int result = -1;
  wait_until(rank, [&] {
    result = fcntl(real, F_OFD_SETLK, &lock);
    return result == 0 || !waits || (errno != EAGAIN && errno != EACCES);
  });
  return result;
}

int get_lock(int real, struct flock& lock) {
  lock.l_pid = 0;
  return fcntl(real, F_OFD_GETLK, &lock);
}

// What a process keeps with a number and not with the open file.
int control_number(RankEnvironment& rank, int number, int command, int value) {
  DescriptorState::Entry* const entry = rank.libc().part<DescriptorState>().find(number);
  if (entry == nullptr) {
    errno = EBADF;
    return -1;
  }
  if (command == F_GETFD) return entry->close_on_exec ? FD_CLOEXEC : 0;
  if (command == F_SETFD) {
    entry->close_on_exec = (value & FD_CLOEXEC) != 0;
    return 0;
  }
  return duplicate_descriptor(rank, number, value, command == F_DUPFD_CLOEXEC);
}

// The rank's standard streams are the simulation's: their flags cannot be changed.
int control_standard(int meaning, int real, int command, void* argument) {
  if (command == F_GETFL) return meaning == 0 ? O_RDONLY : O_WRONLY;
  if (command == F_SETFL) return 0;
  return fcntl(real, command, argument);
}

int control(RankEnvironment& rank, int number, int command, void* argument) {
  const auto value = static_cast<int>(reinterpret_cast<intptr_t>(argument));
  switch (command) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC:
    case F_GETFD:
    case F_SETFD:
      return control_number(rank, number, command, value);
    default:
      break;
  }
  const int meaning = descriptor_meaning(rank, number);
  if (meaning >= 0 && meaning <= 2)
    return control_standard(meaning, real_descriptor(number), command, argument);
  switch (command) {
    case F_GETLK:
      return get_lock(meaning, *static_cast<struct flock*>(argument));
    case F_SETLK:
    case F_OFD_SETLK:
      return set_lock(rank, meaning, *static_cast<const struct flock*>(argument), false);
    case F_SETLKW:
    case F_OFD_SETLKW:
      return set_lock(rank, meaning, *static_cast<const struct flock*>(argument), true);
    default:
      return fcntl(meaning, command, argument);
  }
}

// lockf() asks for the part from the descriptor's position on.
int lock_part(RankEnvironment& rank, int real, int command, off_t size) {
  struct flock lock{};
  lock.l_whence = SEEK_CUR;
  lock.l_len = size;
  lock.l_type = command == F_ULOCK ? F_UNLCK : F_WRLCK;
  if (command != F_TEST) return set_lock(rank, real, lock, command == F_LOCK);
  if (get_lock(real, lock) != 0) return -1;
  if (lock.l_type == F_UNLCK) return 0;
  errno = EACCES;
  return -1;
}

}  // namespace

MPISIM_EXPORT int __wrap_fcntl(int descriptor, int command, ...) {
  va_list list;
  va_start(list, command);
  void* const argument = va_arg(list, void*);
  va_end(list);
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? fcntl(descriptor, command, argument)
                         : control(*rank, descriptor, command, argument);
}
MPISIM_EXPORT int __wrap_fcntl64(int descriptor, int command, ...) {
  va_list list;
  va_start(list, command);
  void* const argument = va_arg(list, void*);
  va_end(list);
  return __wrap_fcntl(descriptor, command, argument);
}

MPISIM_EXPORT int __wrap_ioctl(int descriptor, unsigned long request, ...) {
  va_list list;
  va_start(list, request);
  void* const argument = va_arg(list, void*);
  va_end(list);
  RankEnvironment* const rank = current_environment();
  if (rank != nullptr && (request == FIOCLEX || request == FIONCLEX))
    return __wrap_fcntl(descriptor, F_SETFD, request == FIOCLEX ? FD_CLOEXEC : 0);
  return ioctl(real_descriptor(descriptor), request, argument);
}

MPISIM_EXPORT int __wrap_flock(int descriptor, int operation) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr || (operation & LOCK_NB) != 0) return flock(real_descriptor(descriptor), operation);
  const int real = real_descriptor(descriptor);
  int result = -1;
  wait_until(*rank, [&] {
    result = flock(real, operation | LOCK_NB);
    return result == 0 || errno != EWOULDBLOCK;
  });
  return result;
}

MPISIM_EXPORT int __wrap_lockf(int descriptor, int command, off_t size) {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? lockf(descriptor, command, size)
                         : lock_part(*rank, real_descriptor(descriptor), command, size);
}
MPISIM_EXPORT int __wrap_lockf64(int descriptor, int command, off64_t size) {
  return __wrap_lockf(descriptor, command, size);
}
