// SPDX-License-Identifier: Apache-2.0
// The engine's accumulation rule for blocks of 32: one rounding per block.
#include <algorithm>
#include <array>

#include "model/numerics/gemm/accumulate.h"
#include "model/numerics/gemm/gemm_policies.h"

namespace mxe::numerics {
namespace {

// Elements of one operand as integers, rows padded with zeros to whole blocks. `special` marks
// blocks with a NaN scale or a NaN or infinite element; they take the slow path.
template <typename T>
struct Integers {
  std::size_t columns;  // blocks a row
  std::vector<T> values;
  std::vector<uint8_t> special;

  explicit Integers(const MxTensor& tensor) : columns(tensor.scale_columns()) {
    values.resize(tensor.rows * columns * kBlockSize);
    special.resize(tensor.rows * columns);
    const std::array<int64_t, 256>& table = integer_table(tensor.format);
    const ElementFormat& format = element_format(tensor.format);
    for (std::size_t row = 0; row < tensor.rows; row++) {
      for (std::size_t i = 0; i < tensor.k; i++) {
        const uint8_t code = tensor.codes[row * tensor.k + i];
        values[row * columns * kBlockSize + i] = static_cast<T>(table[code]);
        if (format.kind == FormatKind::floating &&
            (code & (format.sign_mask() - 1)) > format.max_code) {
          special[row * columns + i / kBlockSize] = 1;
        }
      }
    }
    for (std::size_t i = 0; i < special.size(); i++) {
      if (tensor.scales[i] == kNanScale) special[i] = 1;
    }
  }

  const T* block(std::size_t index) const { return values.data() + index * kBlockSize; }
};

template <typename Sum, typename T>
Sum dot32(const T* x, const T* y) {
  Sum sum = 0;
  for (std::size_t i = 0; i < kBlockSize; i++) sum += static_cast<Sum>(x[i]) * y[i];
  return sum;
}

// RNE_fp32(acc + sum * 2^exponent). If the sum has at most 24 bits and its lsb weighs at least
// 2^-149, sum * 2^exponent is an exact float32 number (if not above its range) and one float32
// addition suffices.
template <typename Sum>
float accumulate_fast(float acc, Sum sum, int exponent) {
  constexpr Sum kLimit = Sum{1} << 24;
  if (exponent >= -149 && exponent <= 103 && sum > -kLimit && sum < kLimit) {
    const uint32_t scale = exponent >= -126 ? static_cast<uint32_t>(exponent + 127) << 23
                                            : uint32_t{1} << (exponent + 149);
    return acc + static_cast<float>(sum) * from_bits(scale);
  }
  return from_bits(accumulate(to_bits(acc), static_cast<Int128>(sum), exponent));
}

template <typename T, typename Sum>
void multiply(const MxTensor& a, const MxTensor& b, const float* bias, std::size_t chains,
              std::size_t first_row, std::size_t last_row, float* out) {
  const Integers<T> ia(a);
  const Integers<T> ib(b);
  const std::size_t columns = ia.columns;
  const int lsb = element_format(a.format).lsb_exponent + element_format(b.format).lsb_exponent -
                  2 * kScaleBias;
  for (std::size_t i = first_row; i < last_row; i++) {
    for (std::size_t j = 0; j < b.rows; j++) {
      std::array<float, 2> acc = {bias ? bias[i * b.rows + j] : 0.0f, 0.0f};
      for (std::size_t k = 0; k < columns; k++) {
        const std::size_t pa = i * columns + k;
        const std::size_t pb = j * columns + k;
        float& chain = acc[k % chains];
        if ((ia.special[pa] | ib.special[pb]) != 0) {
          const std::size_t count = std::min<std::size_t>(kBlockSize, a.k - k * kBlockSize);
          const BlockDot dot =
              block_dot(a.format, &a.codes[i * a.k + k * kBlockSize], a.scales[pa], b.format,
                        &b.codes[j * b.k + k * kBlockSize], b.scales[pb], count);
          chain = from_bits(accumulate(to_bits(chain), dot));
          continue;
        }
        const Sum sum = dot32<Sum>(ia.block(pa), ib.block(pb));
        chain = accumulate_fast<Sum>(chain, sum, a.scales[pa] + b.scales[pb] + lsb);
      }
      uint32_t result = to_bits(acc[0]);
      if (chains == 2) result = merge_chains(result, to_bits(acc[1]));
      out[i * b.rows + j] = is_nan_bits(result) ? from_bits(kQuietNan) : from_bits(result);
    }
  }
}

}  // namespace

void gemm_block_into(const MxTensor& a, const MxTensor& b, const float* bias, bool dual,
                     std::size_t first_row, std::size_t last_row, float* out) {
  const std::size_t chains = dual && is_dual_pair(a.format, b.format) ? 2 : 1;
  const unsigned width = pair_tree_width(a.format, b.format);
  if (width <= 24) {
    multiply<int16_t, int32_t>(a, b, bias, chains, first_row, last_row, out);
  } else if (width <= 64) {
    multiply<int64_t, int64_t>(a, b, bias, chains, first_row, last_row, out);
  } else {
    multiply<int64_t, Int128>(a, b, bias, chains, first_row, last_row, out);
  }
}

}  // namespace mxe::numerics
