// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <systemc>
#include <vector>

#include "model/platform/burst_port.h"
#include "model/platform/clock.h"
#include "model/platform/tlm_memory_port.h"

namespace mxe::rtl {

/// Many outstanding bursts on a TLM-2.0 socket with blocking transport. request() returns at once.
/// Each burst waits in a call of b_transport in a thread, so tickets complete later, in any order.
/// Calls start in the order of request(). Example: 64 reads are outstanding in a memory that waits
/// 50 ns; 64 threads wait.
///
/// The first burst is the only one until it is answered. If the answer has the times of
/// BurstExtension, which are exact even if the memory waits, the caller's thread then serves each
/// burst within request().
class BurstCalls : public platform::BurstPort {
 public:
  /// `overlaps`: false serves one burst at a time.
  BurstCalls(platform::TlmMemoryPort::Socket& socket, const platform::Clock& clock,
             unsigned beat_bytes, bool overlaps);

  void request(platform::Burst burst) override;
  bool is_idle() const override { return waiting_.empty() && calls_ == 0; }

 private:
  struct Caller {
    Caller(platform::TlmMemoryPort::Socket& socket, const platform::Clock& clock,
           unsigned beat_bytes)
        : port(socket, clock, beat_bytes) {}

    platform::TlmMemoryPort port;
    std::optional<platform::Burst> burst;  // which it serves
    sc_core::sc_event start_event;
  };

  void start_calls();
  Caller& idle_caller();
  void call(Caller& caller);
  void serve(Caller& caller, const platform::Burst& burst);

  platform::TlmMemoryPort::Socket& socket_;
  platform::Clock clock_;
  unsigned beat_bytes_;
  bool overlaps_;
  std::optional<bool> is_timed_;  // the last answer had the times of BurstExtension
  std::deque<platform::Burst> waiting_;
  std::vector<std::unique_ptr<Caller>> callers_;
  std::vector<Caller*> idle_;
  std::size_t calls_ = 0;  // under way
};

}  // namespace mxe::rtl
