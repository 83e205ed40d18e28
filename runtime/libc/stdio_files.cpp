// Opening, reopening and naming streams of files. What a rank opens is a stream of its own (streams.hpp).
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>

#include "runtime/export.hpp"
#include "runtime/libc/descriptors.hpp"
#include "runtime/libc/directories.hpp"
#include "runtime/libc/opening.hpp"
#include "runtime/libc/streams.hpp"

using namespace mpisim::runtime;

namespace {

constexpr mode_t everyone_may = 0666;  // less the umask

int open_file(const char* path, const char* mode) {
  const int flags = open_flags(mode);
  return flags < 0 ? -1 : open_number(AT_FDCWD, path, flags, everyone_may);
}

}  // namespace

MPISIM_EXPORT FILE* __wrap_fopen(const char* path, const char* mode) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return fopen(path, mode);
  const int descriptor = open_file(path, mode);
  if (descriptor < 0) return nullptr;
  FILE* const stream = open_stream(*rank, descriptor, mode);
  if (stream == nullptr) rank_close(*rank, descriptor);
  return stream;
}
MPISIM_EXPORT FILE* __wrap_fopen64(const char* path, const char* mode) {
  return __wrap_fopen(path, mode);
}

MPISIM_EXPORT FILE* __wrap_fdopen(int descriptor, const char* mode) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return fdopen(descriptor, mode);
  if (descriptor_meaning(*rank, descriptor) == DescriptorState::closed) {
    errno = EBADF;
    return nullptr;
  }
  return open_flags(mode) < 0 ? nullptr : open_stream(*rank, descriptor, mode);
}

MPISIM_EXPORT FILE* __wrap_freopen(const char* path, const char* mode, FILE* file) {
  RankEnvironment* const rank = current_environment();
  RankStream* const stream = rank == nullptr ? nullptr : find_stream(*rank, file);
  if (stream == nullptr) return freopen(path == nullptr ? nullptr : RankPath(path).c_str(), mode, file);
  if (path == nullptr) {  // only the mode changes
    if (open_flags(mode) < 0) return nullptr;
    reconnect(*stream, stream_descriptor(*rank, file), mode);
    return file;
  }
  const int descriptor = open_file(path, mode);
  if (descriptor < 0) {
    const int error = errno;
    fclose(file);
    errno = error;
    return nullptr;
  }
  reconnect(*stream, descriptor, mode);
  return file;
}
MPISIM_EXPORT FILE* __wrap_freopen64(const char* path, const char* mode, FILE* file) {
  return __wrap_freopen(path, mode, file);
}

MPISIM_EXPORT FILE* __wrap_tmpfile(void) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return tmpfile();
  char path[] = "/tmp/mpisim-XXXXXX";
  const int real = mkostemp(path, O_CLOEXEC);
  if (real < 0) return nullptr;
  unlink(path);
  const int descriptor = give_number(real);
  return descriptor < 0 ? nullptr : open_stream(*rank, descriptor, "w+");
}
MPISIM_EXPORT FILE* __wrap_tmpfile64(void) {
  return __wrap_tmpfile();
}

MPISIM_EXPORT int __wrap_fileno(FILE* file) {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? fileno(file) : stream_descriptor(*rank, file);
}
MPISIM_EXPORT int __wrap_fileno_unlocked(FILE* file) {
  return __wrap_fileno(file);
}

MPISIM_EXPORT int __wrap_fcloseall(void) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return fcloseall();
  close_streams(rank->libc());
  return 0;
}
