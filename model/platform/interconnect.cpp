// SPDX-License-Identifier: Apache-2.0
#include "model/platform/interconnect.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/numerics/base/error.h"
#include "model/platform/clock.h"
#include "model/platform/payload.h"

namespace mxe::platform {
namespace {

/// Requests arrive on clock edges, so all of them are known half a cycle later.
sc_core::sc_time half_a_cycle() { return Clock().period() / 2; }

}  // namespace

Interconnect::Interconnect(const sc_core::sc_module_name& name, const engine::MemoryTiming& timing,
                           unsigned ports, unsigned beat_bytes, bool multicast)
    : sc_module(name),
      in("in", ports),
      beat_bytes_(beat_bytes),
      multicast_(multicast),
      read_(timing, 0, ports, beat_bytes),
      write_(timing, 1, ports, beat_bytes),
      waiting_(ports) {
  if (timing.half_duplex) {
    throw Error("an interconnect cannot share a half-duplex memory; allowed: half_duplex = false");
  }
  if (half_a_cycle() == Clock().period()) {
    throw Error(fmt::format(
        "time resolution {}: an interconnect grants in the middle of a clock of 1 ns; allowed: 100 "
        "ps and finer (sc_set_time_resolution)",
        sc_core::sc_get_time_resolution().to_string()));
  }
  for (unsigned port = 0; port < ports; port++) {
    in[port].register_b_transport(this, &Interconnect::transport, static_cast<int>(port));
  }
  SC_HAS_PROCESS(Interconnect);
  SC_METHOD(arbitrate);
  sensitive << arbitrate_event_;
  dont_initialize();
}

void Interconnect::transport(int port, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const tlm::tlm_response_status refused = check_attributes(payload);
  if (refused != tlm::TLM_OK_RESPONSE) {
    payload.set_response_status(refused);
    return;
  }
  auto* burst = payload.get_extension<BurstExtension>();
  const uint64_t address = payload.get_address(), length = payload.get_data_length();
  if (!burst || !(burst->clock == Clock())) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return;
  }
  const uint64_t first_beat = address / beat_bytes_;
  const uint64_t beats = (address + length - 1) / beat_bytes_ - first_beat + 1;
  const auto from = static_cast<unsigned>(port);
  const uint64_t write_issue = engine::MemoryChannel::write_issue(burst->issued, beats);
  const engine::BeatTimes times = payload.is_read()
                                      ? wait_for_grant(from, burst->issued, first_beat, beats)
                                      : write_.fit_in(from, write_issue, beats);
  sc_core::sc_time ignored;
  out->b_transport(payload, ignored);
  payload.set_dmi_allowed(false);
  burst->times = times;
  burst->timed = true;
  delay = Clock().until(times.beat(beats - 1));
}

engine::BeatTimes Interconnect::wait_for_grant(unsigned port, uint64_t issue, uint64_t first_beat,
                                               uint64_t beats) {
  Waiting& read = waiting_[port];
  read.any = true;
  read.issue = issue;
  read.first_beat = first_beat;
  read.beats = beats;
  look_again(issue);
  wait(read.granted);
  return read.times;
}

void Interconnect::look_again(uint64_t cycle) {
  const uint64_t now = current_cycle();
  if (cycle <= now && sc_core::sc_time_stamp() >= Clock().to_time(now) + half_a_cycle()) {
    arbitrate_event_.notify(sc_core::SC_ZERO_TIME);
  } else {
    arbitrate_event_.notify(Clock().until(std::max(cycle, now)) + half_a_cycle());
  }
}

void Interconnect::arbitrate() {
  const uint64_t now = current_cycle();
  const auto ports = static_cast<unsigned>(waiting_.size());
  uint64_t next = ~uint64_t{0};
  const unsigned begin = first_;
  for (unsigned port = 0; port < ports; port++) join_others(port);
  for (unsigned i = 0; i < ports; i++) {
    const unsigned port = (begin + i) % ports;
    const Waiting& read = waiting_[port];
    if (!read.any) continue;
    const uint64_t from = read_.grant_cycle(port, read.issue);
    if (from > now) {
      next = std::min(next, from);
      continue;
    }
    grant(port);
    first_ = (port + 1) % ports;
  }
  if (next != ~uint64_t{0}) look_again(next);
}

void Interconnect::serve(unsigned port, const engine::BeatTimes& times) {
  Waiting& read = waiting_[port];
  read.any = false;
  read.times = times;
  read.granted.notify(sc_core::SC_ZERO_TIME);
}

void Interconnect::grant(unsigned port) {
  constexpr std::size_t kRemembered = 64;  // per port; older grants have usually begun
  const Waiting& read = waiting_[port];
  serve(port, read_.grant(port, read.issue, read.beats));
  if (!multicast_) return;
  granted_.push_back({read.first_beat, read.beats, read.times});
  if (granted_.size() > kRemembered * waiting_.size()) granted_.pop_front();
  for (unsigned other = 0; other < waiting_.size(); other++) join_others(other);
}

/// If the port requests beats that another port will receive, it receives the same beats. This
/// depends on the cycle of its request, not on the simulation order of the engines.
void Interconnect::join_others(unsigned port) {
  const Waiting& read = waiting_[port];
  if (!read.any) return;
  const auto same = std::find_if(granted_.begin(), granted_.end(), [&](const Granted& granted) {
    const uint64_t begin = granted.times.beat(0);
    return granted.first_beat == read.first_beat && granted.beats == read.beats &&
           begin > read.issue && begin >= read_.port_free_cycle(port);
  });
  if (same != granted_.end()) {
    serve(port, read_.join(port, read.issue, same->times, read.beats));
  }
}

}  // namespace mxe::platform
