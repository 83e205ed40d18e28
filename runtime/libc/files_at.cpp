// Functions that name a file by a directory's descriptor and a path, beyond those of files.cpp: only AT_FDCWD
// means the working directory of the rank.
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "runtime/export.hpp"
#include "runtime/libc/descriptor_table.hpp"
#include "runtime/libc/directories.hpp"

using namespace mpisim::runtime;

namespace {

// A path at a directory, for the duration of one call.
class PathAt {
 public:
  PathAt(int directory, const char* path)
      : directory_(real_directory(directory)),
        complete_(path),
        path_(directory == AT_FDCWD ? complete_.c_str() : path) {}
  int directory() const { return directory_; }
  const char* path() const { return path_; }

 private:
  int directory_;
  RankPath complete_;
  const char* path_;
};

}  // namespace

MPISIM_EXPORT int __wrap_fchmodat(int directory, const char* path, mode_t mode, int flags) {
  const PathAt at(directory, path);
  return fchmodat(at.directory(), at.path(), mode, flags);
}
MPISIM_EXPORT int __wrap_fchownat(int directory, const char* path, uid_t owner, gid_t group, int flags) {
  const PathAt at(directory, path);
  return fchownat(at.directory(), at.path(), owner, group, flags);
}
MPISIM_EXPORT int __wrap_futimesat(int directory, const char* path, const timeval times[2]) {
  const PathAt at(directory, path);
  return futimesat(at.directory(), at.path(), times);
}
MPISIM_EXPORT int __wrap_statx(int directory, const char* path, int flags, unsigned wanted,
                               struct statx* result) {
  const PathAt at(directory, path);
  return statx(at.directory(), at.path(), flags, wanted, result);
}
MPISIM_EXPORT int __wrap_linkat(int from_directory, const char* from, int to_directory, const char* to,
                                int flags) {
  const PathAt at(from_directory, from);
  const PathAt target(to_directory, to);
  return linkat(at.directory(), at.path(), target.directory(), target.path(), flags);
}
MPISIM_EXPORT int __wrap_renameat2(int from_directory, const char* from, int to_directory, const char* to,
                                   unsigned flags) {
  const PathAt at(from_directory, from);
  const PathAt target(to_directory, to);
  return renameat2(at.directory(), at.path(), target.directory(), target.path(), flags);
}
// The text of a symbolic link is not a path of this moment.
MPISIM_EXPORT int __wrap_symlinkat(const char* text, int directory, const char* path) {
  const PathAt at(directory, path);
  return symlinkat(text, at.directory(), at.path());
}
MPISIM_EXPORT int __wrap_mkfifoat(int directory, const char* path, mode_t mode) {
  const PathAt at(directory, path);
  const RankMask mask;
  return mkfifoat(at.directory(), at.path(), mode);
}
MPISIM_EXPORT int __wrap_mknodat(int directory, const char* path, mode_t mode, dev_t device) {
  const PathAt at(directory, path);
  const RankMask mask;
  return mknodat(at.directory(), at.path(), mode, device);
}
MPISIM_EXPORT int __wrap_mknod(const char* path, mode_t mode, dev_t device) {
  return __wrap_mknodat(AT_FDCWD, path, mode, device);
}
MPISIM_EXPORT ssize_t __wrap___readlinkat_chk(int directory, const char* path, char* buffer, size_t size,
                                              size_t) {
  const PathAt at(directory, path);
  return readlinkat(at.directory(), at.path(), buffer, size);
}
MPISIM_EXPORT int __wrap_scandirat(int directory, const char* path, dirent*** list,
                                   int (*select)(const dirent*),
                                   int (*compare)(const dirent**, const dirent**)) {
  const PathAt at(directory, path);
  return scandirat(at.directory(), at.path(), list, select, compare);
}
MPISIM_EXPORT int __wrap_scandirat64(int directory, const char* path, dirent64*** list,
                                     int (*select)(const dirent64*),
                                     int (*compare)(const dirent64**, const dirent64**)) {
  const PathAt at(directory, path);
  return scandirat64(at.directory(), at.path(), list, select, compare);
}
