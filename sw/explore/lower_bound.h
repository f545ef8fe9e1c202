// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/job/job.h"
#include "sw/explore/point.h"

namespace mxe::explore {

/// Minimum work of a job on the point's engine, by the sizes of its operands and results.
struct Compulsory {
  double compute_cycles = 0;  ///< with all multipliers of the engine busy
  double feed_cycles = 0;     ///< decoding B once per stripe, feed_cols() columns a cycle
  double bytes_read = 0;      ///< every operand and scale once
  double bytes_written = 0;
};
Compulsory compulsory(const job::JobShape& shape, const Point& point);

double b_bytes(const job::JobShape& shape);

/// Bytes per cycle of the memory; the width of one port if the point has no other value.
double memory_rate(const Point& point);

/// Cycles to move bytes. Reads and writes overlap, except in a half-duplex memory.
struct Transfer {
  double port = 0, memory = 0;
  double cycles() const { return port > memory ? port : memory; }
};
Transfer transfer(double bytes_read, double bytes_written, const Point& point,
                  unsigned engines = 1);

/// The roofline: three memory latencies (descriptor, operands, results) plus the largest of the
/// cycles to multiply, to decode B and to move the compulsory bytes.
double roofline_cycles(const job::JobShape& shape, const Point& point);
/// The same for `engines` engines that share a memory (bytes_per_cycle 0: the width of one port).
double roofline_cycles(const job::JobShape& shape, const Point& point, unsigned engines);

/// A tighter bound in closed form: passes over whole tiles, repeated reads because of small
/// buffers, and the cycles of the shortest job, but no stalls.
uint64_t lower_bound_cycles(const job::JobShape& shape, const Point& point);

enum class Limit : uint8_t {
  array,  ///< rows pass through the array
  feeder,
  port,
  memory,   ///< moves bytes at a lower rate than the port
  latency,  ///< no other part is busy for half of the cycles
};
inline constexpr std::size_t kLimits = 5;
const char* limit_name(Limit limit);

/// The part with the most busy cycles in a job that moved these bytes, or Limit::latency.
Limit limit_of(const job::JobShape& shape, const Point& point, double cycles, double bytes_read,
               double bytes_written);

}  // namespace mxe::explore
