#include "runtime/libc/descriptors.hpp"

#include <fcntl.h>
#include <stdarg.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>

#include "runtime/export.hpp"
#include "runtime/libc/file_use.hpp"
#include "runtime/libc/waiting.hpp"

namespace mpisim::runtime {
namespace {

// Rank 0 reads the standard input of the command, the others find its end, as under mpirun.
ssize_t read_standard_input(RankEnvironment& rank, void* data, std::size_t size) {
  if (rank.services().world_rank() != 0) return 0;
  return await_ready(rank, STDIN_FILENO, POLLIN) ? ::read(STDIN_FILENO, data, size) : -1;
}

int bad_descriptor() {
  errno = EBADF;
  return -1;
}

// One write that does not block once the descriptor is ready: a pipe takes so much then.
ssize_t write_part(int real, const char* data, std::size_t size) {
  const ssize_t sent = ::send(real, data, size, MSG_DONTWAIT);
  if (sent >= 0 || errno != ENOTSOCK) return sent;
  return ::write(real, data, size < PIPE_BUF ? size : PIPE_BUF);
}

// A write that blocks goes on until everything is written, and others go on between the parts.
ssize_t write_in_parts(RankEnvironment& rank, int real, const char* data, std::size_t size) {
  return write_all_parts(rank, real, size, [&](std::size_t done) {
    const FileCall call(&rank);
    return write_part(real, data + done, size - done);
  });
}

}  // namespace

ssize_t rank_read(RankEnvironment& rank, int descriptor, void* data, std::size_t size) {
  const int meaning = descriptor_meaning(rank, descriptor);
  if (meaning == 0) return read_standard_input(rank, data, size);
  if (meaning <= 2) return bad_descriptor();
  if (!await_ready(rank, meaning, POLLIN)) return -1;
  const ssize_t found = [&] {
    FileCall call(&rank);
    return call.moved(meaning, false, ::read(meaning, data, size));
  }();
  if (found < 0 && errno == EAGAIN) look_again_later(rank);
  return found;
}

ssize_t rank_write(RankEnvironment& rank, int descriptor, const void* data, std::size_t size) {
  const int meaning = descriptor_meaning(rank, descriptor);
  if (meaning == 1 || meaning == 2) {
    rank.services().write_output(meaning, static_cast<const char*>(data), size);
    return static_cast<ssize_t>(size);
  }
  if (meaning <= 0) return bad_descriptor();
  if (may_block(meaning)) return write_in_parts(rank, meaning, static_cast<const char*>(data), size);
  FileCall call(&rank);
  return call.moved(meaning, true, ::write(meaning, data, size));
}

int give_pair(const int (&real)[2], int ends[2], bool close_on_exec) {
  const int numbers[2] = {give_number(real[0], close_on_exec), give_number(real[1], close_on_exec)};
  if (numbers[0] >= 0 && numbers[1] >= 0) {
    ends[0] = numbers[0];
    ends[1] = numbers[1];
    return 0;
  }
  const int error = errno;
  for (const int number : numbers)
    if (number >= 0) rank_close(*current_environment(), number);
  errno = error;
  return -1;
}

int rank_close(RankEnvironment& rank, int descriptor) {
  const int meaning = descriptor_meaning(rank, descriptor);
  if (meaning == DescriptorState::closed) return bad_descriptor();
  FileCall call(&rank);
  if (meaning > 2) call.closes(meaning);
  const DescriptorState::Entry entry = rank.libc().part<DescriptorState>().remove(descriptor);
  // A stream of a directory closes its own.
  return entry.meaning > 2 && entry.directory == nullptr ? ::close(entry.meaning) : 0;
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

}  // namespace

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
  return rank == nullptr ? dup(descriptor) : duplicate_descriptor(*rank, descriptor);
}

MPISIM_EXPORT int __wrap_dup2(int from, int to) {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? dup2(from, to) : duplicate_descriptor_to(*rank, from, to);
}

MPISIM_EXPORT int __wrap_dup3(int from, int to, int flags) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return dup3(from, to, flags);
  if (from == to || (flags & ~O_CLOEXEC) != 0) {
    errno = EINVAL;
    return -1;
  }
  return duplicate_descriptor_to(*rank, from, to, flags != 0);
}

MPISIM_EXPORT int __wrap_close_range(unsigned first, unsigned last, int flags) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return close_range(first, last, flags);
  if (first > last || (flags & ~static_cast<int>(CLOSE_RANGE_CLOEXEC | CLOSE_RANGE_UNSHARE)) != 0) {
    errno = EINVAL;
    return -1;
  }
  DescriptorState& state = rank->libc().part<DescriptorState>();
  for (std::size_t number = first; number < state.entries.size() && number <= last; ++number) {
    DescriptorState::Entry& entry = state.entries[number];
    if ((static_cast<unsigned>(flags) & CLOSE_RANGE_CLOEXEC) != 0)
      entry.close_on_exec = true;
    else if (entry.meaning != DescriptorState::closed)
      rank_close(*rank, static_cast<int>(number));
  }
  return 0;
}

MPISIM_EXPORT void __wrap_closefrom(int first) {
  if (current_environment() == nullptr)
    closefrom(first);
  else
    __wrap_close_range(first < 0 ? 0 : static_cast<unsigned>(first), UINT_MAX, 0);
}
