// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/gemm/gemm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/numerics/base/bits.h"
#include "model/numerics/base/parallel.h"
#include "model/numerics/gemm/gemm_definition.h"
#include "model/numerics/gemm/gemm_fast.h"
#include "model/numerics/gemm/gemm_policies.h"

namespace mxe::numerics {
namespace {

GemmKernels kernels_for(SimdLevel level) {
  switch (level) {
    case SimdLevel::portable:
      break;
    case SimdLevel::avx2:
      return gemm_kernels_avx2();
    case SimdLevel::avx512:
      return gemm_kernels_avx512();
  }
  return {};
}

SimdLevel level_of(const GemmOptions& options) { return options.simd.value_or(best_simd_level()); }

std::vector<float> fast_gemm(const MxTensor& a, const PreparedOperand& b, const float* bias,
                             const GemmKernels& kernels, const GemmOptions& options) {
  std::vector<float> out(a.rows * b.tensor().rows);
  const FastGemm fast(a, b, kernels, level_of(options), options.dual, options.threads);
  const std::size_t rows = fast.tile_rows();
  const std::size_t tiles = (a.rows + rows - 1) / rows;
  parallel_ranges(tiles, options.threads, [&](std::size_t first, std::size_t last) {
    fast.run(bias, first * rows, std::min(a.rows, last * rows), out.data());
  });
  return out;
}

std::vector<float> sums_of_nothing(std::size_t count, const float* bias) {
  std::vector<float> sums(count);
  if (!bias) return sums;
  std::transform(bias, bias + count, sums.begin(),
                 [](float x) { return std::isnan(x) ? from_bits(kQuietNan) : x; });
  return sums;
}

// Both operands are those of mxf8f6f4, or both of mxf4nvf4 with the same kind of scales.
void check_blackwell(const MxTensor& a, const MxTensor& b) {
  const auto is_mxf8f6f4 = [](const MxTensor& tensor) {
    return element_shape(tensor.format).kind == FormatKind::floating && has_blocks_of_32(tensor);
  };
  const ScaledFormat of_a = a.scaled_format(), of_b = b.scaled_format();
  if (is_mxf8f6f4(a) && is_mxf8f6f4(b)) return;
  if (is_mxf4nvf4(of_a) && is_mxf4nvf4(of_b) && of_a.scales == of_b.scales) return;
  throw Error(
      fmt::format("nvidia-blackwell has no {} times {} (allowed: the mxfp formats in blocks of 32; "
                  "nvfp4 times nvfp4; mxfp4_e2m1 in blocks of 16 on both sides)",
                  of_a.name(), of_b.name()));
}

// Operands of the rule `block` that are equal to some with blocks of 32.
bool sums_blocks_of_32(const ScaledFormat& format) {
  return is_power_of_two(format.scales.kind) &&
         (format.scales.kind == ScaleKind::none || format.scales.block >= kBlockSize);
}

bool has_alpha(const MxTensor& a, const MxTensor& b, const GemmOptions& options) {
  return options.alpha || !a.tensor_scales.empty() || !b.tensor_scales.empty();
}

float tensor_scale(const MxTensor& tensor, std::size_t row) {
  if (tensor.tensor_scales.empty()) return 1;
  return tensor.tensor_scales.size() == 1 ? tensor.tensor_scales[0] : tensor.tensor_scales[row];
}

// Multiplies the sums by ALPHA and adds the bias.
void apply_alphas(const MxTensor& a, const MxTensor& b, const float* bias,
                  const GemmOptions& options, std::vector<float>& sums) {
  for (std::size_t i = 0; i < a.rows; i++) {
    for (std::size_t j = 0; j < b.rows; j++) {
      const std::size_t at = i * b.rows + j;
      const float alpha = options.alpha ? *options.alpha : tensor_scale(a, i) * tensor_scale(b, j);
      sums[at] = apply_alpha(alpha, sums[at], bias ? bias + at : nullptr);
    }
  }
}

// Sums of the rule `block` for pairs of has_fast_gemm(), by vector kernels if the level has them.
std::vector<float> fast_sums(const MxTensor& a, const PreparedOperand& prepared, const float* bias,
                             const GemmOptions& options) {
  const GemmKernels kernels = kernels_for(level_of(options));
  if (kernels.lanes > 0) return fast_gemm(a, prepared, bias, kernels, options);
  const MxTensor& b = prepared.tensor();
  std::vector<float> out(a.rows * b.rows);
  parallel_ranges(a.rows, options.threads, [&](std::size_t first, std::size_t last) {
    if (has_blocks_of_32(a)) {
      gemm_block_into(a, b, bias, options.dual, first, last, out.data());
    } else {
      gemm_nvfp4_into(a, b, bias, options.dual, first, last, out.data());
    }
  });
  return out;
}

std::vector<float> sums_by_definition(const MxTensor& a, const MxTensor& b, const float* bias,
                                      const GemmOptions& options) {
  std::vector<float> out(a.rows * b.rows);
  parallel_ranges(a.rows, options.threads, [&](std::size_t first, std::size_t last) {
    switch (options.accumulate) {
      case Accumulate::block:
        return gemm_definition_into(a, b, bias, options.dual, first, last, out.data());
      case Accumulate::exact:
        return gemm_exact_into(a, b, bias, first, last, out.data());
      case Accumulate::sequential:
        return gemm_sequential_into(a, b, bias, first, last, out.data());
      case Accumulate::nvidia_blackwell:
        return gemm_blackwell_into(a, b, bias, first, last, out.data());
    }
  });
  return out;
}

// The accumulators after the last step, chains merged. Without ALPHA they are the result.
std::vector<float> sums_of(const MxTensor& a, const PreparedOperand& prepared, const float* bias,
                           const GemmOptions& options) {
  const MxTensor& b = prepared.tensor();
  if (a.k == 0) return sums_of_nothing(a.rows * b.rows, bias);
  if (options.accumulate != Accumulate::block ||
      !has_fast_sums(a.scaled_format(), b.scaled_format())) {
    return sums_by_definition(a, b, bias, options);
  }
  if (has_fast_gemm(a.scaled_format(), b.scaled_format())) {
    return fast_sums(a, prepared, bias, options);
  }
  if (!has_blocks_of_32(a)) return sums_of(with_blocks_of_32(a), prepared, bias, options);
  const MxTensor same_b = with_blocks_of_32(b);
  return fast_sums(a, PreparedOperand(same_b), bias, options);
}

}  // namespace

bool has_fast_sums(const ScaledFormat& a, const ScaledFormat& b) {
  return has_fast_gemm(a, b) || (sums_blocks_of_32(a) && sums_blocks_of_32(b));
}

Accumulate parse_accumulate(std::string_view name) {
  constexpr std::pair<std::string_view, Accumulate> kNames[] = {
      {"block", Accumulate::block},
      {"exact", Accumulate::exact},
      {"sequential", Accumulate::sequential},
      {"nvidia-blackwell", Accumulate::nvidia_blackwell}};
  for (const auto& [text, policy] : kNames) {
    if (text == name) return policy;
  }
  throw Error(fmt::format(
      "unknown accumulation '{}' (allowed: block, exact, sequential, nvidia-blackwell)", name));
}

std::vector<float> gemm(const MxTensor& a, const MxTensor& b, const float* bias,
                        const GemmOptions& options) {
  return gemm(a, PreparedOperand(b), bias, options);
}

std::vector<float> gemm(const MxTensor& a, const PreparedOperand& prepared, const float* bias,
                        const GemmOptions& options) {
  const MxTensor& b = prepared.tensor();
  check(a);
  check(b);
  if (a.k != b.k) {
    throw Error(
        fmt::format("A has {} elements along K and B has {}; they must be equal", a.k, b.k));
  }
  if (options.accumulate == Accumulate::nvidia_blackwell) {
    check_blackwell(a, b);
  }
  if (!has_alpha(a, b, options)) return sums_of(a, prepared, bias, options);
  std::vector<float> sums = sums_of(a, prepared, nullptr, options);
  apply_alphas(a, b, bias, options, sums);
  return sums;
}
std::vector<float> gemm_block(const MxTensor& a, const MxTensor& b, const float* bias, bool dual) {
  GemmOptions options;
  options.dual = dual;
  return gemm(a, b, bias, options);
}

MxTensor to_mx(const std::vector<float>& values, std::size_t rows, std::size_t columns,
               FormatId format, ScaleRule rule, Overflow overflow, uint64_t* saturations) {
  MxTensor tensor;
  tensor.format = format;
  tensor.rows = rows;
  tensor.k = columns;
  tensor.codes.resize(rows * columns);
  tensor.scales.resize(rows * tensor.scale_columns());
  uint64_t overflows = 0;
  for (std::size_t row = 0; row < rows; row++) {
    overflows += requantize_row(values.data() + row * columns, columns, {format, rule, overflow},
                                tensor.codes.data() + row * columns,
                                tensor.scales.data() + row * tensor.scale_columns());
  }
  if (saturations) *saturations += overflows;
  return tensor;
}

}  // namespace mxe::numerics
