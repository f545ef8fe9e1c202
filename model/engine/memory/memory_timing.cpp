// SPDX-License-Identifier: Apache-2.0
#include "model/engine/memory/memory_timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "model/numerics/base/error.h"
#include "model/numerics/base/random.h"

namespace mxe::engine {
namespace {

constexpr uint64_t kOne = uint64_t{1} << BeatTimes::kFraction;

}  // namespace

void MemoryTiming::validate() const {
  if (latency < 1 || latency > 100000) {
    throw LimitError(
        fmt::format("memory latency is {} cycles, but must be from 1 to 100000", latency),
        "mem_latency", {double(latency)});
  }
  // Written so that NaN fails the comparison.
  if (bytes_per_cycle != 0 && !(bytes_per_cycle >= 1.0 / 64 && bytes_per_cycle <= 1e6)) {
    throw LimitError(
        fmt::format("memory bandwidth is {} bytes per cycle, but must be 0 (one beat a cycle) or "
                    "from 1/64 to 1e6",
                    bytes_per_cycle),
        "mem_bytes_per_cycle", {bytes_per_cycle});
  }
  if (jitter_cycles > 100000) {
    throw LimitError(
        fmt::format("memory jitter is {} cycles, but must be from 0 to 100000", jitter_cycles),
        "mem_jitter", {double(jitter_cycles)});
  }
}

uint64_t MemoryTiming::jitter(uint64_t request, uint64_t stream) const {
  if (jitter_seed == 0) return 0;
  return mix64(jitter_seed ^ mix64(2 * request + stream)) % (uint64_t{jitter_cycles} + 1);
}

uint64_t MemoryTiming::beat_interval(unsigned beat_bytes) const {
  if (bytes_per_cycle == 0) return kOne;
  const auto interval =
      static_cast<uint64_t>(std::llround(static_cast<double>(kOne) * beat_bytes / bytes_per_cycle));
  return std::max<uint64_t>(interval, 1);
}

uint64_t MemoryBus::occupy(uint64_t from, uint64_t length) {
  uint64_t begin = std::max(from, free_cycle_);
  auto next = busy_.begin();
  for (; next != busy_.end() && next->begin < begin + length; ++next) {
    begin = std::max(begin, next->end);
  }
  // The free time lies between the previous entry and `next`.
  const bool joins = next != busy_.begin() && std::prev(next)->end == begin;
  if (joins) {
    std::prev(next)->end = begin + length;
  } else {
    busy_.insert(next, {begin, begin + length});
  }
  if (busy_.size() > kMostBusy) {
    free_cycle_ = busy_.front().end;
    busy_.erase(busy_.begin());
  }
  return begin;
}

MemoryChannel::MemoryChannel(const MemoryTiming& timing, uint64_t stream, MemoryBus* bus)
    : timing_(timing), stream_(stream), bus_(bus) {}

BeatTimes MemoryChannel::serve(uint64_t issue, uint64_t beats, unsigned beat_bytes) {
  const uint64_t ready = (issue + timing_.latency + timing_.jitter(requests_++, stream_))
                         << BeatTimes::kFraction;
  uint64_t first = std::max(ready, free_);
  if (beat_bytes != beat_bytes_) {
    beat_bytes_ = beat_bytes;
    bus_interval_ = timing_.beat_interval(beat_bytes);
    interval_ = std::max(bus_interval_, kOne);  // one beat per cycle at most
  }
  if (bus_) first = bus_->occupy(first, beats * bus_interval_);
  free_ = first + beats * interval_;
  return {first, interval_};
}

}  // namespace mxe::engine
