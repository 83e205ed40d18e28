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
