// Reads and writes of several pieces at once.
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

#include "runtime/export.hpp"
#include "runtime/libc/descriptors.hpp"
#include "runtime/libc/file_use.hpp"

using namespace mpisim::runtime;

namespace {

// Access goes piece by piece until one falls short.
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

template <class Access>
ssize_t access_at(int descriptor, bool write, off_t offset, Access access) {
  RankEnvironment* const rank = current_environment();
  const int meaning = rank == nullptr ? descriptor : descriptor_meaning(*rank, descriptor);
  if (rank != nullptr && meaning <= 2) {
    errno = meaning < 0 ? EBADF : ESPIPE;
    return -1;
  }
  FileCall call(rank);
  return call.moved_at(meaning, write, access(meaning), offset);
}

}  // namespace

MPISIM_EXPORT ssize_t __wrap_readv(int descriptor, const iovec* pieces, int count) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return readv(descriptor, pieces, count);
  return each_piece(pieces, count,
                    [&](void* data, size_t size) { return rank_read(*rank, descriptor, data, size); });
}

MPISIM_EXPORT ssize_t __wrap_writev(int descriptor, const iovec* pieces, int count) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return writev(descriptor, pieces, count);
  return each_piece(pieces, count,
                    [&](void* data, size_t size) { return rank_write(*rank, descriptor, data, size); });
}

MPISIM_EXPORT ssize_t __wrap_preadv(int descriptor, const iovec* pieces, int count, off_t offset) {
  return access_at(descriptor, false, offset, [&](int real) { return preadv(real, pieces, count, offset); });
}
MPISIM_EXPORT ssize_t __wrap_preadv64(int descriptor, const iovec* pieces, int count, off64_t offset) {
  return __wrap_preadv(descriptor, pieces, count, offset);
}
MPISIM_EXPORT ssize_t __wrap_pwritev(int descriptor, const iovec* pieces, int count, off_t offset) {
  return access_at(descriptor, true, offset, [&](int real) { return pwritev(real, pieces, count, offset); });
}
MPISIM_EXPORT ssize_t __wrap_pwritev64(int descriptor, const iovec* pieces, int count, off64_t offset) {
  return __wrap_pwritev(descriptor, pieces, count, offset);
}

// An offset of -1 means the descriptor's position.
MPISIM_EXPORT ssize_t __wrap_preadv2(int descriptor, const iovec* pieces, int count, off_t offset,
                                     int flags) {
  if (offset == -1) return __wrap_readv(descriptor, pieces, count);
  return access_at(descriptor, false, offset,
                   [&](int real) { return preadv2(real, pieces, count, offset, flags); });
}
MPISIM_EXPORT ssize_t __wrap_preadv64v2(int descriptor, const iovec* pieces, int count, off64_t offset,
                                        int flags) {
  return __wrap_preadv2(descriptor, pieces, count, offset, flags);
}
MPISIM_EXPORT ssize_t __wrap_pwritev2(int descriptor, const iovec* pieces, int count, off_t offset,
                                      int flags) {
  if (offset == -1) return __wrap_writev(descriptor, pieces, count);
  return access_at(descriptor, true, offset,
                   [&](int real) { return pwritev2(real, pieces, count, offset, flags); });
}
MPISIM_EXPORT ssize_t __wrap_pwritev64v2(int descriptor, const iovec* pieces, int count, off64_t offset,
                                         int flags) {
  return __wrap_pwritev2(descriptor, pieces, count, offset, flags);
}
