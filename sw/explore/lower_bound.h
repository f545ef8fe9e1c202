// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/job/job.h"
#include "sw/explore/point.h"

namespace mxe::explore {

/// What a job moves and multiplies at least, of any engine.
struct Compulsory {
  double compute_cycles = 0;   ///< all multipliers of the engine busy
  double bytes_read = 0;       ///< every operand and scale once
  double bytes_written = 0;    ///< every result and scale once
  double bytes_per_cycle = 0;  ///< of the port or the memory, whichever is less
};
Compulsory compulsory(const JobShape& shape, const Point& point);

/// The roofline: the cycles of the multiplications or of the compulsory bytes, whichever are more,
/// and the memory's latency three times, for descriptor, operands and results.
double roofline_cycles(const JobShape& shape, const Point& point);
/// The same of so many engines at one memory, whose bandwidth they share (0: that of one port).
double roofline_cycles(const JobShape& shape, const Point& point, unsigned engines);

/// A closed form that no job stays below, nearer than the roofline: passes over whole tiles in the
/// order of mxe_seq, operands read again as often as the buffers make it necessary, and what the
/// shortest job takes. What is missing is waiting.
uint64_t lower_bound_cycles(const JobShape& shape, const Point& point);

}  // namespace mxe::explore
