// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "model/platform/uml/file_descriptor.h"
#include "model/platform/uml/guest_memory.h"
#include "model/platform/uml/protocol.h"
#include "model/platform/uml/virtqueue.h"

namespace mxe::uml {

struct VhostMessage {
  static constexpr uint32_t kMostBytes = 4096;

  VhostHeader header;
  std::vector<uint8_t> payload;
  std::vector<FileDescriptor> files;
};

/// The device side of vhost-user with two queues. Handles messages; independent of the socket.
class VhostDevice {
 public:
  static constexpr uint32_t kCommands = 0, kInterrupts = 1, kQueues = 2;

  /// `kicked` is called with the index of a queue to which Linux added a buffer.
  VhostDevice(GuestMemory& memory, std::function<void(uint32_t)> kicked);

  /// Checks a header before its payload is received. Throws ProtocolError.
  static void check(const VhostHeader& header);
  /// Returns the response (header and payload), if required. Throws ProtocolError.
  std::optional<std::vector<uint8_t>> handle(VhostMessage& message);

  Virtqueue& queue(uint32_t index) { return queues_[index]; }
  /// The channel for requests of the device, or -1.
  int requests() const { return requests_.get(); }

 private:
  std::optional<uint64_t> handle_request(VhostMessage& message);
  void set_memory(VhostMessage& message);
  Virtqueue& queue_of(uint32_t index);

  GuestMemory& memory_;
  std::function<void(uint32_t)> kicked_;
  std::array<Virtqueue, kQueues> queues_;
  FileDescriptor requests_;
};

}  // namespace mxe::uml
