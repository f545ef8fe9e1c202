// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/numerics/bfloat16.h"
#include "model/numerics/bits.h"
#include "model/numerics/block.h"
#include "model/numerics/block_kernels.h"
#include "model/numerics/parallel.h"

namespace mx {
namespace {

// Largest finite magnitude of the array, 1 if that is 0: the tensor scale must be usable.
float array_amax(const float* x, std::size_t count) {
  uint32_t amax = 0;
  for (std::size_t i = 0; i < count; i++) {
    const uint32_t magnitude = to_bits(x[i]) & 0x7FFFFFFF;
    if (magnitude < kInfinity) amax = std::max(amax, magnitude);
  }
  return amax == 0 ? 1.0f : from_bits(amax);
}

// How the array falls into lines of elements `stride` apart, each cut into blocks.
struct Lines {
  std::size_t outer = 1;   // product of the axes before the blocked one
  std::size_t length = 1;  // of the blocked axis
  std::size_t inner = 1;   // product of the axes after it: the stride
  std::size_t blocks = 0;  // a line
};

Lines lines_of(const std::vector<std::size_t>& shape, std::size_t axis,
               const QuantizerOptions& options) {
  Lines lines;
  if (options.walk == BlockWalk::flat) {
    for (const std::size_t dimension : shape) lines.length *= dimension;
  } else if (!shape.empty()) {
    for (std::size_t i = 0; i < axis; i++) lines.outer *= shape[i];
    lines.length = shape[axis];
    for (std::size_t i = axis + 1; i < shape.size(); i++) lines.inner *= shape[i];
  }
  lines.blocks = (lines.length + options.block_size - 1) / options.block_size;
  return lines;
}

// Whether every scale of these options has a code in the scale format.
bool scales_have_codes(const QuantizerOptions& options) {
  const ScaleFormat& format = options.scale_format;
  if (format.bits() > 8) return false;
  if (!format.is_power_of_two()) return true;
  const ExponentRange range = options.range();
  return range.min >= format.min_exponent() && range.max <= format.max_exponent() &&
         options.above_range != RangeRule::infinite && options.inf != SpecialRule::infinite;
}

// Gathers, quantizes and scatters the blocks of one array.
class ArrayQuantizer {
 public:
  ArrayQuantizer(const float* x, const BlockRules& rules, const Lines& lines,
                 QuantizedArray& result)
      : x_(x), rules_(rules), lines_(lines), result_(result) {
    const std::size_t size = rules.options.block_size;
    values_.resize(size);
    codes_.resize(size);
    dequantized_.resize(size);
  }

  void run(std::size_t first, std::size_t last) {
    for (std::size_t outer = first; outer < last; outer++) {
      for (std::size_t block = 0; block < lines_.blocks; block++) {
        for (std::size_t inner = 0; inner < lines_.inner; inner++) one_block(outer, block, inner);
      }
    }
  }

 private:
  void one_block(std::size_t outer, std::size_t block, std::size_t inner) {
    const std::size_t size = rules_.options.block_size;
    const std::size_t first = block * size;
    const std::size_t count = std::min(size, lines_.length - first);
    const std::size_t at = (outer * lines_.length + first) * lines_.inner + inner;
    const std::size_t scale_at = (outer * lines_.blocks + block) * lines_.inner + inner;
    // Short blocks are padded with zeros, which some rules can see (all_nan_poisons).
    std::fill(values_.begin(), values_.end(), 0.0f);
    for (std::size_t i = 0; i < count; i++) {
      const float value = x_[at + i * lines_.inner];
      values_[i] = rules_.options.bfloat16_input ? round_to_bfloat16(value) : value;
    }
    const BlockScale scale = block_scale(values_.data(), size, rules_);
    const bool wants_values = !result_.dequantized.empty();
    quantize_elements(values_.data(), count, rules_, scale, codes_.data(),
                      wants_values ? dequantized_.data() : nullptr);
    result_.scales[scale_at] = scale.value;
    if (!result_.scale_codes.empty()) {
      result_.scale_codes[scale_at] = static_cast<uint8_t>(scale.code);
    }
    for (std::size_t i = 0; i < count; i++) store(at + i * lines_.inner, i, wants_values);
  }

  void store(std::size_t at, std::size_t i, bool wants_values) {
    if (result_.wide_codes.empty()) {
      result_.codes[at] = static_cast<uint8_t>(codes_[i]);
    } else {
      result_.wide_codes[at] = codes_[i];
    }
    if (wants_values) result_.dequantized[at] = dequantized_[i];
  }

  const float* x_;
  const BlockRules& rules_;
  const Lines lines_;
  QuantizedArray& result_;
  std::vector<float> values_;
  std::vector<uint16_t> codes_;
  std::vector<float> dequantized_;
};

// Whether the fast kernels do the same as these options, whatever the scale rule.
bool kernels_apply(const ElementFormat& format, const QuantizerOptions& options) {
  QuantizerOptions standard;
  standard.scale_rule = options.scale_rule;
  return options == standard && find_format(format.name).has_value();
}

// Quantizes lines of contiguous elements with a fast kernel.
void quantize_lines(const float* x, std::size_t lines, std::size_t length, ScaleRule rule,
                    QuantizeKernel kernel, unsigned threads, uint8_t* codes, uint8_t* scales) {
  const std::size_t columns = (length + kBlockSize - 1) / kBlockSize;
  const std::size_t whole = length / kBlockSize;
  const std::size_t rest = length % kBlockSize;
  if (rest == 0) {  // no short blocks: one long line
    parallel_ranges(lines * columns, threads, [&](std::size_t first, std::size_t last) {
      kernel(x + first * kBlockSize, last - first, rule, codes + first * kBlockSize,
             scales + first);
    });
    return;
  }
  parallel_ranges(lines, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t line = first; line < last; line++) {
      const std::size_t tail = line * length + whole * kBlockSize;
      kernel(x + line * length, whole, rule, codes + line * length, scales + line * columns);
      float padded[kBlockSize] = {};
      uint8_t padded_codes[kBlockSize];
      std::copy_n(x + tail, rest, padded);
      kernel(padded, 1, rule, padded_codes, scales + line * columns + whole);
      std::copy_n(padded_codes, rest, codes + tail);
    }
  });
}

std::size_t resolve_axis(int axis, const std::vector<std::size_t>& shape) {
  const int rank = shape.empty() ? 1 : static_cast<int>(shape.size());
  if (axis < -rank || axis >= rank) {
    throw Error(fmt::format("axis {} does not exist (allowed: {} to {})", axis, -rank, rank - 1));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + rank : axis);
}

}  // namespace

QuantizedArray quantize(const float* x, const std::vector<std::size_t>& shape,
                        const ElementFormat& format, const QuantizerOptions& options,
                        const QuantizeRequest& request) {
  if (options.block_size == 0) throw Error("block size 0 is not possible (allowed: 1 or more)");
  QuantizedArray result;
  result.format = format;
  result.options = options;
  result.shape = shape;
  result.axis = resolve_axis(request.axis, shape);
  const Lines lines = lines_of(shape, result.axis, options);
  const std::size_t count = lines.outer * lines.length * lines.inner;

  result.scale_shape = shape;
  if (options.walk == BlockWalk::flat) {
    result.scale_shape = {lines.blocks};
  } else if (!shape.empty()) {
    result.scale_shape[result.axis] = lines.blocks;
  }
  const std::size_t scales = lines.outer * lines.blocks * lines.inner;
  result.scales.resize(scales);
  if (scales_have_codes(options)) result.scale_codes.resize(scales);
  if (format.bits > 8) {
    result.wide_codes.resize(count);
  } else {
    result.codes.resize(count);
  }
  if (request.dequantize) result.dequantized.resize(count);

  float amax = options.tensor_amax.value_or(0.0f);
  if (options.uses_tensor_scale && !options.tensor_amax) amax = array_amax(x, count);
  const BlockRules rules = make_block_rules(format, options, amax);
  result.tensor_scale = rules.tensor_decode;
  // Integer codes do not tell -0, which the dequantized values keep, from 0.
  const bool needs_signs = request.dequantize && format.kind == FormatKind::integer;
  if (lines.inner == 1 && kernels_apply(format, options) && !needs_signs) {
    const FormatId id = *find_format(format.name);
    const BlockKernels kernels = block_kernels(id, request.simd.value_or(best_simd_level()));
    quantize_lines(x, lines.outer, lines.length, options.scale_rule, kernels.quantize,
                   request.threads, result.codes.data(), result.scale_codes.data());
    std::transform(result.scale_codes.begin(), result.scale_codes.end(), result.scales.begin(),
                   decode_scale);
    if (request.dequantize) {
      dequantize_rows(id, result.codes.data(), result.scale_codes.data(), lines.outer, lines.length,
                      request.threads, request.simd, result.dequantized.data());
    }
    return result;
  }
  parallel_ranges(lines.outer, request.threads, [&](std::size_t first, std::size_t last) {
    ArrayQuantizer(x, rules, lines, result).run(first, last);
  });
  return result;
}

MxTensor quantize_rows(const float* x, std::size_t rows, std::size_t k, FormatId format,
                       const QuantizerOptions& options, unsigned threads,
                       std::optional<SimdLevel> simd) {
  const bool operand = options.walk == BlockWalk::axis && options.block_size == kBlockSize &&
                       options.scale_format.name() == "e8m0" && scales_have_codes(options) &&
                       options.element_shift == 0 && !options.uses_tensor_scale;
  if (!operand) {
    throw Error(
        "this preset does not make engine operands (needed: blocks of 32 along a row, E8M0 scales, "
        "standard elements)");
  }
  if (kernels_apply(element_format(format), options)) {
    MxTensor tensor;
    tensor.format = format;
    tensor.rows = rows;
    tensor.k = k;
    tensor.codes.resize(rows * k);
    tensor.scales.resize(rows * tensor.scale_columns());
    const BlockKernels kernels = block_kernels(format, simd.value_or(best_simd_level()));
    quantize_lines(x, rows, k, options.scale_rule, kernels.quantize, threads, tensor.codes.data(),
                   tensor.scales.data());
    return tensor;
  }
  QuantizeRequest request;
  request.dequantize = false;
  request.threads = threads;
  QuantizedArray array = quantize(x, {rows, k}, element_format(format), options, request);
  MxTensor tensor;
  tensor.format = format;
  tensor.rows = rows;
  tensor.k = k;
  tensor.codes = std::move(array.codes);
  tensor.scales = std::move(array.scale_codes);
  return tensor;
}

}  // namespace mx
