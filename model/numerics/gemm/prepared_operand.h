// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "model/numerics/base/simd.h"
#include "model/numerics/formats/format.h"
#include "model/numerics/quantize/tensor.h"

namespace mxe::numerics {

struct GemmKernels;
struct PackedOperand;

/// The operand B [N][K] of several products, such as weights. Caches its packed form for the last
/// kernels and format of A. Thread-safe. The tensor must outlive it unchanged.
class PreparedOperand {
 public:
  explicit PreparedOperand(const MxTensor& b) : tensor_(b) {}

  const MxTensor& tensor() const { return tensor_; }

  /// B packed for these kernels and an A of `format_a`; `step_blocks` as in PackOptions. `level`
  /// and `threads` affect only speed.
  std::shared_ptr<const PackedOperand> packed(FormatId format_a, const GemmKernels& kernels,
                                              std::size_t step_blocks, SimdLevel level,
                                              unsigned threads) const;

 private:
  struct Purpose {
    FormatId format_a;
    std::size_t columns;
    bool adds_bytes_in_words;
    std::size_t step_blocks;

    bool operator==(const Purpose& other) const {
      return format_a == other.format_a && columns == other.columns &&
             adds_bytes_in_words == other.adds_bytes_in_words && step_blocks == other.step_blocks;
    }
  };

  const MxTensor& tensor_;
  mutable std::mutex mutex_;
  mutable Purpose purpose_{};
  mutable std::shared_ptr<const PackedOperand> packed_;
};

}  // namespace mxe::numerics
