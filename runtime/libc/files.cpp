// Functions that open files by name: relative names start at the rank's working directory.
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <string>

#include "runtime/export.hpp"
#include "runtime/libc/descriptor_table.hpp"
#include "runtime/libc/directories.hpp"
#include "runtime/libc/file_use.hpp"
#include "runtime/libc/named_calls.hpp"
#include "runtime/libc/opening.hpp"

using namespace mpisim::runtime;

namespace {

// Mode argument of open and its kind, which is there only if a file may be made.
mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

int open_path(const char* path, int flags, mode_t mode) {
  return open_number(AT_FDCWD, path, flags, mode);
}

}  // namespace

#define OPEN(name)                                                    \
  MPISIM_EXPORT int __wrap_##name(const char* path, int flags, ...) { \
    va_list arguments;                                                \
    va_start(arguments, flags);                                       \
    const mode_t mode = mode_of(flags, arguments);                    \
    va_end(arguments);                                                \
    return open_path(path, flags, mode);                              \
  }
#define OPENAT(name)                                                                 \
  MPISIM_EXPORT int __wrap_##name(int directory, const char* path, int flags, ...) { \
    va_list arguments;                                                               \
    va_start(arguments, flags);                                                      \
    const mode_t mode = mode_of(flags, arguments);                                   \
    va_end(arguments);                                                               \
    return open_number(directory, path, flags, mode);                                \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

// What open becomes with _FORTIFY_SOURCE.
MPISIM_EXPORT int __wrap___open_2(const char* path, int flags) {
  return open_path(path, flags, 0);
}
MPISIM_EXPORT int __wrap___open64_2(const char* path, int flags) {
  return open_path(path, flags, 0);
}
MPISIM_EXPORT int __wrap___openat_2(int directory, const char* path, int flags) {
  return open_number(directory, path, flags, 0);
}
MPISIM_EXPORT int __wrap___openat64_2(int directory, const char* path, int flags) {
  return open_number(directory, path, flags, 0);
}

MPISIM_EXPORT int __wrap_creat(const char* path, mode_t mode) {
  return open_path(path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
MPISIM_EXPORT int __wrap_creat64(const char* path, mode_t mode) {
  return __wrap_creat(path, mode);
}

// Functions that find a name that is free run in the rank's directory.
namespace {
template <class Operation>
int open_new(Operation operation, bool close_on_exec = false) {
  FileCall call(current_environment());
  const int real = call.opened([&] {
    const ScopedWorkingDirectory directory;
    return operation();
  }());
  return give_number(real, close_on_exec);
}
}  // namespace

MPISIM_EXPORT int __wrap_mkstemp(char* pattern) {
  return open_new([&] { return mkstemp(pattern); });
}
MPISIM_EXPORT int __wrap_mkstemp64(char* pattern) {
  return __wrap_mkstemp(pattern);
}
MPISIM_EXPORT int __wrap_mkostemp(char* pattern, int flags) {
  return open_new([&] { return mkostemp(pattern, flags); }, (flags & O_CLOEXEC) != 0);
}
MPISIM_EXPORT int __wrap_mkstemps(char* pattern, int suffix) {
  return open_new([&] { return mkstemps(pattern, suffix); });
}
MPISIM_EXPORT int __wrap_mkostemp64(char* pattern, int flags) {
  return __wrap_mkostemp(pattern, flags);
}
MPISIM_EXPORT int __wrap_mkstemps64(char* pattern, int suffix) {
  return __wrap_mkstemps(pattern, suffix);
}
MPISIM_EXPORT int __wrap_mkostemps(char* pattern, int suffix, int flags) {
  return open_new([&] { return mkostemps(pattern, suffix, flags); }, (flags & O_CLOEXEC) != 0);
}
MPISIM_EXPORT int __wrap_mkostemps64(char* pattern, int suffix, int flags) {
  return __wrap_mkostemps(pattern, suffix, flags);
}
MPISIM_EXPORT char* __wrap_mkdtemp(char* pattern) {
  FileCall call(current_environment());
  char* const path = [&] {
    const ScopedWorkingDirectory directory;
    return mkdtemp(pattern);
  }();
  call.named(FileUse::Kind::make, RankPath(path));
  return path;
}
