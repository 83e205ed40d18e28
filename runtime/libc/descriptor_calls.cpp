// Calls that name a descriptor and neither read nor write through it: on the real one that a rank's number
// stands for.
#include <fcntl.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/export.hpp"
#include "runtime/libc/descriptors.hpp"
#include "runtime/libc/file_use.hpp"

using namespace mpisim::runtime;

#define ONE(type, name)                              \
  MPISIM_EXPORT type __wrap_##name(int descriptor) { \
    return name(real_descriptor(descriptor));        \
  }
#define TWO(type, name, second)                                    \
  MPISIM_EXPORT type __wrap_##name(int descriptor, second value) { \
    return name(real_descriptor(descriptor), value);               \
  }
#define THREE(type, name, second, third)                                        \
  MPISIM_EXPORT type __wrap_##name(int descriptor, second value, third other) { \
    return name(real_descriptor(descriptor), value, other);                     \
  }
#define FOUR(type, name, second, third, fourth)                                              \
  MPISIM_EXPORT type __wrap_##name(int descriptor, second value, third other, fourth last) { \
    return name(real_descriptor(descriptor), value, other, last);                            \
  }

// What asks the file system about an open file costs time, unless it fails or is about a standard stream.
namespace {
template <class Operation>
int about_file(int number, void (FileCall::*tell)(int), Operation operation) {
  RankEnvironment* const rank = current_environment();
  const int real = real_descriptor(number);
  const bool of_file = rank != nullptr && descriptor_meaning(*rank, number) > 2;
  FileCall call(of_file ? rank : nullptr);
  const int result = operation(real);
  if (result == 0) (call.*tell)(real);
  return result;
}
}  // namespace

#define ASKS(name, second)                                                                            \
  MPISIM_EXPORT int __wrap_##name(int descriptor, second value) {                                     \
    return about_file(descriptor, &FileCall::asked, [value](int real) { return name(real, value); }); \
  }
#define SYNCS(name)                                                                        \
  MPISIM_EXPORT int __wrap_##name(int descriptor) {                                        \
    return about_file(descriptor, &FileCall::synced, [](int real) { return name(real); }); \
  }
ASKS(fstat, struct stat*)
ASKS(fstat64, struct stat64*)
SYNCS(fsync)
SYNCS(fdatasync)
SYNCS(syncfs)
ASKS(ftruncate, off_t)
ASKS(ftruncate64, off64_t)
ASKS(fchmod, mode_t)
ASKS(futimens, const timespec*)
ASKS(futimes, const timeval*)
ASKS(fstatfs, struct statfs*)
ASKS(fstatfs64, struct statfs64*)
ASKS(fstatvfs, struct statvfs*)
ASKS(fstatvfs64, struct statvfs64*)
MPISIM_EXPORT int __wrap_fchown(int descriptor, uid_t owner, gid_t group) {
  return about_file(descriptor, &FileCall::asked, [&](int real) { return fchown(real, owner, group); });
}
TWO(long, fpathconf, int)
FOUR(int, fallocate, int, off_t, off_t)
FOUR(int, fallocate64, int, off64_t, off64_t)
THREE(int, posix_fallocate, off_t, off_t)
THREE(int, posix_fallocate64, off64_t, off64_t)
FOUR(int, posix_fadvise, off_t, off_t, int)
FOUR(int, posix_fadvise64, off64_t, off64_t, int)
THREE(ssize_t, readahead, off64_t, size_t)
FOUR(int, sync_file_range, off64_t, off64_t, unsigned)
FOUR(ssize_t, fgetxattr, const char*, void*, size_t)
THREE(ssize_t, flistxattr, char*, size_t)
TWO(int, fremovexattr, const char*)
THREE(ssize_t, getdents64, void*, size_t)

MPISIM_EXPORT int __wrap_fsetxattr(int descriptor, const char* name, const void* value, size_t size,
                                   int flags) {
  return fsetxattr(real_descriptor(descriptor), name, value, size, flags);
}

// Terminals.
TWO(int, tcgetattr, struct termios*)
THREE(int, tcsetattr, int, const struct termios*)
ONE(int, tcdrain)
TWO(int, tcflush, int)
TWO(int, tcflow, int)
TWO(int, tcsendbreak, int)
ONE(pid_t, tcgetpgrp)
TWO(int, tcsetpgrp, pid_t)
ONE(pid_t, tcgetsid)
ONE(int, grantpt)
ONE(int, unlockpt)
ONE(char*, ptsname)
THREE(int, ptsname_r, char*, size_t)

MPISIM_EXPORT int __wrap_posix_openpt(int flags) {
  return current_environment() == nullptr ? posix_openpt(flags)
                                          : give_number(posix_openpt(flags | O_CLOEXEC));
}
MPISIM_EXPORT int __wrap_getpt(void) {
  return give_number(getpt());
}
MPISIM_EXPORT int __wrap_openpty(int* master, int* terminal, char* name, const struct termios* attributes,
                                 const struct winsize* size) {
  int real[2];
  if (openpty(&real[0], &real[1], name, attributes, size) != 0) return -1;
  int ends[2] = {real[0], real[1]};
  if (current_environment() != nullptr && give_pair(real, ends, false) != 0) return -1;
  *master = ends[0];
  *terminal = ends[1];
  return 0;
}

// A rank's standard streams are no terminals, as under mpirun.
MPISIM_EXPORT int __wrap_isatty(int descriptor) {
  RankEnvironment* const rank = current_environment();
  const int meaning = rank == nullptr ? descriptor : descriptor_meaning(*rank, descriptor);
  if (rank == nullptr || meaning > 2) return isatty(meaning);
  errno = meaning < 0 ? EBADF : ENOTTY;
  return 0;
}

MPISIM_EXPORT char* __wrap_ttyname(int descriptor) {
  return __wrap_isatty(descriptor) ? ttyname(real_descriptor(descriptor)) : nullptr;
}
MPISIM_EXPORT int __wrap_ttyname_r(int descriptor, char* name, size_t size) {
  return __wrap_isatty(descriptor) ? ttyname_r(real_descriptor(descriptor), name, size) : errno;
}

MPISIM_EXPORT void* __wrap_mmap(void* address, size_t size, int access, int flags, int descriptor,
                                off_t offset) {
  const bool of_file = (flags & MAP_ANONYMOUS) == 0;
  return mmap(address, size, access, flags, of_file ? real_descriptor(descriptor) : descriptor, offset);
}
MPISIM_EXPORT void* __wrap_mmap64(void* address, size_t size, int access, int flags, int descriptor,
                                  off64_t offset) {
  return __wrap_mmap(address, size, access, flags, descriptor, offset);
}
