#include "runtime/libc/descriptors.hpp"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "runtime/export.hpp"
#include "runtime/libc/diagnostics.hpp"
#include "runtime/libc/file_use.hpp"
#include "runtime/libc/streams.hpp"

namespace mpisim::runtime {
namespace {

// Rank 0 reads the standard input of the command, the others find its end, as under mpirun.
ssize_t read_standard_input(RankEnvironment& rank, void* data, std::size_t size) {
  return rank.services().world_rank() == 0 ? ::read(0, data, size) : 0;
}

int bad_descriptor() {
  errno = EBADF;
  return -1;
}

// A descriptor number that is taken in the host process, to stand for a standard stream.
int reserve_descriptor() {
  return ::open("/dev/null", O_RDWR | O_CLOEXEC);
}

// Makes `descriptor` stand for what `meaning` stands for now.
void redirect(RankEnvironment& rank, int descriptor, int meaning) {
  auto& table = rank.libc().part<DescriptorState>().meaning;
  if (descriptor == meaning)
    table.erase(descriptor);
  else
    table[descriptor] = meaning;
}

int duplicate(RankEnvironment& rank, int from, int minimum) {
  const int meaning = descriptor_meaning(rank, from);
  if (meaning == DescriptorState::closed) return bad_descriptor();
  const int source = meaning > 2 ? meaning : reserve_descriptor();
  const int copy = ::fcntl(source, F_DUPFD, minimum < 3 ? 3 : minimum);
  if (meaning <= 2) {
    ::close(source);
    if (copy >= 0) redirect(rank, copy, meaning);
  }
  return copy;
}

int duplicate_to(RankEnvironment& rank, int from, int to, int flags) {
  const int meaning = descriptor_meaning(rank, from);
  if (meaning == DescriptorState::closed || to < 0) return bad_descriptor();
  if (from == to) return to;
  if (to <= 2) {
    FILE* const stream = existing_standard_stream(rank, to);
    if (stream != nullptr) fflush(stream);
    rank_close(rank, to);
    redirect(rank, to, meaning > 2 ? ::fcntl(meaning, F_DUPFD_CLOEXEC, 3) : meaning);
    return to;
  }
  const int source = meaning > 2 ? meaning : reserve_descriptor();
  const int result = ::dup3(source, to, flags);
  if (meaning <= 2) {
    ::close(source);
    if (result >= 0) redirect(rank, to, meaning);
  } else if (DescriptorState* const state = rank.libc().existing<DescriptorState>()) {
    state->meaning.erase(to);
  }
  return result;
}

}  // namespace

DescriptorState::~DescriptorState() {
  for (const auto& [descriptor, target] : meaning) {
    if (descriptor <= 2 && target > 2)
      ::close(target);
    else if (descriptor > 2)
      ::close(descriptor);
  }
}

int descriptor_meaning(RankEnvironment& rank, int descriptor) {
  if (descriptor < 0) return DescriptorState::closed;
  int meaning = descriptor;
  const LibcState* const libc = rank.existing_libc();
  if (const DescriptorState* const state = libc == nullptr ? nullptr : libc->existing<DescriptorState>()) {
    const auto found = state->meaning.find(descriptor);
    if (found != state->meaning.end()) meaning = found->second;
  }
  if (meaning > 2) rank.services().settle_files();
  return meaning;
}

ssize_t rank_read(RankEnvironment& rank, int descriptor, void* data, std::size_t size) {
  const int meaning = descriptor_meaning(rank, descriptor);
  if (meaning == 0) return read_standard_input(rank, data, size);
  if (meaning <= 2) return bad_descriptor();
  FileCall call(&rank);
  return call.moved(meaning, false, ::read(meaning, data, size));
}

ssize_t rank_write(RankEnvironment& rank, int descriptor, const void* data, std::size_t size) {
  const int meaning = descriptor_meaning(rank, descriptor);
  if (meaning == 1 || meaning == 2) {
    rank.services().write_output(meaning, static_cast<const char*>(data), size);
    return static_cast<ssize_t>(size);
  }
  if (meaning <= 0) return bad_descriptor();
  FileCall call(&rank);
  return call.moved(meaning, true, ::write(meaning, data, size));
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int rank_close(RankEnvironment& rank, int descriptor) {
  const int meaning = descriptor_meaning(rank, descriptor);
  if (meaning == DescriptorState::closed) return bad_descriptor();
  FileCall call(&rank);
  if (meaning > 2) call.closes(meaning);
  if (descriptor > 2) {
    if (meaning != descriptor) rank.libc().part<DescriptorState>().meaning.erase(descriptor);
    return ::close(descriptor);
  }
  if (meaning > 2) ::close(meaning);
  redirect(rank, descriptor, DescriptorState::closed);
  return 0;
}

}  // namespace mpisim::runtime

using namespace mpisim::runtime;

MPISIM_EXPORT ssize_t __wrap_read(int descriptor, void* data, size_t size) {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? read(descriptor, data, size) : rank_read(*rank, descriptor, data, size);
}

MPISIM_EXPORT ssize_t __wrap_write(int descriptor, const void* data, size_t size) {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? write(descriptor, data, size) : rank_write(*rank, descriptor, data, size);
}

MPISIM_EXPORT ssize_t __wrap___read_chk(int descriptor, void* data, size_t size, size_t) {
  return __wrap_read(descriptor, data, size);
}

namespace {

// Scattered accesses go piece by piece until one falls short.
template <class Access>
ssize_t each_piece(const iovec* pieces, int count, Access access) {
  ssize_t total = 0;
  for (int i = 0; i < count; ++i) {
    const ssize_t done = access(pieces[i].iov_base, pieces[i].iov_len);
    if (done < 0) return total > 0 ? total : done;
    total += done;
    if (static_cast<size_t>(done) < pieces[i].iov_len) break;
  }
  return total;
}

// Calls that need a position: standard streams have none.
template <class Call>
auto positioned(int descriptor, Call call) {
  RankEnvironment* const rank = current_environment();
  const int meaning = rank == nullptr ? descriptor : descriptor_meaning(*rank, descriptor);
  if (rank != nullptr && meaning <= 2) {
    errno = meaning < 0 ? EBADF : ESPIPE;
    return static_cast<decltype(call(meaning))>(-1);
  }
  return call(meaning);
}

template <class Access>
ssize_t access_at(int descriptor, bool write, off_t offset, Access access) {
  return positioned(descriptor, [&](int real) {
    FileCall call(current_environment());
    return call.moved_at(real, write, access(real), offset);
  });
}

// Operations that name a descriptor but move no data: on what it stands for.
template <class Operation>
auto on_meaning(int descriptor, Operation operation) {
  RankEnvironment* const rank = current_environment();
  return operation(rank == nullptr ? descriptor : descriptor_meaning(*rank, descriptor));
}

}  // namespace

MPISIM_EXPORT ssize_t __wrap_readv(int descriptor, const iovec* pieces, int count) {
  if (current_environment() == nullptr) return readv(descriptor, pieces, count);
  return each_piece(pieces, count,
                    [&](void* data, size_t size) { return __wrap_read(descriptor, data, size); });
}

MPISIM_EXPORT ssize_t __wrap_writev(int descriptor, const iovec* pieces, int count) {
  if (current_environment() == nullptr) return writev(descriptor, pieces, count);
  return each_piece(pieces, count,
                    [&](void* data, size_t size) { return __wrap_write(descriptor, data, size); });
}

MPISIM_EXPORT ssize_t __wrap_pread(int descriptor, void* data, size_t size, off_t offset) {
  return access_at(descriptor, false, offset, [&](int real) { return pread(real, data, size, offset); });
}
MPISIM_EXPORT ssize_t __wrap_pread64(int descriptor, void* data, size_t size, off_t offset) {
  return __wrap_pread(descriptor, data, size, offset);
}
MPISIM_EXPORT ssize_t __wrap___pread_chk(int descriptor, void* data, size_t size, off_t offset, size_t) {
  return __wrap_pread(descriptor, data, size, offset);
}
MPISIM_EXPORT ssize_t __wrap___pread64_chk(int descriptor, void* data, size_t size, off_t offset, size_t) {
  return __wrap_pread(descriptor, data, size, offset);
}
MPISIM_EXPORT ssize_t __wrap_pwrite(int descriptor, const void* data, size_t size, off_t offset) {
  return access_at(descriptor, true, offset, [&](int real) { return pwrite(real, data, size, offset); });
}
MPISIM_EXPORT ssize_t __wrap_pwrite64(int descriptor, const void* data, size_t size, off_t offset) {
  return __wrap_pwrite(descriptor, data, size, offset);
}

MPISIM_EXPORT off_t __wrap_lseek(int descriptor, off_t offset, int whence) {
  return positioned(descriptor, [&](int real) { return lseek(real, offset, whence); });
}

MPISIM_EXPORT off64_t __wrap_lseek64(int descriptor, off64_t offset, int whence) {
  return __wrap_lseek(descriptor, offset, whence);
}

MPISIM_EXPORT int __wrap_vdprintf(int descriptor, const char* format, va_list arguments) {
  if (current_environment() == nullptr) return vdprintf(descriptor, format, arguments);
  char* text = nullptr;
  const int size = vasprintf(&text, format, arguments);
  if (size < 0) return size;
  const ssize_t written = __wrap_write(descriptor, text, static_cast<size_t>(size));
  free(text);
  return written < 0 ? -1 : size;
}

MPISIM_EXPORT int __wrap_dprintf(int descriptor, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = __wrap_vdprintf(descriptor, format, arguments);
  va_end(arguments);
  return result;
}

MPISIM_EXPORT int __wrap___dprintf_chk(int descriptor, int, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int result = __wrap_vdprintf(descriptor, format, arguments);
  va_end(arguments);
  return result;
}

MPISIM_EXPORT int __wrap___vdprintf_chk(int descriptor, int, const char* format, va_list arguments) {
  return __wrap_vdprintf(descriptor, format, arguments);
}

MPISIM_EXPORT int __wrap_close(int descriptor) {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? close(descriptor) : rank_close(*rank, descriptor);
}

MPISIM_EXPORT int __wrap_dup(int descriptor) {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? dup(descriptor) : duplicate(*rank, descriptor, 3);
}

MPISIM_EXPORT int __wrap_dup2(int from, int to) {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? dup2(from, to) : duplicate_to(*rank, from, to, 0);
}

MPISIM_EXPORT int __wrap_dup3(int from, int to, int flags) {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? dup3(from, to, flags) : duplicate_to(*rank, from, to, flags);
}

// A rank's standard streams are no terminals, as under mpirun.
MPISIM_EXPORT int __wrap_isatty(int descriptor) {
  return on_meaning(descriptor, [](int real) {
    if (current_environment() == nullptr || real > 2) return isatty(real);
    errno = real < 0 ? EBADF : ENOTTY;
    return 0;
  });
}

MPISIM_EXPORT char* __wrap_ttyname(int descriptor) {
  return __wrap_isatty(descriptor) ? on_meaning(descriptor, [](int real) { return ttyname(real); }) : nullptr;
}

namespace {

// What `tell` says of the call, which was made on a real descriptor, unless it failed.
template <class Operation>
int about_file(int descriptor, void (FileCall::*tell)(int), Operation operation) {
  return on_meaning(descriptor, [&](int real) {
    FileCall call(current_environment());
    const int result = operation(real);
    if (result == 0 && real > 2) (call.*tell)(real);
    return result;
  });
}

}  // namespace

MPISIM_EXPORT int __wrap_fstat(int descriptor, struct stat* result) {
  return about_file(descriptor, &FileCall::asked, [&](int real) { return fstat(real, result); });
}
MPISIM_EXPORT int __wrap_fstat64(int descriptor, struct stat64* result) {
  return about_file(descriptor, &FileCall::asked, [&](int real) { return fstat64(real, result); });
}
MPISIM_EXPORT int __wrap_fsync(int descriptor) {
  return about_file(descriptor, &FileCall::synced, [](int real) { return fsync(real); });
}
MPISIM_EXPORT int __wrap_fdatasync(int descriptor) {
  return about_file(descriptor, &FileCall::synced, [](int real) { return fdatasync(real); });
}
MPISIM_EXPORT int __wrap_ftruncate(int descriptor, off_t size) {
  return about_file(descriptor, &FileCall::asked, [&](int real) { return ftruncate(real, size); });
}
MPISIM_EXPORT int __wrap_ftruncate64(int descriptor, off_t size) {
  return __wrap_ftruncate(descriptor, size);
}
MPISIM_EXPORT int __wrap_fchmod(int descriptor, mode_t mode) {
  return about_file(descriptor, &FileCall::asked, [&](int real) { return fchmod(real, mode); });
}
MPISIM_EXPORT int __wrap_fchown(int descriptor, uid_t owner, gid_t group) {
  return about_file(descriptor, &FileCall::asked, [&](int real) { return fchown(real, owner, group); });
}
MPISIM_EXPORT int __wrap_futimens(int descriptor, const timespec* times) {
  return about_file(descriptor, &FileCall::asked, [&](int real) { return futimens(real, times); });
}
