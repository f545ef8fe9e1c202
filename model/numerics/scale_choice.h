// SPDX-License-Identifier: Apache-2.0
// The choice between two block scales (FourOverSix) for many blocks at once, with vector kernels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/numerics/block.h"
#include "model/numerics/preset_kernels.h"

namespace mx {

/// Scales with significand bits of some blocks, and what elements are multiplied or divided by.
struct RealScales {
  static constexpr std::size_t kMost = 128;
  std::array<uint8_t, kMost> codes;
  std::array<float, kMost> values;
  std::array<float, kMost> factors;  ///< 0, Inf or NaN for blocks that are not ordinary
};

/// Blocks side by side, as they lie in memory.
struct BlockElements {
  FloatArray x;            ///< the first one
  std::size_t stride = 0;  ///< from one row in memory to the next
  std::size_t rows = 0;    ///< in memory
  std::size_t blocks = 0;
  std::size_t size = 0;  ///< neighbours of a row in memory that a block has
  bool across = false;   ///< the blocked axis runs across the rows in memory
};

class ScaleChoice {
 public:
  /// `rules`, `kernels` and `parameters` must outlive it.
  ScaleChoice(const BlockRules& rules, const PresetKernels& kernels,
              const EncodeParameters& parameters);

  /// Replaces scales of `six` with those of `four` where that makes the error smaller. Blocks of
  /// which one scale is not ordinary get a factor of 0. Blocks with a tensor scale each come with
  /// `own`, the rules of every one.
  void choose(const BlockElements& elements, const BlockRules* own, const RealScales& four,
              RealScales& six);

 private:
  float whole(const BlockRules& rules) const;
  void set_wholes(const BlockElements& elements, const BlockRules* own);
  void transpose(const BlockElements& elements);
  void widen_rows(const BlockElements& elements);
  // Sums of errors, one a block.
  const float* errors(const BlockElements& elements, const RealScales& scales);
  void errors_along(const BlockElements& elements, const RealScales& scales);
  void errors_across(const BlockElements& elements, const RealScales& scales);
  void add_rows(std::size_t blocks);

  const BlockRules& rules_;
  const PresetKernels& kernels_;
  const EncodeParameters& parameters_;
  const std::size_t block_rows_;
  // The elements as the kernel takes them, and from one row of them to the next: of blocks along
  // rows [row of the block][i][block], of blocks across as they lie in memory.
  const float* columns_ = nullptr;
  std::size_t column_stride_ = 0;
  std::vector<float> buffer_;
  std::vector<float> row_;  // one of 16-bit elements, widened
  std::vector<float> wholes_;
  std::vector<float> factors_;  // of columns, where several have the scale of a block
  std::vector<float> values_;
  std::vector<float> column_errors_;
  std::vector<float> errors_;  // [row of the block][block]
};

}  // namespace mx
