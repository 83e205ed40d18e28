// Functions that take the name of a file: relative names start at the rank's working directory.
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "runtime/export.hpp"
#include "runtime/libc/descriptor_table.hpp"
#include "runtime/libc/directories.hpp"
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

#define CREATES(name, second)                                       \
  MPISIM_EXPORT int __wrap_##name(const char* path, second value) { \
    const RankMask mask;                                            \
    return name(RankPath(path), value);                             \
  }
CREATES(mkdir, mode_t)
CREATES(mkfifo, mode_t)

#define ONE_PATH(type, name)                           \
  MPISIM_EXPORT type __wrap_##name(const char* path) { \
    return name(RankPath(path));                       \
  }
ONE_PATH(int, unlink)
ONE_PATH(int, remove)
ONE_PATH(int, rmdir)

#define PATH_AND(type, name, second)                                 \
  MPISIM_EXPORT type __wrap_##name(const char* path, second value) { \
    return name(RankPath(path), value);                              \
  }
PATH_AND(int, access, int)
PATH_AND(int, euidaccess, int)
PATH_AND(int, stat, struct stat*)
PATH_AND(int, lstat, struct stat*)
PATH_AND(int, stat64, struct stat64*)
PATH_AND(int, lstat64, struct stat64*)
PATH_AND(int, statfs, struct statfs*)
PATH_AND(int, statvfs, struct statvfs*)
PATH_AND(int, statfs64, struct statfs64*)
PATH_AND(int, statvfs64, struct statvfs64*)
PATH_AND(int, truncate, off_t)
PATH_AND(int, truncate64, off64_t)
PATH_AND(int, chmod, mode_t)
PATH_AND(int, utime, const utimbuf*)
PATH_AND(int, utimes, const timeval*)
PATH_AND(long, pathconf, int)

#define TWO_PATHS(name)                                               \
  MPISIM_EXPORT int __wrap_##name(const char* from, const char* to) { \
    return name(RankPath(from), RankPath(to));                        \
  }
TWO_PATHS(rename)
TWO_PATHS(link)

// The text of a symbolic link is not a path of this moment.
MPISIM_EXPORT int __wrap_symlink(const char* text, const char* path) {
  return symlink(text, RankPath(path));
}

MPISIM_EXPORT int __wrap_chown(const char* path, uid_t owner, gid_t group) {
  return chown(RankPath(path), owner, group);
}

MPISIM_EXPORT ssize_t __wrap_readlink(const char* path, char* buffer, size_t size) {
  return readlink(RankPath(path), buffer, size);
}
MPISIM_EXPORT ssize_t __wrap___readlink_chk(const char* path, char* buffer, size_t size, size_t) {
  return readlink(RankPath(path), buffer, size);
}

MPISIM_EXPORT char* __wrap_realpath(const char* path, char* resolved) {
  return realpath(RankPath(path), resolved);
}
MPISIM_EXPORT char* __wrap___realpath_chk(const char* path, char* resolved, size_t) {
  return realpath(RankPath(path), resolved);
}
MPISIM_EXPORT char* __wrap_canonicalize_file_name(const char* path) {
  return realpath(RankPath(path), nullptr);
}

// Functions with a directory's descriptor: only AT_FDCWD means the working directory.
namespace {
const char* completed_at(int directory, const RankPath& complete, const char* path) {
  return directory == AT_FDCWD ? complete.c_str() : path;
}
}  // namespace

MPISIM_EXPORT int __wrap_fstatat(int directory, const char* path, struct stat* result, int flags) {
  return fstatat(real_directory(directory), completed_at(directory, RankPath(path), path), result, flags);
}
MPISIM_EXPORT int __wrap_fstatat64(int directory, const char* path, struct stat64* result, int flags) {
  return fstatat64(real_directory(directory), completed_at(directory, RankPath(path), path), result, flags);
}
MPISIM_EXPORT int __wrap_faccessat(int directory, const char* path, int mode, int flags) {
  return faccessat(real_directory(directory), completed_at(directory, RankPath(path), path), mode, flags);
}
MPISIM_EXPORT ssize_t __wrap_readlinkat(int directory, const char* path, char* buffer, size_t size) {
  return readlinkat(real_directory(directory), completed_at(directory, RankPath(path), path), buffer, size);
}
MPISIM_EXPORT int __wrap_unlinkat(int directory, const char* path, int flags) {
  return unlinkat(real_directory(directory), completed_at(directory, RankPath(path), path), flags);
}
MPISIM_EXPORT int __wrap_mkdirat(int directory, const char* path, mode_t mode) {
  const RankMask mask;
  return mkdirat(real_directory(directory), completed_at(directory, RankPath(path), path), mode);
}
MPISIM_EXPORT int __wrap_renameat(int from_directory, const char* from, int to_directory, const char* to) {
  return renameat(real_directory(from_directory), completed_at(from_directory, RankPath(from), from),
                  real_directory(to_directory), completed_at(to_directory, RankPath(to), to));
}
MPISIM_EXPORT int __wrap_utimensat(int directory, const char* path, const timespec* times, int flags) {
  return utimensat(real_directory(directory), completed_at(directory, RankPath(path), path), times, flags);
}

// Functions that walk or change names themselves run in the rank's directory.
MPISIM_EXPORT int __wrap_mkstemp(char* pattern) {
  const ScopedWorkingDirectory directory;
  return give_number(mkstemp(pattern));
}
MPISIM_EXPORT int __wrap_mkstemp64(char* pattern) {
  return __wrap_mkstemp(pattern);
}
MPISIM_EXPORT int __wrap_mkostemp(char* pattern, int flags) {
  const ScopedWorkingDirectory directory;
  return give_number(mkostemp(pattern, flags), (flags & O_CLOEXEC) != 0);
}
MPISIM_EXPORT int __wrap_mkstemps(char* pattern, int suffix) {
  const ScopedWorkingDirectory directory;
  return give_number(mkstemps(pattern, suffix));
}
MPISIM_EXPORT int __wrap_mkostemp64(char* pattern, int flags) {
  return __wrap_mkostemp(pattern, flags);
}
MPISIM_EXPORT int __wrap_mkstemps64(char* pattern, int suffix) {
  return __wrap_mkstemps(pattern, suffix);
}
MPISIM_EXPORT int __wrap_mkostemps(char* pattern, int suffix, int flags) {
  const ScopedWorkingDirectory directory;
  return give_number(mkostemps(pattern, suffix, flags), (flags & O_CLOEXEC) != 0);
}
MPISIM_EXPORT int __wrap_mkostemps64(char* pattern, int suffix, int flags) {
  return __wrap_mkostemps(pattern, suffix, flags);
}
MPISIM_EXPORT char* __wrap_mkdtemp(char* pattern) {
  const ScopedWorkingDirectory directory;
  return mkdtemp(pattern);
}
MPISIM_EXPORT int __wrap_scandir(const char* path, dirent*** list, int (*select)(const dirent*),
                                 int (*compare)(const dirent**, const dirent**)) {
  return scandir(RankPath(path), list, select, compare);
}
MPISIM_EXPORT int __wrap_scandir64(const char* path, dirent64*** list, int (*select)(const dirent64*),
                                   int (*compare)(const dirent64**, const dirent64**)) {
  return scandir64(RankPath(path), list, select, compare);
}
MPISIM_EXPORT int __wrap_glob64(const char* pattern, int flags, int (*on_error)(const char*, int),
                                glob64_t* result) {
  const ScopedWorkingDirectory directory;
  return glob64(pattern, flags, on_error, result);
}
MPISIM_EXPORT int __wrap_ftw64(const char* path, __ftw64_func_t visit, int descriptors) {
  const ScopedWorkingDirectory directory;
  return ftw64(path, visit, descriptors);
}
MPISIM_EXPORT int __wrap_nftw64(const char* path, __nftw64_func_t visit, int descriptors, int flags) {
  const ScopedWorkingDirectory directory;
  return nftw64(path, visit, descriptors, flags);
}
MPISIM_EXPORT int __wrap_glob(const char* pattern, int flags, int (*on_error)(const char*, int),
                              glob_t* result) {
  const ScopedWorkingDirectory directory;
  return glob(pattern, flags, on_error, result);
}
MPISIM_EXPORT int __wrap_ftw(const char* path, __ftw_func_t visit, int descriptors) {
  const ScopedWorkingDirectory directory;
  return ftw(path, visit, descriptors);
}
MPISIM_EXPORT int __wrap_nftw(const char* path, __nftw_func_t visit, int descriptors, int flags) {
  const ScopedWorkingDirectory directory;
  return nftw(path, visit, descriptors, flags);
}
