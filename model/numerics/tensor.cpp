#include "numerics/tensor.h"

#include <fmt/format.h>

#include <algorithm>

namespace mx {

void check(const MxTensor& tensor) {
  const size_t codes = tensor.rows * tensor.k;
  const size_t scales = tensor.rows * tensor.scale_columns();
  if (tensor.codes.size() != codes || tensor.scales.size() != scales) {
    throw Error(fmt::format("a {} x {} tensor needs {} codes and {} scales, got {} and {}",
                            tensor.rows, tensor.k, codes, scales, tensor.codes.size(),
                            tensor.scales.size()));
  }
}

std::vector<float> dequantize(const MxTensor& tensor) {
  check(tensor);
  const std::array<float, 256>& values = decode_table(tensor.format);
  const size_t columns = tensor.scale_columns();
  std::vector<float> result(tensor.codes.size());
  for (size_t row = 0; row < tensor.rows; ++row) {
    for (size_t block = 0; block < columns; ++block) {
      const float scale = decode_scale(tensor.scales[row * columns + block]);
      const size_t begin = row * tensor.k + block * kBlockSize;
      const size_t end = row * tensor.k + std::min(tensor.k, (block + 1) * kBlockSize);
      for (size_t i = begin; i < end; ++i) result[i] = values[tensor.codes[i]] * scale;
    }
  }
  return result;
}

size_t packed_row_bytes(FormatId format, size_t k) {
  return (k * static_cast<size_t>(element_format(format).bits) + 7) / 8;
}

std::vector<uint8_t> pack_rows(const MxTensor& tensor) {
  check(tensor);
  const size_t stride = packed_row_bytes(tensor.format, tensor.k);
  const unsigned bits = static_cast<unsigned>(element_format(tensor.format).bits);
  const uint32_t mask = element_format(tensor.format).code_mask();
  std::vector<uint8_t> packed;
  packed.reserve(tensor.rows * stride);
  for (size_t row = 0; row < tensor.rows; ++row) {
    uint32_t pending = 0;
    unsigned filled = 0;
    for (size_t i = 0; i < tensor.k; ++i) {
      pending |= (tensor.codes[row * tensor.k + i] & mask) << filled;
      for (filled += bits; filled >= 8; filled -= 8, pending >>= 8) {
        packed.push_back(static_cast<uint8_t>(pending));
      }
    }
    if (filled > 0) packed.push_back(static_cast<uint8_t>(pending));
  }
  return packed;
}

std::vector<uint8_t> unpack_rows(FormatId format, const uint8_t* packed, size_t rows, size_t k,
                                 size_t row_stride) {
  const unsigned bits = static_cast<unsigned>(element_format(format).bits);
  const uint32_t mask = element_format(format).code_mask();
  std::vector<uint8_t> codes;
  codes.reserve(rows * k);
  for (size_t row = 0; row < rows; ++row) {
    const uint8_t* next = packed + row * row_stride;
    uint32_t pending = 0;
    unsigned filled = 0;
    for (size_t i = 0; i < k; ++i) {
      if (filled < bits) {
        pending |= static_cast<uint32_t>(*next++) << filled;
        filled += 8;
      }
      codes.push_back(static_cast<uint8_t>(pending & mask));
      pending >>= bits;
      filled -= bits;
    }
  }
  return codes;
}

}  // namespace mx
