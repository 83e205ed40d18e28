// Functions that open files by name: relative names start at the rank's working directory.
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <string>

#include "runtime/export.hpp"
#include "runtime/libc/descriptors.hpp"
#include "runtime/libc/directories.hpp"
#include "runtime/libc/file_use.hpp"
#include "runtime/libc/named_calls.hpp"

using namespace mpisim::runtime;

namespace {

// Mode argument of open and its kind, which is there only if a file may be made.
mode_t mode_of(int flags, va_list arguments) {
  return (flags & (O_CREAT | __O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

int open_path(const char* path, int flags, mode_t mode) {
  raise_descriptor_limit();
  const RankPath complete(path);
  FileCall call(current_environment());
  return call.opened(
      [&] {
        const RankMask mask;
        return open(complete, flags, mode);
      }(),
      complete);
}

int openat_path(int directory, const char* path, int flags, mode_t mode) {
  if (directory == AT_FDCWD || path == nullptr || *path == '/') return open_path(path, flags, mode);
  FileCall call(current_environment());
  return call.opened(
      [&] {
        const RankMask mask;
        return openat(directory, path, flags, mode);
      }(),
      path_in(directory, path).c_str());
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
    return openat_path(directory, path, flags, mode);                                \
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
  return openat_path(directory, path, flags, 0);
}
MPISIM_EXPORT int __wrap___openat64_2(int directory, const char* path, int flags) {
  return openat_path(directory, path, flags, 0);
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
int open_new(Operation operation) {
  FileCall call(current_environment());
  return call.opened([&] {
    const ScopedWorkingDirectory directory;
    return operation();
  }());
}
}  // namespace

MPISIM_EXPORT int __wrap_mkstemp(char* pattern) {
  return open_new([&] { return mkstemp(pattern); });
}
MPISIM_EXPORT int __wrap_mkstemp64(char* pattern) {
  return __wrap_mkstemp(pattern);
}
MPISIM_EXPORT int __wrap_mkostemp(char* pattern, int flags) {
  return open_new([&] { return mkostemp(pattern, flags); });
}
MPISIM_EXPORT int __wrap_mkstemps(char* pattern, int suffix) {
  return open_new([&] { return mkstemps(pattern, suffix); });
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
