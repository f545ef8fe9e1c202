// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/job/job.h"
#include "sw/explore/point.h"

namespace mxe::explore {

/// What a job moves and multiplies at least, of any engine.
struct Compulsory {
  double compute_cycles = 0;  ///< all multipliers of the engine busy
  double feed_cycles = 0;     ///< the feeder decodes the words of B, feed_cols() columns a cycle
  double bytes_read = 0;      ///< every operand and scale once
  double bytes_written = 0;   ///< every result and scale once
};
Compulsory compulsory(const JobShape& shape, const Point& point);

/// Bytes of B and its scales, in memory.
double b_bytes(const JobShape& shape);

/// Cycles that these bytes need at the port and at the memory, whichever takes longer. Both
/// directions transfer at once, except at the memory if it is half-duplex.
struct Transfer {
  double port = 0, memory = 0;
  double cycles() const { return port > memory ? port : memory; }
};
Transfer transfer(double bytes_read, double bytes_written, const Point& point,
                  unsigned engines = 1);

/// The roofline: the cycles of the multiplications, of the feeder or of the compulsory bytes,
/// whichever are more, and the memory's latency three times, for descriptor, operands and results.
double roofline_cycles(const JobShape& shape, const Point& point);
/// The same of so many engines at one memory, whose bandwidth they share (0: that of one port).
double roofline_cycles(const JobShape& shape, const Point& point, unsigned engines);

/// A closed form that no job stays below, nearer than the roofline: passes over whole tiles in the
/// order of mxe_seq, operands read again as often as the buffers make it necessary, and what the
/// shortest job takes. What is missing is waiting.
uint64_t lower_bound_cycles(const JobShape& shape, const Point& point);

/// The part of engine or memory that limits a job.
enum class Limit : uint8_t {
  array,    ///< a row of a tile enters the array in every cycle
  feeder,   ///< it decodes words of B
  port,     ///< the engine's port transfers beats
  memory,   ///< the memory transfers bytes, at a lower rate than the port
  latency,  ///< none of them works for half of the time: latencies of memory and pipelines
};
inline constexpr std::size_t kLimits = 5;
const char* limit_name(Limit limit);

/// The part that works in most of the `cycles` that a job took, during which it read and wrote
/// these bytes.
Limit limit_of(const JobShape& shape, const Point& point, double cycles, double bytes_read,
               double bytes_written);

}  // namespace mxe::explore
