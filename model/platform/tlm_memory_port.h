// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <tlm>
#include <vector>

#include "model/engine/memory/memory_port.h"
#include "model/harness/direct_memory.h"
#include "model/platform/clock.h"
#include "model/platform/memory.h"

namespace mxe::platform {

/// The response of AXI4 for a TLM-2.0 response status.
engine::BusResponse bus_response(tlm::tlm_response_status status);

/// The memory behind a TLM-2.0 socket: one b_transport for each burst, which may wait; none with
/// direct access, several for a write whose byte enables the memory refuses. The ticket is complete
/// when request() returns. Serves one burst at a time.
class TlmMemoryPort : public engine::MemoryPort {
 public:
  using Socket = tlm::tlm_initiator_socket<>;

  /// `beat_bytes`: width of the engine's port.
  TlmMemoryPort(Socket& socket, const Clock& clock, unsigned beat_bytes);
  ~TlmMemoryPort() override;
  TlmMemoryPort(const TlmMemoryPort&) = delete;
  TlmMemoryPort& operator=(const TlmMemoryPort&) = delete;

  /// Uses direct access where the memory grants it with its channels. `skips`: the engine may skip
  /// repetitions, for which it receives the channels.
  void use_direct_access(bool skips) {
    uses_direct_access_ = true;
    skips_ = skips;
  }
  /// The memory revokes direct access to these addresses.
  void end_direct_access(uint64_t first, uint64_t last) {
    if (direct_.overlaps(first, last)) direct_ = {};
  }
  /// True if the last burst was answered with the times of BurstExtension.
  bool is_timed() const { return burst_.timed; }

  void request(const engine::MemoryRequest& request, engine::Ticket& ticket) override;
  bool takes_any_order(uint64_t address, uint64_t bytes) const override {
    return direct_.covers(address, bytes);
  }
  engine::DirectChannels channels() override {
    return skips_ ? direct_.channels() : engine::DirectChannels{};
  }
  uint8_t* direct(uint64_t address, uint64_t bytes) override;

 private:
  void set_payload(const engine::MemoryRequest& request);
  void send(sc_core::sc_time& delay);
  void send_pieces(sc_core::sc_time& delay);
  engine::BeatTimes times_of(uint64_t cycle, const sc_core::sc_time& delay) const;
  void request_direct_access(uint64_t address);

  Socket& socket_;
  Clock clock_;
  engine::BeatSize beat_;
  bool uses_direct_access_ = false, skips_ = false;
  harness::DirectMemory direct_;
  tlm::tlm_generic_payload payload_;
  BurstExtension burst_;
  std::vector<uint8_t> nothing_;  // data of bursts without data
  bool takes_enables_ = true;     // until the memory refuses a write with byte enables
};

}  // namespace mxe::platform
