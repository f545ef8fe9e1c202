// SPDX-License-Identifier: Apache-2.0
#include "sw/worker/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <thread>

namespace mxe::worker {
namespace {

/// Ends this process when the parent closes the socket.
[[noreturn]] void watch(int socket) {
  // POLLRDHUP reports a closed socket although unread requests are pending.
  pollfd descriptor{socket, POLLRDHUP, 0};
  while (poll(&descriptor, 1, -1) < 0 && errno == EINTR) {
  }
  _exit(0);
}

/// Calls `transfer(done)`, which returns the bytes it transferred, until `bytes` are done.
template <typename Transfer>
void transfer_all(std::size_t bytes, const Transfer& transfer) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count = transfer(done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw std::runtime_error("the shared memory cannot be read or written");
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace

Channel::Channel(int socket, int memory) : socket_(socket), memory_(memory) {
  std::thread(watch, socket).detach();
}

std::optional<Json> Channel::receive() {
  std::size_t end = 0;
  while ((end = pending_.find('\n')) == std::string::npos) {
    char buffer[4096];
    const ssize_t count = recv(socket_, buffer, sizeof buffer, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return std::nullopt;
    pending_.append(buffer, static_cast<std::size_t>(count));
  }
  Json request = Json::parse(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(end));
  pending_.erase(0, end + 1);
  return request;
}

void Channel::send(const Json& reply) {
  // Replaces bytes of file names that are not UTF-8.
  const std::string line = reply.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  transfer_all(line.size(), [&](std::size_t done) {
    return ::send(socket_, line.data() + done, line.size() - done, MSG_NOSIGNAL);
  });
}

void Channel::read(uint64_t offset, void* to, std::size_t bytes) const {
  transfer_all(bytes, [&](std::size_t done) {
    return pread(memory_, static_cast<char*>(to) + done, bytes - done,
                 static_cast<off_t>(offset + done));
  });
}

void Channel::write(uint64_t offset, const void* from, std::size_t bytes) {
  transfer_all(bytes, [&](std::size_t done) {
    return pwrite(memory_, static_cast<const char*>(from) + done, bytes - done,
                  static_cast<off_t>(offset + done));
  });
}

}  // namespace mxe::worker
