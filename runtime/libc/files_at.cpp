// Functions that name a file by a directory's descriptor and a path: only AT_FDCWD means the working
// directory of the rank. Each is a question to the file system, whatever the answer.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include <string>

#include "runtime/export.hpp"
#include "runtime/libc/descriptor_table.hpp"
#include "runtime/libc/named_calls.hpp"

using namespace mpisim::runtime;
using Kind = FileUse::Kind;

MPISIM_EXPORT int __wrap_fstatat(int directory, const char* path, struct stat* result, int flags) {
  return named_call_at(Kind::look_up, directory, path,
                       [&](int real, const char* name) { return fstatat(real, name, result, flags); });
}
MPISIM_EXPORT int __wrap_fstatat64(int directory, const char* path, struct stat64* result, int flags) {
  return named_call_at(Kind::look_up, directory, path,
                       [&](int real, const char* name) { return fstatat64(real, name, result, flags); });
}
MPISIM_EXPORT int __wrap_statx(int directory, const char* path, int flags, unsigned mask,
                               struct statx* result) {
  return named_call_at(Kind::look_up, directory, path,
                       [&](int real, const char* name) { return statx(real, name, flags, mask, result); });
}
MPISIM_EXPORT int __wrap_faccessat(int directory, const char* path, int mode, int flags) {
  return named_call_at(Kind::look_up, directory, path,
                       [&](int real, const char* name) { return faccessat(real, name, mode, flags); });
}
MPISIM_EXPORT int __wrap_fchmodat(int directory, const char* path, mode_t mode, int flags) {
  return named_call_at(Kind::look_up, directory, path,
                       [&](int real, const char* name) { return fchmodat(real, name, mode, flags); });
}
MPISIM_EXPORT ssize_t __wrap_readlinkat(int directory, const char* path, char* buffer, size_t size) {
  return named_call_at(Kind::look_up, directory, path,
                       [&](int real, const char* name) { return readlinkat(real, name, buffer, size); });
}
MPISIM_EXPORT int __wrap_utimensat(int directory, const char* path, const timespec* times, int flags) {
  return named_call_at(Kind::look_up, directory, path,
                       [&](int real, const char* name) { return utimensat(real, name, times, flags); });
}
MPISIM_EXPORT int __wrap_unlinkat(int directory, const char* path, int flags) {
  return named_call_at(Kind::remove, directory, path,
                       [&](int real, const char* name) { return unlinkat(real, name, flags); });
}
MPISIM_EXPORT int __wrap_mkdirat(int directory, const char* path, mode_t mode) {
  return named_call_at(Kind::make, directory, path, [&](int real, const char* name) {
    const RankMask mask;
    return mkdirat(real, name, mode);
  });
}

namespace {

// A name for the host's C library, and the whole of it for the simulation.
struct NameAt {
  NameAt(int number, const char* path)
      : directory(real_directory(number)), complete(path), name(complete.c_str()) {
    if (directory == AT_FDCWD || path == nullptr || *path == '/') {
      whole = path == nullptr ? "" : name;
    } else {
      name = path;
      whole = path_in(directory, path);
    }
  }
  int directory;
  RankPath complete;
  const char* name;
  std::string whole;
};

int rename_at(const NameAt& from, const NameAt& to, unsigned flags) {
  FileCall call(current_environment());
  const int result = renameat2(from.directory, from.name, to.directory, to.name, flags);
  call.named(Kind::rename, from.whole.c_str(), to.whole.c_str());
  return result;
}

}  // namespace

MPISIM_EXPORT int __wrap_renameat2(int from_directory, const char* from, int to_directory, const char* to,
                                   unsigned flags) {
  return rename_at(NameAt(from_directory, from), NameAt(to_directory, to), flags);
}
MPISIM_EXPORT int __wrap_renameat(int from_directory, const char* from, int to_directory, const char* to) {
  return __wrap_renameat2(from_directory, from, to_directory, to, 0);
}
MPISIM_EXPORT int __wrap_linkat(int from_directory, const char* from, int to_directory, const char* to,
                                int flags) {
  const NameAt source(from_directory, from);
  return named_call_at(Kind::make, to_directory, to, [&](int real, const char* name) {
    return linkat(source.directory, source.name, real, name, flags);
  });
}
MPISIM_EXPORT int __wrap_symlinkat(const char* text, int directory, const char* path) {
  return named_call_at(Kind::make, directory, path,
                       [&](int real, const char* name) { return symlinkat(text, real, name); });
}

MPISIM_EXPORT int __wrap_fchownat(int directory, const char* path, uid_t owner, gid_t group, int flags) {
  return named_call_at(Kind::look_up, directory, path,
                       [&](int real, const char* name) { return fchownat(real, name, owner, group, flags); });
}
MPISIM_EXPORT int __wrap_futimesat(int directory, const char* path, const timeval times[2]) {
  return named_call_at(Kind::look_up, directory, path,
                       [&](int real, const char* name) { return futimesat(real, name, times); });
}
MPISIM_EXPORT int __wrap_mkfifoat(int directory, const char* path, mode_t mode) {
  return named_call_at(Kind::make, directory, path, [&](int real, const char* name) {
    const RankMask mask;
    return mkfifoat(real, name, mode);
  });
}
MPISIM_EXPORT int __wrap_mknodat(int directory, const char* path, mode_t mode, dev_t device) {
  return named_call_at(Kind::make, directory, path, [&](int real, const char* name) {
    const RankMask mask;
    return mknodat(real, name, mode, device);
  });
}
MPISIM_EXPORT int __wrap_mknod(const char* path, mode_t mode, dev_t device) {
  return __wrap_mknodat(AT_FDCWD, path, mode, device);
}
MPISIM_EXPORT ssize_t __wrap___readlinkat_chk(int directory, const char* path, char* buffer, size_t size,
                                              size_t) {
  return __wrap_readlinkat(directory, path, buffer, size);
}
namespace {

// Charged behind it, since it runs functions of the program, which compute and use files themselves.
template <class Scan>
int scan_at(int directory, const char* path, Scan operation) {
  const NameAt at(directory, path);
  const int entries = operation(at.directory, at.name);
  FileCall call(current_environment());
  call.named(Kind::look_up, at.whole.c_str());
  return entries;
}

}  // namespace

MPISIM_EXPORT int __wrap_scandirat(int directory, const char* path, dirent*** list,
                                   int (*select)(const dirent*),
                                   int (*compare)(const dirent**, const dirent**)) {
  return scan_at(directory, path,
                 [&](int real, const char* name) { return scandirat(real, name, list, select, compare); });
}
MPISIM_EXPORT int __wrap_scandirat64(int directory, const char* path, dirent64*** list,
                                     int (*select)(const dirent64*),
                                     int (*compare)(const dirent64**, const dirent64**)) {
  return scan_at(directory, path,
                 [&](int real, const char* name) { return scandirat64(real, name, list, select, compare); });
}
