// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/engine/descriptor.h"
#include "model/engine/memory_port.h"
#include "model/numerics/tensor.h"

namespace mxe {

/// The data of a job in one go, where memory can be reached without transactions: operands are
/// taken from it when the job starts, and all results computed before the first row leaves. Many
/// times faster than tile by tile, and the same unless software changes operands under a running
/// job.
class WholeJob {
 public:
  /// Computes `job`. Does nothing and returns false if some part of it cannot be reached directly,
  /// if D overlaps what is read, or if its numbers are too many to be held at once.
  bool compute(const Descriptor& job, MemoryPort& memory, bool fp4_dual);

  /// FP32 bits of D from this element on, rows `pitch()` values apart.
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
  // Kept from job to job for their memory.
  mx::MxTensor a_, b_;
  std::vector<uint32_t> results_;
};

}  // namespace mxe
