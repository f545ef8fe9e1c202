// SPDX-License-Identifier: Apache-2.0
#include "model/engine/memory/shared_channel.h"

#include <algorithm>
#include <iterator>

namespace mxe::engine {
namespace {

constexpr uint64_t kCycle = uint64_t{1} << BeatTimes::kFraction;

}  // namespace

SharedChannel::SharedChannel(const MemoryTiming& timing, uint64_t stream, unsigned ports,
                             unsigned beat_bytes)
    : timing_(timing),
      stream_(stream),
      bus_interval_(timing.beat_interval(beat_bytes)),
      port_interval_(std::max(bus_interval_, kCycle)),
      ports_(ports) {}

uint64_t SharedChannel::grant_cycle(unsigned port, uint64_t issue) const {
  const uint64_t free = std::max(free_, ports_[port].free) >> BeatTimes::kFraction;
  return std::max(issue, free - std::min<uint64_t>(free, timing_.latency));
}

/// Begin of the burst if there were no other ports.
uint64_t SharedChannel::alone(const Port& port, uint64_t issue) {
  const uint64_t ready = issue + timing_.latency + timing_.jitter(requests_++, stream_);
  return std::max(ready << BeatTimes::kFraction, port.free);
}

BeatTimes SharedChannel::serve(Port& port, uint64_t alone, uint64_t first, uint64_t beats) {
  port.waited += first - alone;
  port.free = first + beats * port_interval_;
  return {first, port_interval_};
}

BeatTimes SharedChannel::grant(unsigned port, uint64_t issue, uint64_t beats) {
  const uint64_t alone = this->alone(ports_[port], issue);
  const uint64_t first = std::max(alone, free_);
  free_ = first + beats * bus_interval_;
  return serve(ports_[port], alone, first, beats);
}

uint64_t SharedChannel::port_free_cycle(unsigned port) const {
  return BeatTimes::round_up(ports_[port].free);
}

BeatTimes SharedChannel::join(unsigned port, uint64_t issue, const BeatTimes& times,
                              uint64_t beats) {
  const uint64_t first = times.beat(0) << BeatTimes::kFraction;
  return serve(ports_[port], std::min(alone(ports_[port], issue), first), first, beats);
}

BeatTimes SharedChannel::fit_in(unsigned port, uint64_t issue, uint64_t beats) {
  const uint64_t alone = this->alone(ports_[port], issue), length = beats * bus_interval_;
  uint64_t first = alone;
  auto next = busy_.upper_bound(first);  // first entry that begins after `first`
  if (next != busy_.begin()) first = std::max(first, std::prev(next)->second);
  for (; next != busy_.end() && next->first < first + length; ++next) {
    first = std::max(first, next->second);
  }
  occupy(first, first + length);
  return serve(ports_[port], alone, first, beats);
}

/// [begin, end) must be free.
void SharedChannel::occupy(uint64_t begin, uint64_t end) {
  const auto next = busy_.lower_bound(begin);
  if (next != busy_.end() && next->first == end) {
    end = next->second;
    busy_.erase(next);
  }
  const auto after = busy_.lower_bound(begin);
  if (after != busy_.begin() && std::prev(after)->second == begin) {
    std::prev(after)->second = end;
  } else {
    busy_.emplace_hint(after, begin, end);
  }
}

uint64_t SharedChannel::waited(unsigned port) const {
  return ports_[port].waited >> BeatTimes::kFraction;
}

}  // namespace mxe::engine
