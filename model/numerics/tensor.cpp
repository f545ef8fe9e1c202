#include "numerics/tensor.h"

#include <fmt/format.h>

#include <algorithm>

#include "numerics/layout.h"

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
  return pack_codes(tensor.codes.data(), tensor.rows, tensor.k, element_format(tensor.format).bits,
                    NibbleOrder::low);
}

std::vector<uint8_t> unpack_rows(FormatId format, const uint8_t* packed, size_t rows, size_t k,
                                 size_t row_stride) {
  return unpack_codes(packed, rows, k, element_format(format).bits, NibbleOrder::low, row_stride);
}

}  // namespace mx
