// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/gdb_connection.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "model/numerics/error.h"

namespace mxe::soc {
namespace {

constexpr char kInterrupt = '\x03';
constexpr std::size_t kLongestPacket = std::size_t{1} << 20;
constexpr int kEnd = -1;

unsigned checksum(const std::string& packet) {
  unsigned sum = 0;
  for (const char c : packet) sum += static_cast<unsigned char>(c);
  return sum & 0xFF;
}

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
    throw mx::Error(
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
  connection_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  const int on = 1;
  ::setsockopt(connection_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

bool GdbConnection::has_input() const {
  pollfd poll_connection{connection_, POLLIN, 0};
  return connected() && ::poll(&poll_connection, 1, 0) > 0;
}

int GdbConnection::get_byte() {
  unsigned char byte = 0;
  return connected() && ::recv(connection_, &byte, 1, 0) == 1 ? byte : kEnd;
}

bool GdbConnection::send_bytes(const std::string& bytes) {
  return connected() && ::send(connection_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
                            static_cast<ssize_t>(bytes.size());
}

std::optional<std::string> GdbConnection::receive() {
  for (;;) {
    int byte = get_byte();
    while (byte != '$' && byte != kInterrupt && byte != kEnd) byte = get_byte();
    if (byte == kInterrupt) return std::string(1, kInterrupt);
    std::string packet;
    for (byte = get_byte(); byte != '#' && byte != kEnd; byte = get_byte()) {
      if (packet.size() < kLongestPacket) packet += static_cast<char>(byte);
    }
    const int high = get_byte(), low = get_byte();
    if (high == kEnd || low == kEnd) {
      close();
      return std::nullopt;
    }
    const std::string sum{static_cast<char>(high), static_cast<char>(low)};
    if (sum == fmt::format("{:02x}", checksum(packet))) {
      send_bytes("+");
      return packet;
    }
    send_bytes("-");
  }
}

void GdbConnection::send(const std::string& packet) {
  if (!send_bytes(fmt::format("${}#{:02x}", packet, checksum(packet)))) close();
}

}  // namespace mxe::soc
