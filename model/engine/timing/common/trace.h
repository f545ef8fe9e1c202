// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace mxe::engine {

enum class Track : uint8_t {
  queue,       ///< states of the command processor during a job
  descriptor,  ///< row fetches of descriptors, request to grant
  record,      ///< completion records, end of the job to completion
  loader_a,    ///< row fetches, first cycle of the request to grant
  loader_b,
  loader_bias,
  array,         ///< passes, and waits between them by cause
  drain,         ///< rows that leave the tile buffer
  memory_read,   ///< row fetches, first to last beat
  memory_write,  ///< bursts, first to last beat
};
inline constexpr std::size_t kTracks = 10;

/// A detail of a slice. `name` is one word and must outlive the tracer.
struct TraceDetail {
  const char* name;
  uint64_t value;
};
using TraceDetails = std::initializer_list<TraceDetail>;

/// Receives the engine's activity. Slices are reported when the model computes their end, not in
/// order of time. Those of one track do not overlap, except records.
class Tracer {
 public:
  virtual ~Tracer() = default;

  /// Reports activity `what` (one or two words, must outlive the tracer) from `begin` to before
  /// `end`.
  virtual void slice(Track track, const char* what, uint64_t begin, uint64_t end,
                     TraceDetails details) = 0;
};

/// Optional access of a block to the tracer.
class TracePoint {
 public:
  explicit TracePoint(Tracer* tracer = nullptr) : tracer_(tracer) {}

  explicit operator bool() const { return tracer_ != nullptr; }
  void slice(Track track, const char* what, uint64_t begin, uint64_t end,
             TraceDetails details = {}) const {
    if (tracer_ && begin < end) tracer_->slice(track, what, begin, end, details);
  }

 private:
  Tracer* tracer_;
};

}  // namespace mxe::engine
