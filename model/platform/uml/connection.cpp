// SPDX-License-Identifier: Apache-2.0
#include "model/platform/uml/connection.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>

#include "model/platform/uml/protocol.h"

namespace mxe::uml {
namespace {

using Ancillary = char[CMSG_SPACE(kMostFiles * sizeof(int))];

void take_files(msghdr& message, std::vector<FileDescriptor>* files) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; i++) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
      FileDescriptor file(fd);  // closed here unless it is stored below
      if (files) files->push_back(std::move(file));
    }
  }
  if ((message.msg_flags & MSG_CTRUNC) != 0 || (files && files->size() > kMostFiles)) {
    throw ProtocolError("too many files with one message");
  }
}

}  // namespace

Listener::Listener(const std::string& path)
    : path_(path), socket_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    throw Error(fmt::format("the name of the socket '{}' is too long", path));
  }
  std::memcpy(address.sun_path, path.c_str(), path.size());
  if (!socket_.valid() ||
      bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      listen(socket_.get(), 1) != 0) {
    throw Error(fmt::format("cannot make the socket '{}': {}", path, std::strerror(errno)));
  }
}

Listener::~Listener() { unlink(path_.c_str()); }

FileDescriptor Listener::accept() {
  return FileDescriptor(accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
}

bool receive(int socket, void* data, std::size_t bytes, std::vector<FileDescriptor>* files) {
  auto* next = static_cast<char*>(data);
  while (bytes != 0) {
    alignas(cmsghdr) Ancillary ancillary;
    iovec part{next, bytes};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = ancillary;
    message.msg_controllen = sizeof ancillary;
    const ssize_t count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    take_files(message, files);
    next += count;
    bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

bool send(int socket, const void* data, std::size_t bytes, const std::vector<int>& files) {
  const auto* next = static_cast<const char*>(data);
  bool with_files = !files.empty();
  while (bytes != 0) {
    alignas(cmsghdr) Ancillary ancillary{};
    iovec part{const_cast<char*>(next), bytes};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (with_files) {
      const std::size_t length = files.size() * sizeof(int);
      message.msg_control = ancillary;
      message.msg_controllen = CMSG_SPACE(length);
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(length);
      std::memcpy(CMSG_DATA(header), files.data(), length);
    }
    const ssize_t count = sendmsg(socket, &message, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    with_files = false;
    next += count;
    bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace mxe::uml
