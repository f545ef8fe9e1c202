#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "engine/banks.h"
#include "engine/params.h"

namespace mxe {

/// Bias buffer (mxe_cbuf): two banks of one tile of C, as FP32 bits.
class CBuf {
 public:
  explicit CBuf(const Params& params)
      : rows_(params.rows), num_pe_(params.num_pe), values_(std::size_t{2} * rows_ * num_pe_) {}

  /// `one_row`: row 0 stands for every row.
  void configure(bool one_row) { one_row_ = one_row; }
  void put(unsigned bank, unsigned row, const uint8_t* data, uint32_t bytes) {
    std::memcpy(&values_[(std::size_t{bank} * rows_ + row) * num_pe_], data, bytes);
  }
  /// The values of a row, one for each PE.
  const uint32_t* row(unsigned bank, unsigned row) const {
    return &values_[(std::size_t{bank} * rows_ + (one_row_ ? 0 : row)) * num_pe_];
  }

  BankFills fills;

 private:
  unsigned rows_, num_pe_;
  bool one_row_ = false;
  std::vector<uint32_t> values_;
};

}  // namespace mxe
