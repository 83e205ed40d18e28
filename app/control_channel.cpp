#include "app/control_channel.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace mpisim::app {

namespace {

constexpr std::size_t most_passed = 3;  // stdout, stderr, and stdin if it can be read there

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    throw std::runtime_error("the directory for temporary files has too long a name: " + path +
                             " (set TMPDIR to a shorter one)");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

// One message with one byte of data and room for the descriptors.
struct Message {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(most_passed * sizeof(int))> passed{};
  msghdr header{};
  Message() {
    header.msg_iov = &data;
    header.msg_iovlen = 1;
    header.msg_control = passed.data();
    header.msg_controllen = sizeof passed;
  }
};

}  // namespace

ControlServer::ControlServer(const std::string& path)
    : listener_(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
  const sockaddr_un address = address_of(path);
  if (!listener_ || bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(listener_.get(), SOMAXCONN) != 0)
    throw std::runtime_error("cannot listen at " + path + ": " + std::strerror(errno));
}

bool ControlServer::passes_input() {
  return isatty(STDIN_FILENO) == 0;
}

FileDescriptor ControlServer::accept() {
  FileDescriptor connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!connection) return connection;
  Message message;
  cmsghdr* header = CMSG_FIRSTHDR(&message.header);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  const std::array<int, most_passed> descriptors{STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO};
  const std::size_t count = passes_input() ? 3 : 2;
  header->cmsg_len = CMSG_LEN(count * sizeof(int));
  message.header.msg_controllen = CMSG_SPACE(count * sizeof(int));
  std::memcpy(CMSG_DATA(header), descriptors.data(), count * sizeof(int));
  sendmsg(connection.get(), &message.header, MSG_NOSIGNAL);
  return connection;
}

pid_t ControlServer::process_of(int connection) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

std::optional<Ending> ControlServer::receive(int connection) {
  std::array<char, 128> text{};
  const ssize_t size = recv(connection, text.data(), text.size() - 1, 0);
  if (size <= 0) return std::nullopt;
  char* rest = nullptr;
  Ending ending;
  ending.exit_code = static_cast<int>(std::strtol(text.data(), &rest, 10));
  ending.reason = *rest == ' ' ? rest + 1 : rest;
  return ending;
}

ControlClient::ControlClient(const std::string& path) {
  FileDescriptor socket_fd(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  const sockaddr_un address = address_of(path);
  if (!socket_fd ||
      connect(socket_fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return;
  Message message;
  if (recvmsg(socket_fd.get(), &message.header, MSG_CMSG_CLOEXEC) <= 0) return;
  const cmsghdr* header = CMSG_FIRSTHDR(&message.header);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS || header->cmsg_len < CMSG_LEN(2 * sizeof(int)))
    return;
  const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  std::array<int, most_passed> descriptors{};
  std::memcpy(descriptors.data(), CMSG_DATA(header), count * sizeof(int));
  const std::array<int, most_passed> places{STDOUT_FILENO, STDERR_FILENO, STDIN_FILENO};
  for (std::size_t i = 0; i < count; ++i) {
    dup2(descriptors[i], places[i]);
    close(descriptors[i]);
  }
  socket_ = std::move(socket_fd);
}

void ControlClient::report(int exit_code, const char* reason) const {
  if (!socket_) return;
  std::array<char, 128> text{};
  const int size = std::snprintf(text.data(), text.size(), "%d %s", exit_code, reason);
  send(socket_.get(), text.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL);
}

}  // namespace mpisim::app
