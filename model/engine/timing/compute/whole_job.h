// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/engine/memory/memory_port.h"
#include "model/engine/timing/common/descriptor.h"
#include "model/numerics/quantize/tensor.h"

namespace mxe::engine {

/// Computes all results of a job at its start, many times faster than tile by tile. Results differ
/// only if software changes operands or the bias while the job runs.
class WholeJob {
 public:
  /// True if all of `job`'s memory is directly accessible, D and its scales overlap neither
  /// operands nor the bias, no two rows of A, B, their scales or D share bytes, and A, B and D
  /// together have at most kMostNumbers elements. compute() holds D as FP32: 8 times the bytes of
  /// 4-bit MXFP4 results.
  static bool can_compute(const Descriptor& job, MemoryPort& memory);
  void compute(const Descriptor& job, MemoryPort& memory, bool fp4_dual);

  /// D from this element on, as FP32 bits; rows are pitch() values apart.
  const uint32_t* results(uint64_t row, uint64_t column) const {
    return &results_[row * pitch_ + column];
  }
  unsigned pitch() const { return pitch_; }
  /// D in memory; null if it is no longer directly accessible.
  uint8_t* target(MemoryPort& memory) const { return memory.direct(d_address_, d_bytes_); }
  uint64_t d_address() const { return d_address_; }

 private:
  unsigned pitch_ = 0;
  uint64_t d_address_ = 0, d_bytes_ = 0;
  // Members, so that their memory is reused.
  numerics::MxTensor a_, b_;
  std::vector<uint32_t> results_;
};

}  // namespace mxe::engine
