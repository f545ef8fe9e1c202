// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/numerics/block/block.h"
#include "model/numerics/kernels/preset_kernels.h"

namespace mxe::numerics {

/// Scales and element factors of up to kMost blocks.
struct RealScales {
  static constexpr std::size_t kMost = 128;
  std::array<uint8_t, kMost> codes;
  std::array<float, kMost> values;
  std::array<float, kMost> factors;  ///< factor or divisor of elements; 0, Inf or NaN: not ordinary
};

struct BlockElements {
  FloatArray x;            ///< the first element
  std::size_t stride = 0;  ///< elements from one row in memory to the next
  std::size_t rows = 0;    ///< in memory
  std::size_t blocks = 0;
  std::size_t size = 0;  ///< elements of a block per row in memory
  bool across = false;   ///< the blocked axis runs across the rows in memory
};

class ScaleChoice {
 public:
  /// The arguments must outlive the object.
  ScaleChoice(const BlockRules& rules, const PresetKernels& kernels,
              const EncodeParameters& parameters);

  /// Replaces scales of `six` by those of `four` where the error is smaller; the factor becomes 0
  /// if a scale is not ordinary. `block_rules`: rules per block if tensor scales differ, else null.
  void choose(const BlockElements& elements, const BlockRules* block_rules, const RealScales& four,
              RealScales& six);

 private:
  float whole(const BlockRules& rules) const;
  void set_wholes(const BlockElements& elements, const BlockRules* block_rules);
  void transpose(const BlockElements& elements);
  void widen_rows(const BlockElements& elements);
  // Returns the sum of errors of each block.
  const float* errors(const BlockElements& elements, const RealScales& scales);
  void errors_along(const BlockElements& elements, const RealScales& scales);
  void errors_across(const BlockElements& elements, const RealScales& scales);
  void add_rows(std::size_t blocks);

  const BlockRules& rules_;
  const PresetKernels& kernels_;
  const EncodeParameters& parameters_;
  const std::size_t block_rows_;
  // [row of the block][i][block] for blocks along rows, memory order for blocks across rows.
  const float* columns_ = nullptr;
  std::size_t column_stride_ = 0;
  std::vector<float> buffer_;
  std::vector<float> row_;  // a row in memory as float32
  std::vector<float> wholes_;
  std::vector<float> factors_;  // per column, for blocks across rows
  std::vector<float> values_;
  std::vector<float> column_errors_;
  std::vector<float> errors_;  // [row of the block][block]
};

}  // namespace mxe::numerics
