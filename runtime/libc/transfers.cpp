// Calls that move data from one descriptor to another.
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include "runtime/export.hpp"
#include "runtime/libc/descriptors.hpp"
#include "runtime/libc/file_use.hpp"
#include "runtime/libc/waiting.hpp"

using namespace mpisim::runtime;

namespace {

bool is_standard(RankEnvironment& rank, int number) {
  const int meaning = descriptor_meaning(rank, number);
  return meaning >= 0 && meaning <= 2;
}

// Through a buffer: for standard streams, which no call of the host can reach. `at`: where the input is read,
// or null for its position.
ssize_t copy_through_buffer(RankEnvironment& rank, int to, int from, off_t* at, size_t size) {
  std::array<char, 1 << 14> buffer;
  size_t total = 0;
  while (total < size) {
    const size_t wanted = std::min(size - total, buffer.size());
    const ssize_t found = at == nullptr ? rank_read(rank, from, buffer.data(), wanted)
                                        : pread(real_descriptor(from), buffer.data(), wanted, *at);
    if (found <= 0) return total > 0 ? static_cast<ssize_t>(total) : found;
    if (at != nullptr) *at += found;
    const ssize_t written = rank_write(rank, to, buffer.data(), static_cast<size_t>(found));
    if (written < 0) return total > 0 ? static_cast<ssize_t>(total) : written;
    total += static_cast<size_t>(written);
    if (static_cast<size_t>(found) < wanted) break;
  }
  return static_cast<ssize_t>(total);
}

// What was moved is charged as a read and a write; places are known behind the call.
ssize_t charge_both(FileCall& call, int from, const off_t* from_place, int to, const off_t* to_place,
                    ssize_t bytes) {
  if (bytes <= 0) return bytes;
  if (from_place == nullptr)
    call.moved(from, false, bytes);
  else
    call.moved_at(from, false, bytes, *from_place - bytes);
  if (to_place == nullptr)
    call.moved(to, true, bytes);
  else
    call.moved_at(to, true, bytes, *to_place - bytes);
  return bytes;
}

// Waits for both ends, then moves; nobody asks for more than a pipe takes without blocking.
template <class Move>
ssize_t move_between(RankEnvironment& rank, int to, int from, size_t size, Move move) {
  const int real_to = real_descriptor(to);
  const int real_from = real_descriptor(from);
  if (real_to < 0 || real_from < 0) {
    errno = EBADF;
    return -1;
  }
  if (!await_ready(rank, real_from, POLLIN) || !await_ready(rank, real_to, POLLOUT)) return -1;
  FileCall call(&rank);
  return move(call, real_to, real_from, may_block(real_to) ? std::min<size_t>(size, PIPE_BUF) : size);
}

}  // namespace

MPISIM_EXPORT ssize_t __wrap_sendfile(int to, int from, off_t* at, size_t size) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return sendfile(to, from, at, size);
  if (is_standard(*rank, to)) return copy_through_buffer(*rank, to, from, at, size);
  return move_between(*rank, to, from, size, [&](FileCall& call, int out, int in, size_t part) {
    return charge_both(call, in, at, out, nullptr, sendfile(out, in, at, part));
  });
}
MPISIM_EXPORT ssize_t __wrap_sendfile64(int to, int from, off64_t* at, size_t size) {
  return __wrap_sendfile(to, from, at, size);
}

MPISIM_EXPORT ssize_t __wrap_copy_file_range(int from, off64_t* from_place, int to, off64_t* to_place,
                                             size_t size, unsigned flags) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return copy_file_range(from, from_place, to, to_place, size, flags);
  return move_between(*rank, to, from, size, [&](FileCall& call, int out, int in, size_t part) {
    const ssize_t moved = copy_file_range(in, from_place, out, to_place, part, flags);
    return charge_both(call, in, from_place, out, to_place, moved);
  });
}

MPISIM_EXPORT ssize_t __wrap_splice(int from, off64_t* from_place, int to, off64_t* to_place, size_t size,
                                    unsigned flags) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return splice(from, from_place, to, to_place, size, flags);
  if (is_standard(*rank, to)) return copy_through_buffer(*rank, to, from, from_place, size);
  return move_between(*rank, to, from, size, [&](FileCall& call, int out, int in, size_t part) {
    const ssize_t moved = splice(in, from_place, out, to_place, part, flags);
    return charge_both(call, in, from_place, out, to_place, moved);
  });
}

MPISIM_EXPORT ssize_t __wrap_tee(int from, int to, size_t size, unsigned flags) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return tee(from, to, size, flags);
  return move_between(*rank, to, from, size,
                      [&](FileCall&, int out, int in, size_t part) { return tee(in, out, part, flags); });
}

MPISIM_EXPORT ssize_t __wrap_writev(int descriptor, const iovec* pieces, int count);
MPISIM_EXPORT ssize_t __wrap_readv(int descriptor, const iovec* pieces, int count);

// The pages themselves are not handed over, which nobody can tell but by the speed.
MPISIM_EXPORT ssize_t __wrap_vmsplice(int descriptor, const iovec* pieces, size_t count, unsigned flags) {
  if (current_environment() == nullptr) return vmsplice(descriptor, pieces, count, flags);
  const int access = fcntl(real_descriptor(descriptor), F_GETFL);
  if (access < 0) return -1;
  return (access & O_ACCMODE) == O_RDONLY ? __wrap_readv(descriptor, pieces, static_cast<int>(count))
                                          : __wrap_writev(descriptor, pieces, static_cast<int>(count));
}
