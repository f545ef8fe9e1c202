// SPDX-License-Identifier: Apache-2.0
#include "model/engine/opbuf.h"

#include <algorithm>

namespace mxe {

void OpBuf::configure(mx::FormatId format, uint32_t k) {
  format_ = format;
  k_ = k;
  for (mx::MxTensor& set : sets_) {
    set = {};
    set.format = format;
    set.k = k;
  }
}

/// The set, with room for row `line`.
mx::MxTensor& OpBuf::tensor(unsigned set, unsigned line) {
  mx::MxTensor& tensor = sets_[set];
  const std::size_t rows = std::max<std::size_t>(tensor.rows, line + 1);
  tensor.rows = rows;
  tensor.codes.resize(rows * k_);
  tensor.scales.resize(rows * tensor.scale_columns());
  return tensor;
}

void OpBuf::put_elements(unsigned set, unsigned line, uint32_t first, const uint8_t* packed,
                         uint32_t bytes) {
  mx::MxTensor& target = tensor(set, line);
  const auto bits = static_cast<std::size_t>(mx::element_format(format_).bits);
  const std::size_t count = std::min<std::size_t>(k_ - first, std::size_t{bytes} * 8 / bits);
  const std::vector<uint8_t> codes = mx::unpack_rows(format_, packed, 1, count, bytes);
  std::copy(codes.begin(), codes.end(), &target.codes[std::size_t{line} * k_ + first]);
}

void OpBuf::put_scales(unsigned set, unsigned line, uint32_t first, const uint8_t* scales,
                       uint32_t bytes) {
  mx::MxTensor& target = tensor(set, line);
  std::copy(scales, scales + bytes, &target.scales[line * target.scale_columns() + first]);
}

const mx::MxTensor& OpBuf::rows(unsigned set, unsigned rows) {
  mx::MxTensor& tensor = sets_[set];
  tensor.rows = rows;
  tensor.codes.resize(std::size_t{rows} * k_);
  tensor.scales.resize(rows * tensor.scale_columns());
  return tensor;
}

}  // namespace mxe
