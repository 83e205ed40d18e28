#include "runtime/libc/opening.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "runtime/libc/descriptor_table.hpp"
#include "runtime/libc/directories.hpp"
#include "runtime/libc/named_calls.hpp"
#include "runtime/libc/waiting.hpp"

namespace mpisim::runtime {
namespace {

bool is_named_pipe(int directory, const char* path) {
  struct stat about{};
  const int error = errno;
  const bool found = ::fstatat(directory, path, &about, 0) == 0;
  errno = error;
  return found && S_ISFIFO(about.st_mode);
}

// A named pipe opens when its other end does. Whoever writes waits for a reader; who reads needs not wait
// here, since its first read waits for data.
int open_named_pipe(RankEnvironment& rank, int directory, const char* path, int flags) {
  int real = -1;
  wait_until(rank, [&] {
    real = ::openat(directory, path, flags | O_NONBLOCK);
    return real >= 0 || errno != ENXIO;
  });
  if (real >= 0) ::fcntl(real, F_SETFL, flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_NOCTTY | O_CLOEXEC));
  return real;
}

int open_real(RankEnvironment& rank, int directory, const char* path, int flags, mode_t mode) {
  const RankPath complete(path);
  const bool in_directory = directory != AT_FDCWD && path != nullptr && *path != '/';
  const char* const name = in_directory ? path : complete.c_str();
  flags |= O_CLOEXEC;
  if ((flags & (O_NONBLOCK | O_PATH)) == 0 && name != nullptr && is_named_pipe(directory, name))
    return open_named_pipe(rank, directory, name, flags);
  const std::string whole = in_directory ? path_in(directory, name) : std::string();
  FileCall call(&rank);
  const int real = [&] {
    const RankMask mask;
    return ::openat(directory, name, flags, mode);
  }();
  return call.opened(real, in_directory ? whole.c_str() : complete.c_str());
}

}  // namespace

int open_number(int directory, const char* path, int flags, mode_t mode) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return ::openat(directory, path, flags, mode);
  raise_descriptor_limit();
  const bool close_on_exec = (flags & O_CLOEXEC) != 0;
  // The rank's standard streams have no name that the host knows.
  const int number = number_in_path(path);
  const int meaning = number >= 0 ? descriptor_meaning(*rank, number) : DescriptorState::closed;
  if (meaning >= 0 && meaning <= 2) return duplicate_descriptor(*rank, number, 0, close_on_exec);
  return give_number(open_real(*rank, real_directory(directory), path, flags, mode), close_on_exec);
}

}  // namespace mpisim::runtime
