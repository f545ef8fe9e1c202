// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace mxe::worker {

using Json = nlohmann::ordered_json;

/// The connection to the parent process: a socket for requests and replies (one line of JSON each),
/// and a memory file for their numbers.
class Channel {
 public:
  /// Owns both descriptors. The process ends when the parent closes the socket, even during a job.
  Channel(int socket, int memory);

  /// Returns nullopt if the parent has closed the socket.
  std::optional<Json> receive();
  void send(const Json& reply);

  /// Throws std::runtime_error if the memory file ends before `offset + bytes`.
  void read(uint64_t offset, void* to, std::size_t bytes) const;
  /// Extends the memory file if necessary.
  void write(uint64_t offset, const void* from, std::size_t bytes);

 private:
  int socket_, memory_;
  std::string pending_;  // received, not yet a whole line
};

}  // namespace mxe::worker
