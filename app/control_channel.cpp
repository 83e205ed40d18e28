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

constexpr int kPassed = 2;  // stdout and stderr

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
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kPassed * sizeof(int))> passed{};
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

FileDescriptor ControlServer::accept() {
  FileDescriptor connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!connection) return connection;
  Message message;
  cmsghdr* header = CMSG_FIRSTHDR(&message.header);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(kPassed * sizeof(int));
  const std::array<int, kPassed> descriptors{STDOUT_FILENO, STDERR_FILENO};
  std::memcpy(CMSG_DATA(header), descriptors.data(), sizeof descriptors);
  sendmsg(connection.get(), &message.header, MSG_NOSIGNAL);
  return connection;
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
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS ||
      header->cmsg_len != CMSG_LEN(kPassed * sizeof(int)))
    return;
  std::array<int, kPassed> descriptors{};
  std::memcpy(descriptors.data(), CMSG_DATA(header), sizeof descriptors);
  dup2(descriptors[0], STDOUT_FILENO);
  dup2(descriptors[1], STDERR_FILENO);
  for (const int fd : descriptors) close(fd);
  socket_ = std::move(socket_fd);
}

void ControlClient::report(int exit_code, const char* reason) const {
  if (!socket_) return;
  std::array<char, 128> text{};
  const int size = std::snprintf(text.data(), text.size(), "%d %s", exit_code, reason);
  send(socket_.get(), text.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL);
}

}  // namespace mpisim::app
