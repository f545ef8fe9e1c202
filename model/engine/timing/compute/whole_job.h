// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/engine/memory/memory_port.h"
#include "model/engine/timing/common/descriptor.h"
#include "model/numerics/quantize/tensor.h"

namespace mxe::engine {

/// Computes all results of a job when it starts, where memory can be reached without transactions.
/// This is many times faster than tile by tile, and gives the same results unless software changes
/// operands while the job runs.
class WholeJob {
 public:
  /// True if `job` can be computed so: all of it can be reached directly, D overlaps no operand, no
  /// two rows of A, B or D share bytes, and its numbers fit into the limit of kMostNumbers. It then
  /// holds at most 8 times the bytes of the job's arrays: an MXFP4 result of 4 bits is held as
  /// FP32.
  static bool can_compute(const Descriptor& job, MemoryPort& memory);
  /// Computes it.
  void compute(const Descriptor& job, MemoryPort& memory, bool fp4_dual);

  /// D from this element on, as FP32 bits, with rows `pitch()` values apart.
  const uint32_t* results(uint64_t row, uint64_t column) const {
    return &results_[row * pitch_ + column];
  }
  unsigned pitch() const { return pitch_; }
  /// D in memory, or null if that can no longer be reached directly.
  uint8_t* target(MemoryPort& memory) const { return memory.direct(d_address_, d_bytes_); }
  uint64_t d_address() const { return d_address_; }

 private:
  unsigned pitch_ = 0;
  uint64_t d_address_ = 0, d_bytes_ = 0;
  // Members, so that their memory is reused from job to job.
  numerics::MxTensor a_, b_;
  std::vector<uint32_t> results_;
};

}  // namespace mxe::engine
