// Sockets: connections, and data without control messages (socket_messages.cpp).
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <cerrno>

#include "runtime/export.hpp"
#include "runtime/libc/descriptors.hpp"
#include "runtime/libc/waiting.hpp"

using namespace mpisim::runtime;

namespace {

// Whether a call with these flags on the socket would block the host until it is ready. Then the others go
// on; false with errno if the socket's own time limit was over first.
bool await_data(RankEnvironment& rank, int real, short events, int flags) {
  return (flags & MSG_DONTWAIT) != 0 || await_ready(rank, real, events);
}

// A stream that is to fill the whole buffer comes in parts, with the others in between.
ssize_t receive_all(RankEnvironment& rank, int real, char* data, size_t size, int flags) {
  size_t done = 0;
  while (done < size) {
    if (!await_data(rank, real, POLLIN, flags)) break;
    const ssize_t found = recv(real, data + done, size - done, flags & ~MSG_WAITALL);
    if (found < 0 && done == 0) return -1;
    if (found <= 0) return static_cast<ssize_t>(done);
    done += static_cast<size_t>(found);
  }
  return done > 0 || size == 0 ? static_cast<ssize_t>(done) : -1;
}

// A send that may block goes on until everything has left.
ssize_t send_all(RankEnvironment& rank, int real, const char* data, size_t size, int flags,
                 const sockaddr* to, socklen_t to_size) {
  if ((flags & MSG_DONTWAIT) != 0 || !may_block(real)) return sendto(real, data, size, flags, to, to_size);
  return write_all_parts(rank, real, size, [&](size_t done) {
    return sendto(real, data + done, size - done, flags | MSG_DONTWAIT, to, to_size);
  });
}

int accept_with(int descriptor, sockaddr* address, socklen_t* size, int flags) {
  const int real = real_descriptor(descriptor);
  if (!await_ready(*current_environment(), real, POLLIN)) return -1;
  return give_number(accept4(real, address, size, flags | SOCK_CLOEXEC), (flags & SOCK_CLOEXEC) != 0);
}

// The error that a connection ended with, 0 if it was made; errno as connect() leaves it.
int error_of(int real) {
  int error = 0;
  socklen_t size = sizeof error;
  return getsockopt(real, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

// A connection that does not wait for its partner. The flag belongs to the socket, which is the rank's own.
int connect_waiting(RankEnvironment& rank, int real, const sockaddr* address, socklen_t size) {
  const int flags = fcntl(real, F_GETFL);
  if (flags < 0 || (flags & O_NONBLOCK) != 0) return connect(real, address, size);
  int result = -1;
  wait_until(rank, [&] {  // EAGAIN: the queue of a local partner is full
    fcntl(real, F_SETFL, flags | O_NONBLOCK);
    result = connect(real, address, size);
    const int error = errno;
    fcntl(real, F_SETFL, flags);
    errno = error;
    return result == 0 || errno != EAGAIN;
  });
  if (result == 0 || errno != EINPROGRESS) return result;
  if (!await_ready(rank, real, POLLOUT)) return -1;
  errno = error_of(real);
  return errno == 0 ? 0 : -1;
}

}  // namespace

MPISIM_EXPORT int __wrap_socket(int domain, int type, int protocol) {
  if (current_environment() == nullptr) return socket(domain, type, protocol);
  return give_number(socket(domain, type | SOCK_CLOEXEC, protocol), (type & SOCK_CLOEXEC) != 0);
}

MPISIM_EXPORT int __wrap_socketpair(int domain, int type, int protocol, int ends[2]) {
  if (current_environment() == nullptr) return socketpair(domain, type, protocol, ends);
  int real[2];
  if (socketpair(domain, type | SOCK_CLOEXEC, protocol, real) != 0) return -1;
  return give_pair(real, ends, (type & SOCK_CLOEXEC) != 0);
}

MPISIM_EXPORT int __wrap_bind(int descriptor, const sockaddr* address, socklen_t size) {
  return bind(real_descriptor(descriptor), address, size);
}
MPISIM_EXPORT int __wrap_listen(int descriptor, int length) {
  return listen(real_descriptor(descriptor), length);
}

MPISIM_EXPORT int __wrap_accept(int descriptor, sockaddr* address, socklen_t* size) {
  return current_environment() == nullptr ? accept(descriptor, address, size)
                                          : accept_with(descriptor, address, size, 0);
}
MPISIM_EXPORT int __wrap_accept4(int descriptor, sockaddr* address, socklen_t* size, int flags) {
  return current_environment() == nullptr ? accept4(descriptor, address, size, flags)
                                          : accept_with(descriptor, address, size, flags);
}

MPISIM_EXPORT int __wrap_connect(int descriptor, const sockaddr* address, socklen_t size) {
  RankEnvironment* const rank = current_environment();
  return rank == nullptr ? connect(descriptor, address, size)
                         : connect_waiting(*rank, real_descriptor(descriptor), address, size);
}

MPISIM_EXPORT ssize_t __wrap_recvfrom(int descriptor, void* data, size_t size, int flags, sockaddr* from,
                                      socklen_t* from_size) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return recvfrom(descriptor, data, size, flags, from, from_size);
  const int real = real_descriptor(descriptor);
  if ((flags & MSG_WAITALL) != 0 && (flags & MSG_PEEK) == 0 && from == nullptr)
    return receive_all(*rank, real, static_cast<char*>(data), size, flags);
  if (!await_data(*rank, real, POLLIN, flags)) return -1;
  return recvfrom(real, data, size, flags, from, from_size);
}
MPISIM_EXPORT ssize_t __wrap___recvfrom_chk(int descriptor, void* data, size_t size, size_t, int flags,
                                            sockaddr* from, socklen_t* from_size) {
  return __wrap_recvfrom(descriptor, data, size, flags, from, from_size);
}
MPISIM_EXPORT ssize_t __wrap_recv(int descriptor, void* data, size_t size, int flags) {
  return __wrap_recvfrom(descriptor, data, size, flags, nullptr, nullptr);
}
MPISIM_EXPORT ssize_t __wrap___recv_chk(int descriptor, void* data, size_t size, size_t, int flags) {
  return __wrap_recvfrom(descriptor, data, size, flags, nullptr, nullptr);
}

MPISIM_EXPORT ssize_t __wrap_sendto(int descriptor, const void* data, size_t size, int flags,
                                    const sockaddr* to, socklen_t to_size) {
  RankEnvironment* const rank = current_environment();
  if (rank == nullptr) return sendto(descriptor, data, size, flags, to, to_size);
  return send_all(*rank, real_descriptor(descriptor), static_cast<const char*>(data), size, flags, to,
                  to_size);
}
MPISIM_EXPORT ssize_t __wrap_send(int descriptor, const void* data, size_t size, int flags) {
  return __wrap_sendto(descriptor, data, size, flags, nullptr, 0);
}

MPISIM_EXPORT int __wrap_shutdown(int descriptor, int how) {
  return shutdown(real_descriptor(descriptor), how);
}
MPISIM_EXPORT int __wrap_getsockopt(int descriptor, int level, int option, void* value, socklen_t* size) {
  return getsockopt(real_descriptor(descriptor), level, option, value, size);
}
MPISIM_EXPORT int __wrap_setsockopt(int descriptor, int level, int option, const void* value,
                                    socklen_t size) {
  return setsockopt(real_descriptor(descriptor), level, option, value, size);
}
MPISIM_EXPORT int __wrap_getsockname(int descriptor, sockaddr* address, socklen_t* size) {
  return getsockname(real_descriptor(descriptor), address, size);
}
MPISIM_EXPORT int __wrap_getpeername(int descriptor, sockaddr* address, socklen_t* size) {
  return getpeername(real_descriptor(descriptor), address, size);
}
MPISIM_EXPORT int __wrap_sockatmark(int descriptor) {
  return sockatmark(real_descriptor(descriptor));
}
MPISIM_EXPORT int __wrap_isfdtype(int descriptor, int type) {
  return isfdtype(real_descriptor(descriptor), type);
}
