#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/descriptor.h"
#include "engine/memory_port.h"

namespace mxe {

/// The data of a job in one go, where memory can be reached without transactions: operands are
/// taken from it when the job starts, and all results computed before the first row leaves. Many
/// times faster than tile by tile, and the same unless software changes operands under a running
/// job.
class WholeJob {
 public:
  /// Nothing if some part of the job cannot be reached directly, or if D overlaps what is read.
  static std::optional<WholeJob> make(const Descriptor& job, MemoryPort& memory, bool fp4_dual);

  /// FP32 bits of D from this element on, rows `pitch()` values apart.
  const uint32_t* results(uint64_t row, uint64_t column) const {
    return &results_[row * pitch_ + column];
  }
  unsigned pitch() const { return pitch_; }

 private:
  unsigned pitch_ = 0;
  std::vector<uint32_t> results_;
};

}  // namespace mxe
