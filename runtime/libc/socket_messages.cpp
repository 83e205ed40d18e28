// Messages of sockets with control data: descriptors that travel in them are numbers of the rank on both
// sides.
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "runtime/export.hpp"
#include "runtime/libc/descriptor_table.hpp"
#include "runtime/libc/waiting.hpp"

using namespace mpisim::runtime;

namespace {

// Replaces every descriptor that the message carries.
template <class Replace>
void replace_descriptors(msghdr& message, Replace replace) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    unsigned char* at = CMSG_DATA(part);
    const size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (size_t i = 0; i < count; ++i, at += sizeof(int)) {
      int descriptor = -1;
      std::memcpy(&descriptor, at, sizeof descriptor);
      descriptor = replace(descriptor);
      std::memcpy(at, &descriptor, sizeof descriptor);
    }
  }
}

// What is left of the pieces when so many bytes have gone.
void drop_front(std::vector<iovec>& pieces, size_t bytes) {
  for (iovec& piece : pieces) {
    const size_t part = bytes < piece.iov_len ? bytes : piece.iov_len;
    piece.iov_base = static_cast<char*>(piece.iov_base) + part;
    piece.iov_len -= part;
    bytes -= part;
  }
}

size_t size_of(const std::vector<iovec>& pieces) {
  size_t size = 0;
  for (const iovec& piece : pieces) size += piece.iov_len;
  return size;
}

ssize_t send_message(RankEnvironment& rank, int real, const msghdr& given, int flags) {
  msghdr message = given;
  std::vector<char> control(static_cast<const char*>(given.msg_control),
                            static_cast<const char*>(given.msg_control) + given.msg_controllen);
  if (!control.empty()) message.msg_control = control.data();
  replace_descriptors(message, real_descriptor);
  if ((flags & MSG_DONTWAIT) != 0 || !may_block(real)) return sendmsg(real, &message, flags);
  std::vector<iovec> pieces(given.msg_iov, given.msg_iov + given.msg_iovlen);
  message.msg_iov = pieces.data();
  ssize_t done = 0;
  do {
    if (!await_ready(rank, real, POLLOUT)) return done > 0 ? done : -1;
    const ssize_t sent = sendmsg(real, &message, flags | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN) return done > 0 ? done : -1;
    if (sent < 0) {
      rank.services().let_others_go_on();
      continue;
    }
    done += sent;
    drop_front(pieces, static_cast<size_t>(sent));
    message.msg_controllen = 0;  // has gone with the first part
    if (size_of(pieces) == 0) break;
  } while (true);
  return done;
}

ssize_t receive_message(RankEnvironment& rank, int real, msghdr& message, int flags) {
  if ((flags & MSG_DONTWAIT) == 0 && !await_ready(rank, real, POLLIN)) return -1;
  const ssize_t size = recvmsg(real, &message, flags | MSG_CMSG_CLOEXEC);
  if (size >= 0)
    replace_descriptors(message,
                        [&](int received) { return give_number(received, (flags & MSG_CMSG_CLOEXEC) != 0); });
  return size;
}

}  // namespace

MPISIM_EXPORT ssize_t __wrap_sendmsg(int descriptor, const msghdr* message, int flags) {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? sendmsg(descriptor, message, flags)
                         : send_message(*rank, real_descriptor(descriptor), *message, flags);
}

MPISIM_EXPORT ssize_t __wrap_recvmsg(int descriptor, msghdr* message, int flags) {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? recvmsg(descriptor, message, flags)
                         : receive_message(*rank, real_descriptor(descriptor), *message, flags);
}

MPISIM_EXPORT int __wrap_sendmmsg(int descriptor, mmsghdr* messages, unsigned count, int flags) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return sendmmsg(descriptor, messages, count, flags);
  for (unsigned i = 0; i < count; ++i) {
    const ssize_t sent = send_message(*rank, real_descriptor(descriptor), messages[i].msg_hdr, flags);
    if (sent < 0) return i > 0 ? static_cast<int>(i) : -1;
    messages[i].msg_len = static_cast<unsigned>(sent);
  }
  return static_cast<int>(count);
}

// Waits for the first message only; a time limit would be one of the host's clock.
MPISIM_EXPORT int __wrap_recvmmsg(int descriptor, mmsghdr* messages, unsigned count, int flags,
                                  timespec* limit) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return recvmmsg(descriptor, messages, count, flags, limit);
  const int each = flags & ~MSG_WAITFORONE;
  for (unsigned i = 0; i < count; ++i) {
    const ssize_t size = receive_message(*rank, real_descriptor(descriptor), messages[i].msg_hdr,
                                         i > 0 ? each | MSG_DONTWAIT : each);
    if (size < 0) return i > 0 ? static_cast<int>(i) : -1;
    messages[i].msg_len = static_cast<unsigned>(size);
  }
  return static_cast<int>(count);
}
