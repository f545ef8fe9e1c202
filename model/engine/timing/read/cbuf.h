// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "model/engine/timing/common/banks.h"
#include "model/numerics/formats/bfloat16.h"
#include "model/params/hardware.h"
#include "model/params/params.h"

namespace mxe::engine {

/// Bias buffer (mxe_cbuf): two banks of one tile of C, as FP32 bits.
class CBuf {
 public:
  explicit CBuf(const Params& params)
      : rows_(params.rows), num_pe_(params.num_pe), values_(std::size_t{2} * rows_ * num_pe_) {}

  /// `one_row`: row 0 stands for every row. `bfloat16`: C is BF16, which becomes FP32 by 16 zeros.
  void configure(bool one_row, bool bfloat16) {
    one_row_ = one_row;
    bfloat16_ = bfloat16;
  }
  void put(unsigned bank, unsigned row, const uint8_t* data, uint32_t bytes) {
    uint32_t* values = &values_[(std::size_t{bank} * rows_ + row) * num_pe_];
    if (!bfloat16_) {
      std::memcpy(values, data, bytes);
      return;
    }
    numerics::widen_bfloat16(data, bytes / kBfloat16Bytes, values);
  }
  /// The values of a row, one for each PE.
  const uint32_t* row(unsigned bank, unsigned row) const {
    return &values_[(std::size_t{bank} * rows_ + (one_row_ ? 0 : row)) * num_pe_];
  }

  /// Values from row to row, 0 if one row stands for all.
  std::size_t pitch() const { return one_row_ ? 0 : num_pe_; }

  BankFills fills;

 private:
  unsigned rows_, num_pe_;
  bool one_row_ = false, bfloat16_ = false;
  std::vector<uint32_t> values_;
};

}  // namespace mxe::engine
