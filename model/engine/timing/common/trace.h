// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace mxe::engine {

/// The parts of the engine whose activity is traced, one track each.
enum class Track : uint8_t {
  queue,         ///< the states of the command processor while a job is under way
  descriptor,    ///< row fetches of descriptors, from the request to its grant
  record,        ///< completion records, from the end of the job to its completion
  loader_a,      ///< row fetches, from the first cycle of the request to its grant
  loader_b,      ///< the same
  loader_bias,   ///< the same
  array,         ///< passes, and the waits between them by their causes
  drain,         ///< rows that leave the tile buffer
  memory_read,   ///< row fetches, from their first beat to their last
  memory_write,  ///< bursts, the same
};
inline constexpr std::size_t kTracks = 10;

/// A detail of a slice. `name` is a plain word and must outlive the tracer.
struct TraceDetail {
  const char* name;
  uint64_t value;
};
using TraceDetails = std::initializer_list<TraceDetail>;

/// Receives the activity of the engine. The model computes the end of an activity when it begins,
/// so slices arrive in no particular order; those of one track do not overlap.
class Tracer {
 public:
  virtual ~Tracer() = default;

  /// `what` is going on from cycle `begin` until before `end`, which is later. `what` is a plain
  /// word and must outlive the tracer.
  virtual void slice(Track track, const char* what, uint64_t begin, uint64_t end,
                     TraceDetails details) = 0;
};

/// Gives a block access to the tracer, if there is one.
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
