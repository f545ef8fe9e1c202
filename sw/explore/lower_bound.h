// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/job/job.h"
#include "sw/explore/point.h"

namespace mxe::explore {

/// Minimum work of a job on any engine.
struct Compulsory {
  double compute_cycles = 0;  ///< with all multipliers of the engine busy
  double feed_cycles = 0;     ///< decoding the words of B, feed_cols() columns a cycle
  double bytes_read = 0;      ///< every operand and scale once
  double bytes_written = 0;
};
Compulsory compulsory(const job::JobShape& shape, const Point& point);

double b_bytes(const job::JobShape& shape);

/// Cycles to move the bytes through the port and through the memory. Reads and writes overlap,
/// except in a half-duplex memory.
struct Transfer {
  double port = 0, memory = 0;
  double cycles() const { return port > memory ? port : memory; }
};
Transfer transfer(double bytes_read, double bytes_written, const Point& point,
                  unsigned engines = 1);

/// The roofline: three memory latencies (descriptor, operands, results) plus the largest of the
/// cycles for multiplying, feeding and moving the compulsory bytes.
double roofline_cycles(const job::JobShape& shape, const Point& point);
/// For `engines` engines that share one memory's bandwidth (bytes_per_cycle 0: that of one port).
double roofline_cycles(const job::JobShape& shape, const Point& point, unsigned engines);

/// A lower bound in closed form, tighter than the roofline. Counts passes over whole tiles in the
/// order of mxe_seq, operands read again because of the buffer sizes, and the cycles of the
/// shortest job. It does not count stalls.
uint64_t lower_bound_cycles(const job::JobShape& shape, const Point& point);

/// The part that limits a job.
enum class Limit : uint8_t {
  array,  ///< rows of tiles enter the array
  feeder,
  port,
  memory,   ///< the memory transfers bytes, at a lower rate than the port
  latency,  ///< none of them works for half of the time
};
inline constexpr std::size_t kLimits = 5;
const char* limit_name(Limit limit);

/// The part that is busy for most of a job's `cycles`, in which it moved these bytes.
Limit limit_of(const job::JobShape& shape, const Point& point, double cycles, double bytes_read,
               double bytes_written);

}  // namespace mxe::explore
