// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <systemc>
#include <tlm>
#include <unordered_set>
#include <vector>

#include "model/platform/burst_port.h"
#include "model/platform/clock.h"
#include "model/platform/memory.h"
#include "model/platform/tlm_memory_port.h"

namespace mxe::platform {

/// Many outstanding bursts on a TLM-2.0 socket with non-blocking transport: the base protocol of
/// IEEE 1666, approximately timed.
///
/// BEGIN_REQ is sent in the cycle of the request, or after the END_REQ of the request before
/// (exclusion rule). All data of a write is valid at BEGIN_REQ. BEGIN_RESP is the first beat of a
/// read, and the others follow one per cycle; or it is the response to a write. The reply is
/// TLM_COMPLETED, because room for the data of a read was reserved with its request. Responses may
/// arrive in any order. Payloads have a memory manager, and BurstExtension with the width of a
/// beat.
///
/// Example: 100 ns of latency and beats of 16 bytes. The read of 64 bytes begins in cycle 10, and
/// its beats arrive in cycles 110 to 113.
class BurstPhases : public BurstPort {
 public:
  /// `payload_bytes`: bursts are split at multiples of this number, for memories that accept one
  /// access per payload; the first beat of a read is then that of the last response; 0: a payload
  /// is a whole burst. `responded` is called when a ticket is complete; may be empty.
  BurstPhases(TlmMemoryPort::Socket& socket, const Clock& clock, unsigned beat_bytes,
              unsigned payload_bytes, std::function<void()> responded = {});
  ~BurstPhases() override;

  void request(Burst burst) override;
  bool is_idle() const override { return bursts_ == 0; }

  /// nb_transport_bw of the socket.
  tlm::tlm_sync_enum respond(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                             sc_core::sc_time& delay);

 private:
  struct Outstanding;
  struct Transaction;
  class Pool;

  void split(const std::shared_ptr<Outstanding>& burst, uint64_t begin, uint64_t end);
  void add(const std::shared_ptr<Outstanding>& burst, uint64_t begin, uint64_t end);
  void send();
  void send(Transaction& transaction);
  void end_request(const Transaction& transaction, const sc_core::sc_time& delay);
  void end_response(Transaction& transaction, const sc_core::sc_time& delay);
  void finish(Transaction& transaction, const sc_core::sc_time& delay);
  void complete(const Outstanding& burst);
  Transaction& outstanding(tlm::tlm_generic_payload& payload);

  TlmMemoryPort::Socket& socket_;
  Clock clock_;
  engine::BeatSize beat_;
  unsigned payload_bytes_;
  std::function<void()> responded_;
  bool takes_enables_ = true;                  // until the memory refuses a write with byte enables
  std::vector<uint8_t> no_data_, no_enables_;  // of bursts without data
  std::unique_ptr<Pool> pool_;
  std::deque<Transaction*> waiting_;      // for BEGIN_REQ
  Transaction* requesting_ = nullptr;     // between BEGIN_REQ and END_REQ
  sc_core::sc_time request_free_time_;    // of the last END_REQ
  std::unordered_set<const void*> sent_;  // payloads without response
  std::size_t bursts_ = 0;                // outstanding
  sc_core::sc_event send_event_;
};

}  // namespace mxe::platform
