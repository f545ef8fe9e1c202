// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/gdb_connection.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "model/numerics/base/error.h"

namespace mxe::soc {
namespace {

constexpr std::size_t kReadBytes = 4096;

}  // namespace

GdbConnection::GdbConnection(uint16_t port) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const int on = 1;
  ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (listener_ < 0 || ::bind(listener_, generic, size) != 0 || ::listen(listener_, 1) != 0 ||
      ::getsockname(listener_, generic, &size) != 0) {
    const int error = errno;
    if (listener_ >= 0) ::close(listener_);
    throw Error(
        fmt::format("cannot listen for gdb on 127.0.0.1:{}: {}", port, std::strerror(error)));
  }
  port_ = ntohs(address.sin_port);
}

GdbConnection::~GdbConnection() {
  close();
  ::close(listener_);
}

void GdbConnection::close() {
  if (connection_ >= 0) ::close(connection_);
  connection_ = -1;
}

void GdbConnection::accept() {
  do {
    connection_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  } while (connection_ < 0 && errno == EINTR);
  const int on = 1;
  ::setsockopt(connection_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// Splits received bytes into packets. False if there are none; a closed peer disconnects.
bool GdbConnection::read_bytes(int flags) {
  if (!connected()) return false;
  char bytes[kReadBytes];
  const ssize_t count = ::recv(connection_, bytes, sizeof bytes, flags);
  if (count < 0 && errno == EINTR) return true;
  if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return false;
  if (count <= 0) {
    close();
    return false;
  }
  for (ssize_t i = 0; i < count; i++) {
    if (auto item = packets_.add(bytes[i])) items_.push_back(std::move(*item));
  }
  return true;
}

/// Next received packet or interrupt. Requests garbled packets again.
std::optional<GdbPackets::Item> GdbConnection::next() {
  while (!items_.empty()) {
    GdbPackets::Item item = std::move(items_.front());
    items_.pop_front();
    acknowledge(item);
    if (item.kind != GdbPackets::Kind::garbled) return item;
  }
  return std::nullopt;
}

/// Does not wait for a client that does not read its acknowledgements.
void GdbConnection::acknowledge(const GdbPackets::Item& item) {
  if (item.kind == GdbPackets::Kind::interrupt) return;
  if (!send_bytes(item.kind == GdbPackets::Kind::packet ? "+" : "-", MSG_DONTWAIT)) close();
}

std::optional<GdbPackets::Item> GdbConnection::receive() {
  for (;;) {
    if (auto item = next()) return item;
    if (!read_bytes(0)) return std::nullopt;
  }
}

std::optional<GdbPackets::Item> GdbConnection::poll() {
  if (auto item = next()) return item;
  read_bytes(MSG_DONTWAIT);
  return next();
}

bool GdbConnection::send_bytes(const std::string& bytes, int flags) {
  std::size_t sent = 0;
  while (connected() && sent < bytes.size()) {
    const ssize_t count =
        ::send(connection_, bytes.data() + sent, bytes.size() - sent, flags | MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  return connected();
}

void GdbConnection::send(const std::string& packet) {
  if (!send_bytes(frame_packet(packet), 0)) close();
}

}  // namespace mxe::soc
