// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/quantize/dequantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/numerics/quantize/tensor.h"

namespace mxe::numerics {
namespace {

AxisView view_of(const QuantizedArray& array) {
  const std::size_t count = element_count(array.shape);
  if (array.options.walk == BlockWalk::flat || array.shape.empty()) return {1, count, 1};
  return split_at(array.shape, array.axis);
}

template <typename Code>
std::vector<float> values_of(const std::vector<Code>& codes, const std::vector<float>& table,
                             const std::string& format) {
  std::vector<float> values;
  values.reserve(codes.size());
  for (const Code code : codes) {
    if (code >= table.size()) {
      throw Error(fmt::format("the code {} is too large for {} (allowed: 0 to {})", code, format,
                              table.size() - 1));
    }
    values.push_back(table[code]);
  }
  return values;
}

std::vector<BlockRules> rules_of(const QuantizedArray& array) {
  std::vector<BlockRules> rules;
  for (const float amax : array.row_amaxes) {
    rules.push_back(make_block_rules(array.format, array.options, amax));
  }
  if (!array.options.row_scaled) {
    rules.push_back(make_block_rules(array.format, array.options, array.tensor_amax));
    if (array.options.value_order != ValueOrder::amax_first) {
      rules[0].tensor_decode = array.tensor_scale;
    }
  }
  return rules;
}

// True if the array has the default layout of MxTensor and valid codes, so that dequantize_rows()
// applies.
bool is_plain(const QuantizedArray& array, const AxisView& view) {
  const QuantizerOptions& options = array.options;
  const auto format = find_format(array.format.name);
  const bool all_codes = array.format.bits == 8 ||
                         std::all_of(array.codes.begin(), array.codes.end(), [&](uint8_t code) {
                           return code <= array.format.code_mask();
                         });
  return format && all_codes && view.inner == 1 && options.block_size == kBlockSize &&
         options.walk == BlockWalk::axis && options.scale_format == ScaleFormat{} &&
         options.element_shift == 0 && !options.uses_tensor_scale &&
         !options.unsigned_zero_values && array.has_scale_codes;
}

}  // namespace

std::vector<float> scale_values(const ScaleFormat& format) {
  std::vector<float> table(std::size_t{1} << format.bits());
  QuantizerOptions options;
  options.scale_format = format;
  const BlockRules rules = make_block_rules(element_format(FormatId::mxfp4_e2m1), options, 1);
  for (std::size_t code = 0; code < table.size(); code++) {
    table[code] = format.is_power_of_two()
                      ? std::ldexp(1.0f, static_cast<int>(code) - format.bias)
                      : static_cast<float>(rules.scale_codes.decode(static_cast<uint32_t>(code)));
  }
  if (format.is_power_of_two()) table.back() = std::numeric_limits<float>::quiet_NaN();
  return table;
}

void apply_scales(std::vector<float>& values, const std::vector<float>& scales,
                  const AxisView& view, std::size_t block_size,
                  const std::vector<BlockRules>& rules) {
  const std::size_t count = (view.length + block_size - 1) / block_size;
  for (std::size_t o = 0; o < view.outer; o++) {
    for (std::size_t l = 0; l < view.length; l++) {
      for (std::size_t i = 0; i < view.inner; i++) {
        const float scale = scales[(o * count + l / block_size) * view.inner + i];
        float& value = values[(o * view.length + l) * view.inner + i];
        const std::size_t run = rules.size() == 1 ? 0 : o * view.inner + i;
        value = rules[run].scaled_value(value, scale);
      }
    }
  }
}

void check_sizes(const QuantizedArray& array) {
  const AxisView view = view_of(array);
  const std::size_t count = element_count(array.shape);
  const std::size_t block = array.options.block_size;
  const std::size_t scales = view.rows() * ((view.length + block - 1) / block);
  const std::size_t codes = std::max(array.codes.size(), array.wide_codes.size());
  if (codes == count && array.scales.size() == scales) return;
  throw Error(fmt::format("{} elements in blocks of {} need {} codes and {} scales, got {} and {}",
                          count, block, count, scales, codes, array.scales.size()));
}

std::vector<float> dequantize(const QuantizedArray& array, unsigned threads) {
  check_sizes(array);
  if (element_count(array.shape) == 0) return {};
  const AxisView view = view_of(array);
  if (is_plain(array, view)) {
    std::vector<float> values(array.codes.size());
    dequantize_rows(*find_format(array.format.name), array.codes.data(), array.scale_codes.data(),
                    view.outer, view.length, threads, {}, values.data());
    return values;
  }
  const std::vector<float> table =
      make_block_rules(array.format, array.options, array.tensor_amax).values;
  std::vector<float> values = array.has_wide_codes()
                                  ? values_of(array.wide_codes, table, array.format.name)
                                  : values_of(array.codes, table, array.format.name);
  apply_scales(values, array.scales, view, array.options.block_size, rules_of(array));
  return values;
}

}  // namespace mxe::numerics
