// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/quantize/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/numerics/base/bits.h"
#include "model/numerics/base/parallel.h"
#include "model/numerics/formats/layout.h"
#include "model/numerics/kernels/block_kernels.h"

namespace mxe::numerics {

namespace {

// Any layout, one element after the other.
std::vector<float> dequantize_elements(const MxTensor& tensor) {
  std::vector<float> result(tensor.codes.size());
  for (std::size_t i = 0; i < result.size(); i++) {
    const std::size_t block = i % tensor.k / tensor.layout.block;
    const uint8_t code = tensor.scales[i / tensor.k * tensor.scale_columns() + block];
    const ScaleNumber scale = scale_number(tensor.layout.kind, code);
    const auto factor = static_cast<float>(scale.significand * pow2(scale.exponent));
    const float value = decode(tensor.format, tensor.codes[i]) * factor;
    result[i] = scale.is_nan || std::isnan(value) ? from_bits(kQuietNan) : value;
  }
  return result;
}

}  // namespace

void check(const MxTensor& tensor) {
  check(tensor.scaled_format());
  const std::size_t codes = tensor.rows * tensor.k;
  const std::size_t scales = tensor.rows * tensor.scale_columns();
  if (tensor.codes.size() != codes || tensor.scales.size() != scales) {
    throw Error(fmt::format("a {} x {} tensor needs {} codes and {} scales, got {} and {}",
                            tensor.rows, tensor.k, codes, scales, tensor.codes.size(),
                            tensor.scales.size()));
  }
  const std::size_t factors = tensor.tensor_scales.size();
  if (factors > 1 && factors != tensor.rows) {
    throw Error(fmt::format("a tensor of {} rows has no tensor scale, one or one per row, not {}",
                            tensor.rows, factors));
  }
}

MxTensor slice_rows(const MxTensor& tensor, std::size_t first, std::size_t count) {
  const auto slice = [first, count](const std::vector<uint8_t>& bytes, std::size_t row) {
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(first * row);
    return std::vector<uint8_t>(begin, begin + static_cast<std::ptrdiff_t>(count * row));
  };
  std::vector<float> factors = tensor.tensor_scales;
  if (factors.size() > 1) {
    const auto begin = factors.begin() + static_cast<std::ptrdiff_t>(first);
    factors = std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(count));
  }
  return {tensor.format,
          count,
          tensor.k,
          slice(tensor.codes, tensor.k),
          slice(tensor.scales, tensor.scale_columns()),
          tensor.layout,
          std::move(factors)};
}

MxTensor with_blocks_of_32(const MxTensor& tensor) {
  check(tensor);
  const auto [kind, block] = tensor.layout;
  if (!is_power_of_two(kind) || (kind == ScaleKind::e8m0 && block < kBlockSize)) {
    throw Error(tensor.scaled_format().name() + " has no equal in E8M0 scales of blocks of 32");
  }
  MxTensor result = tensor;
  result.layout = {};
  const std::size_t columns = result.scale_columns();
  result.scales.assign(tensor.rows * columns, kScaleBias);
  if (kind == ScaleKind::none) return result;
  for (std::size_t row = 0; row < tensor.rows; row++) {
    for (std::size_t i = 0; i < columns; i++) {
      result.scales[row * columns + i] =
          tensor.scales[row * tensor.scale_columns() + i * kBlockSize / block];
    }
  }
  return result;
}

std::vector<float> dequantize(const MxTensor& tensor, unsigned threads,
                              std::optional<SimdLevel> simd) {
  check(tensor);
  if (!has_blocks_of_32(tensor)) {
    if (tensor.layout.kind == ScaleKind::none) return dequantize(with_blocks_of_32(tensor));
    return dequantize_elements(tensor);
  }
  std::vector<float> result(tensor.codes.size());
  dequantize_rows(tensor.format, tensor.codes.data(), tensor.scales.data(), tensor.rows, tensor.k,
                  threads, simd, result.data());
  return result;
}

void dequantize_rows(FormatId format, const uint8_t* codes, const uint8_t* scales, std::size_t rows,
                     std::size_t k, unsigned threads, std::optional<SimdLevel> simd, float* out) {
  const std::size_t columns = (k + kBlockSize - 1) / kBlockSize;
  const std::size_t whole = k / kBlockSize;
  const std::size_t rest = k % kBlockSize;
  const DequantizeKernel kernel =
      block_kernels(format, simd.value_or(best_simd_level())).dequantize;
  if (rest == 0) {  // no short blocks: one long row
    parallel_ranges(rows * columns, threads, [&](std::size_t first, std::size_t last) {
      kernel(codes + first * kBlockSize, scales + first, last - first, out + first * kBlockSize);
    });
    return;
  }
  parallel_ranges(rows, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; row++) {
      kernel(codes + row * k, scales + row * columns, whole, out + row * k);
      uint8_t padded[kBlockSize] = {};
      float values[kBlockSize];
      std::copy_n(codes + row * k + whole * kBlockSize, rest, padded);
      kernel(padded, scales + row * columns + whole, 1, values);
      std::copy_n(values, rest, out + row * k + whole * kBlockSize);
    }
  });
}

std::size_t packed_row_bytes(FormatId format, std::size_t k) {
  return (k * static_cast<std::size_t>(element_shape(format).stored_bits()) + 7) / 8;
}

std::vector<uint8_t> pack_rows(const MxTensor& tensor) {
  check(tensor);
  return pack_codes(tensor.codes.data(), tensor.rows, tensor.k,
                    element_shape(tensor.format).stored_bits(), NibbleOrder::low);
}

std::vector<uint8_t> unpack_rows(FormatId format, const uint8_t* packed, std::size_t rows,
                                 std::size_t k, std::size_t row_stride) {
  return unpack_codes(packed, rows, k, element_shape(format).stored_bits(), NibbleOrder::low,
                      row_stride);
}

}  // namespace mxe::numerics
