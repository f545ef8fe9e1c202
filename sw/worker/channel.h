// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace mxe::worker {

using Json = nlohmann::ordered_json;

/// What a worker shares with the process that started it: a socket, on which a request or a reply
/// is one line of JSON, and a file in memory, in which the numbers of both lie.
class Channel {
 public:
  /// Takes the descriptors of both. From now on the process ends when the other side does, even in
  /// the middle of a job.
  Channel(int socket, int memory);

  /// The next request; nothing if the other side has closed the socket.
  std::optional<Json> receive();
  void send(const Json& reply);

  /// Reads from the memory. Throws std::runtime_error if there are fewer bytes.
  void read(uint64_t offset, void* to, std::size_t bytes) const;
  /// Writes into the memory, which grows.
  void write(uint64_t offset, const void* from, std::size_t bytes);

 private:
  int socket_, memory_;
  std::string pending_;  // received and not yet a whole line
};

}  // namespace mxe::worker
