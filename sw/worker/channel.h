// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace mxe::worker {

using Json = nlohmann::ordered_json;

/// The connection to the process that started the worker: a socket for requests and replies, one
/// line of JSON each, and a memory file for their numbers.
class Channel {
 public:
  /// Owns both descriptors. The process ends when the other side closes the socket, even in a job.
  Channel(int socket, int memory);

  /// The next request; nullopt if the other side has closed the socket.
  std::optional<Json> receive();
  void send(const Json& reply);

  /// Reads from the memory. Throws std::runtime_error if there are fewer bytes.
  void read(uint64_t offset, void* to, std::size_t bytes) const;
  /// Writes into the memory file and extends it if necessary.
  void write(uint64_t offset, const void* from, std::size_t bytes);

 private:
  int socket_, memory_;
  std::string pending_;  // received, not yet a whole line
};

}  // namespace mxe::worker
