// Functions that ask about files by name, or change their names: relative names start at the rank's working
// directory. Each is a question to the file system, whatever the answer.
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "runtime/export.hpp"
#include "runtime/libc/named_calls.hpp"

using namespace mpisim::runtime;
using Kind = FileUse::Kind;

namespace mpisim::runtime {

std::string path_in(int directory, const char* name) {
  char path[PATH_MAX];
  const int error = errno;
  const ssize_t size = readlink(("/proc/self/fd/" + std::to_string(directory)).c_str(), path, sizeof path);
  errno = error;
  std::string complete(path, size < 0 ? 0 : static_cast<std::size_t>(size));
  return *name == '\0' ? complete : complete + "/" + name;
}

}  // namespace mpisim::runtime

#define ONE_PATH(kind, type, name)                                                      \
  MPISIM_EXPORT type __wrap_##name(const char* path) {                                  \
    return named_call(kind, path, [](const char* complete) { return name(complete); }); \
  }
ONE_PATH(Kind::remove, int, unlink)
ONE_PATH(Kind::remove, int, remove)
ONE_PATH(Kind::remove, int, rmdir)

#define PATH_AND(kind, type, name, second)                                                          \
  MPISIM_EXPORT type __wrap_##name(const char* path, second value) {                                \
    return named_call(kind, path, [value](const char* complete) { return name(complete, value); }); \
  }
PATH_AND(Kind::look_up, int, access, int)
PATH_AND(Kind::look_up, int, euidaccess, int)
PATH_AND(Kind::look_up, int, eaccess, int)
PATH_AND(Kind::look_up, int, stat, struct stat*)
PATH_AND(Kind::look_up, int, lstat, struct stat*)
PATH_AND(Kind::look_up, int, stat64, struct stat64*)
PATH_AND(Kind::look_up, int, lstat64, struct stat64*)
PATH_AND(Kind::look_up, int, statfs, struct statfs*)
PATH_AND(Kind::look_up, int, statvfs, struct statvfs*)
PATH_AND(Kind::look_up, int, statfs64, struct statfs64*)
PATH_AND(Kind::look_up, int, statvfs64, struct statvfs64*)
PATH_AND(Kind::look_up, int, truncate, off_t)
PATH_AND(Kind::look_up, int, truncate64, off64_t)
PATH_AND(Kind::look_up, int, chmod, mode_t)
PATH_AND(Kind::look_up, int, utime, const utimbuf*)
PATH_AND(Kind::look_up, int, utimes, const timeval*)

// What a file system can do is known without asking.
MPISIM_EXPORT long __wrap_pathconf(const char* path, int name) {
  return pathconf(RankPath(path), name);
}

#define CREATES(name)                                                  \
  MPISIM_EXPORT int __wrap_##name(const char* path, mode_t mode) {     \
    return named_call(Kind::make, path, [mode](const char* complete) { \
      const RankMask mask;                                             \
      return name(complete, mode);                                     \
    });                                                                \
  }
CREATES(mkdir)
CREATES(mkfifo)

MPISIM_EXPORT int __wrap_rename(const char* from, const char* to) {
  const RankPath complete_from(from), complete_to(to);
  FileCall call(current_environment());
  const int result = rename(complete_from, complete_to);
  if (to != nullptr) call.named(Kind::rename, complete_from, complete_to);
  return result;
}

MPISIM_EXPORT int __wrap_link(const char* from, const char* to) {
  const RankPath complete_from(from);
  return named_call(Kind::make, to, [&](const char* complete) { return link(complete_from, complete); });
}

// The text of a symbolic link is not a path of this moment.
MPISIM_EXPORT int __wrap_symlink(const char* text, const char* path) {
  return named_call(Kind::make, path, [text](const char* complete) { return symlink(text, complete); });
}

#define CHANGES_OWNER(name)                                                                \
  MPISIM_EXPORT int __wrap_##name(const char* path, uid_t owner, gid_t group) {            \
    return named_call(Kind::look_up, path,                                                 \
                      [&](const char* complete) { return name(complete, owner, group); }); \
  }
CHANGES_OWNER(chown)
CHANGES_OWNER(lchown)

MPISIM_EXPORT ssize_t __wrap_readlink(const char* path, char* buffer, size_t size) {
  return named_call(Kind::look_up, path,
                    [&](const char* complete) { return readlink(complete, buffer, size); });
}
MPISIM_EXPORT ssize_t __wrap___readlink_chk(const char* path, char* buffer, size_t size, size_t) {
  return __wrap_readlink(path, buffer, size);
}

MPISIM_EXPORT char* __wrap_realpath(const char* path, char* resolved) {
  return named_call(Kind::look_up, path, [&](const char* complete) { return realpath(complete, resolved); });
}
MPISIM_EXPORT char* __wrap___realpath_chk(const char* path, char* resolved, size_t) {
  return __wrap_realpath(path, resolved);
}
MPISIM_EXPORT char* __wrap_canonicalize_file_name(const char* path) {
  return __wrap_realpath(path, nullptr);
}

// Functions with a directory's descriptor.
MPISIM_EXPORT int __wrap_fstatat(int directory, const char* path, struct stat* result, int flags) {
  return named_call_at(Kind::look_up, directory, path,
                       [&](const char* name) { return fstatat(directory, name, result, flags); });
}
MPISIM_EXPORT int __wrap_fstatat64(int directory, const char* path, struct stat64* result, int flags) {
  return named_call_at(Kind::look_up, directory, path,
                       [&](const char* name) { return fstatat64(directory, name, result, flags); });
}
MPISIM_EXPORT int __wrap_statx(int directory, const char* path, int flags, unsigned mask,
                               struct statx* result) {
  return named_call_at(Kind::look_up, directory, path,
                       [&](const char* name) { return statx(directory, name, flags, mask, result); });
}
MPISIM_EXPORT int __wrap_faccessat(int directory, const char* path, int mode, int flags) {
  return named_call_at(Kind::look_up, directory, path,
                       [&](const char* name) { return faccessat(directory, name, mode, flags); });
}
MPISIM_EXPORT int __wrap_fchmodat(int directory, const char* path, mode_t mode, int flags) {
  return named_call_at(Kind::look_up, directory, path,
                       [&](const char* name) { return fchmodat(directory, name, mode, flags); });
}
MPISIM_EXPORT ssize_t __wrap_readlinkat(int directory, const char* path, char* buffer, size_t size) {
  return named_call_at(Kind::look_up, directory, path,
                       [&](const char* name) { return readlinkat(directory, name, buffer, size); });
}
MPISIM_EXPORT int __wrap_utimensat(int directory, const char* path, const timespec* times, int flags) {
  return named_call_at(Kind::look_up, directory, path,
                       [&](const char* name) { return utimensat(directory, name, times, flags); });
}
MPISIM_EXPORT int __wrap_unlinkat(int directory, const char* path, int flags) {
  return named_call_at(Kind::remove, directory, path,
                       [&](const char* name) { return unlinkat(directory, name, flags); });
}
MPISIM_EXPORT int __wrap_mkdirat(int directory, const char* path, mode_t mode) {
  return named_call_at(Kind::make, directory, path, [&](const char* name) {
    const RankMask mask;
    return mkdirat(directory, name, mode);
  });
}

namespace {

// A name for the host's C library, and the whole of it for the simulation.
struct NameAt {
  NameAt(int directory, const char* path) : complete(path), name(complete.c_str()) {
    if (directory == AT_FDCWD || path == nullptr || *path == '/') {
      whole = path == nullptr ? "" : name;
    } else {
      name = path;
      whole = path_in(directory, path);
    }
  }
  RankPath complete;
  const char* name;
  std::string whole;
};

int rename_at(const NameAt& from, const NameAt& to, int from_directory, int to_directory, unsigned flags) {
  FileCall call(current_environment());
  const int result = renameat2(from_directory, from.name, to_directory, to.name, flags);
  call.named(Kind::rename, from.whole.c_str(), to.whole.c_str());
  return result;
}

}  // namespace

MPISIM_EXPORT int __wrap_renameat2(int from_directory, const char* from, int to_directory, const char* to,
                                   unsigned flags) {
  return rename_at(NameAt(from_directory, from), NameAt(to_directory, to), from_directory, to_directory,
                   flags);
}
MPISIM_EXPORT int __wrap_renameat(int from_directory, const char* from, int to_directory, const char* to) {
  return __wrap_renameat2(from_directory, from, to_directory, to, 0);
}
MPISIM_EXPORT int __wrap_linkat(int from_directory, const char* from, int to_directory, const char* to,
                                int flags) {
  const NameAt source(from_directory, from);
  return named_call_at(Kind::make, to_directory, to, [&](const char* name) {
    return linkat(from_directory, source.name, to_directory, name, flags);
  });
}
MPISIM_EXPORT int __wrap_symlinkat(const char* text, int directory, const char* path) {
  return named_call_at(Kind::make, directory, path,
                       [&](const char* name) { return symlinkat(text, directory, name); });
}
