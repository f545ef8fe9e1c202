// SPDX-License-Identifier: Apache-2.0
// NVFP4 twice without vector kernels: integers of 16 and 64 bits.
#include <algorithm>
#include <array>

#include "model/numerics/gemm/accumulate.h"
#include "model/numerics/gemm/gemm_policies.h"
#include "model/numerics/gemm/pair_rule.h"

namespace mxe::numerics {
namespace {

constexpr std::size_t kBlock = kNvfp4Scales.block;
constexpr int kScaleLsb = -9;  // of UE4M3

// Elements as integers, rows padded with zeros to whole blocks, and scales as multiples of 2^-9; a
// NaN scale is negative.
struct Integers {
  std::size_t columns;  // blocks a row
  std::vector<int16_t> values;
  std::vector<int32_t> scales;

  explicit Integers(const MxTensor& tensor) : columns(tensor.scale_columns()) {
    values.resize(tensor.rows * columns * kBlock);
    const std::array<int64_t, 256>& table = integer_table(tensor.format);
    for (std::size_t row = 0; row < tensor.rows; row++) {
      const uint8_t* codes = &tensor.codes[row * tensor.k];
      std::transform(codes, codes + tensor.k,
                     values.begin() + static_cast<std::ptrdiff_t>(row * columns * kBlock),
                     [&table](uint8_t code) { return static_cast<int16_t>(table[code]); });
    }
    for (const uint8_t code : tensor.scales) {
      const ScaleNumber scale = scale_number(tensor.layout.kind, code);
      const auto units = static_cast<int32_t>(scale.significand << (scale.exponent - kScaleLsb));
      scales.push_back(scale.is_nan ? -1 : units);
    }
  }
};

int32_t dot16(const int16_t* x, const int16_t* y) {
  int32_t sum = 0;
  for (std::size_t i = 0; i < kBlock; i++) sum += x[i] * y[i];
  return sum;
}

// RNE_fp32(acc + sum * 2^exponent). Most sums have few bits between the first and the last 1: then
// they are exact float32 numbers.
float add_sum(float acc, int64_t sum, int exponent) {
  const int zeros = sum == 0 ? 0 : __builtin_ctzll(static_cast<uint64_t>(sum));
  const int64_t odd = sum >> zeros;
  if (odd < (1 << 24) && odd > -(1 << 24)) {
    const auto scale = static_cast<uint32_t>(exponent + zeros + 127) << 23;
    return acc + static_cast<float>(odd) * from_bits(scale);
  }
  return from_bits(accumulate(to_bits(acc), sum, exponent));
}

}  // namespace

void gemm_nvfp4_into(const MxTensor& a, const MxTensor& b, const float* start, bool dual,
                     std::size_t first_row, std::size_t last_row, float* out) {
  const Integers ia(a);
  const Integers ib(b);
  const int lsb = 2 * (element_format(a.format).lsb_exponent + kScaleLsb);
  const std::size_t step = pair_rule(a.scaled_format(), b.scaled_format(), dual).step / kBlock;
  for (std::size_t i = first_row; i < last_row; i++) {
    for (std::size_t j = 0; j < b.rows; j++) {
      float acc = start ? start[i * b.rows + j] : 0.0f;
      for (std::size_t first = 0; first < ia.columns; first += step) {
        const std::size_t last = std::min(ia.columns, first + step);
        int64_t sum = 0;
        bool has_nan = false;
        for (std::size_t k = first; k < last; k++) {
          const std::size_t pa = i * ia.columns + k, pb = j * ia.columns + k;
          has_nan = has_nan || (ia.scales[pa] | ib.scales[pb]) < 0;
          sum += dot16(&ia.values[pa * kBlock], &ib.values[pb * kBlock]) *
                 (int64_t{ia.scales[pa]} * ib.scales[pb]);
        }
        acc = has_nan ? from_bits(kQuietNan) : add_sum(acc, sum, lsb);
      }
      const uint32_t result = to_bits(acc);
      out[i * b.rows + j] = is_nan_bits(result) ? from_bits(kQuietNan) : acc;
    }
  }
}

}  // namespace mxe::numerics
