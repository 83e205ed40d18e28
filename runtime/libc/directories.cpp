#include "runtime/libc/directories.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "runtime/export.hpp"
#include "runtime/libc/descriptor_table.hpp"

namespace mpisim::runtime {
namespace {

const DirectoryState* existing_directory() {
  RankEnvironment* const rank = current_environment();
  const LibcState* const libc = rank == nullptr ? nullptr : rank->existing_libc();
  return libc == nullptr ? nullptr : libc->existing<DirectoryState>();
}

// Null unless the current rank changed its directory.
const std::string* changed_directory() {
  const DirectoryState* const state = existing_directory();
  return state == nullptr || state->working_directory.empty() ? nullptr : &state->working_directory;
}

}  // namespace

RankPath::RankPath(const char* path) : path_(path) {
  if (RankEnvironment* const rank = current_environment()) rank->services().settle_files();
  if (const int number = number_in_path(path); number >= 0 && current_environment() != nullptr) {
    completed_ = "/proc/self/fd/" + std::to_string(real_descriptor(number));
    path_ = completed_.c_str();
    return;
  }
  const std::string* const directory = changed_directory();
  if (directory == nullptr || path == nullptr || *path == '/' || *path == '\0') return;
  completed_ = *directory + "/" + path;
  path_ = completed_.c_str();
}

std::string resolve_path(const char* path) {
  return RankPath(path).c_str();
}

RankMask::RankMask() {
  const DirectoryState* const state = existing_directory();
  if (state != nullptr && state->mask >= 0)
    before_ = static_cast<int>(umask(static_cast<mode_t>(state->mask)));
}
RankMask::~RankMask() {
  if (before_ >= 0) umask(static_cast<mode_t>(before_));
}

ScopedWorkingDirectory::ScopedWorkingDirectory() {
  const std::string* const directory = changed_directory();
  if (directory == nullptr) return;
  before_ = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (chdir(directory->c_str()) != 0) {
    close(before_);
    before_ = -1;
  }
}
ScopedWorkingDirectory::~ScopedWorkingDirectory() {
  if (before_ < 0) return;
  const int error = errno;
  if (fchdir(before_) != 0) std::abort();  // the simulator's own directory cannot have vanished for it
  close(before_);
  errno = error;
}

ScopedWorkingDirectory::Interval::Interval(const ScopedWorkingDirectory& scope) {
  if (scope.before_ < 0) return;
  inside_ = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fchdir(scope.before_) != 0) std::abort();
}
ScopedWorkingDirectory::Interval::~Interval() {
  if (inside_ < 0) return;
  const int error = errno;
  if (fchdir(inside_) != 0) std::abort();  // it is open, so it is there
  close(inside_);
  errno = error;
}

}  // namespace mpisim::runtime

using namespace mpisim::runtime;

MPISIM_EXPORT int __wrap_chdir(const char* path) {
  DirectoryState* const state = current_part<DirectoryState>();
  if (state == nullptr) return chdir(path);
  if (path == nullptr) {
    errno = EFAULT;
    return -1;
  }
  char* const real = realpath(RankPath(path), nullptr);
  if (real == nullptr) return -1;
  const std::string directory = real;
  free(real);
  struct stat status;
  if (stat(directory.c_str(), &status) != 0) return -1;
  if (!S_ISDIR(status.st_mode)) {
    errno = ENOTDIR;
    return -1;
  }
  if (access(directory.c_str(), X_OK) != 0) return -1;
  state->working_directory = directory;
  return 0;
}

MPISIM_EXPORT int __wrap_fchdir(int descriptor) {
  if (current_environment() == nullptr) return fchdir(descriptor);
  char path[PATH_MAX];
  const std::string link = "/proc/self/fd/" + std::to_string(real_descriptor(descriptor));
  const ssize_t size = readlink(link.c_str(), path, sizeof path - 1);
  if (size < 0) {
    errno = EBADF;
    return -1;
  }
  path[size] = '\0';
  return __wrap_chdir(path);
}

MPISIM_EXPORT char* __wrap_getcwd(char* buffer, size_t size) {
  const std::string* const directory = changed_directory();
  if (directory == nullptr) return getcwd(buffer, size);
  if (buffer == nullptr) {
    if (size == 0) size = directory->size() + 1;
    if (size <= directory->size()) {
      errno = ERANGE;
      return nullptr;
    }
    buffer = static_cast<char*>(malloc(size));
    if (buffer == nullptr) return nullptr;
  }
  if (size <= directory->size()) {
    errno = size == 0 ? EINVAL : ERANGE;
    return nullptr;
  }
  std::memcpy(buffer, directory->c_str(), directory->size() + 1);
  return buffer;
}

MPISIM_EXPORT char* __wrap___getcwd_chk(char* buffer, size_t size, size_t) {
  return __wrap_getcwd(buffer, size);
}

MPISIM_EXPORT char* __wrap_getwd(char* buffer) {
  return __wrap_getcwd(buffer, PATH_MAX);
}

MPISIM_EXPORT char* __wrap_get_current_dir_name(void) {
  return __wrap_getcwd(nullptr, 0);
}

MPISIM_EXPORT mode_t __wrap_umask(mode_t mask) {
  DirectoryState* const state = current_part<DirectoryState>();
  if (state == nullptr) return umask(mask);
  int before = state->mask;
  if (before < 0) {
    before = static_cast<int>(umask(0));
    umask(static_cast<mode_t>(before));
  }
  state->mask = static_cast<int>(mask & 0777);
  return static_cast<mode_t>(before);
}
