// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/quantize/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/numerics/block/block.h"
#include "model/numerics/quantize/axis_view.h"
#include "model/numerics/quantize/batches.h"
#include "model/numerics/quantize/dequantize.h"

namespace mxe::numerics {
namespace {

bool is_usable(float number) { return std::isfinite(number) && number > 0; }

bool same_number(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

void require_usable(const char* name, const std::optional<float>& number, bool is_stored) {
  if (!number || is_usable(*number) || (is_stored && !(*number < 0))) return;
  throw Error(fmt::format("the {} cannot be {} (allowed: finite numbers above 0)", name, *number));
}

void require_one(const char* name, const std::optional<float>& number) {
  if (!number || *number == 1) return;
  throw Error(
      fmt::format("the {} is {}, but this preset has no scale of the whole tensor "
                  "(allowed: none)",
                  name, *number));
}

[[noreturn]] void throw_missing(const char* what, const char* option, const char* argument) {
  throw Error(fmt::format("the preset has {}, which is missing: --{} is needed (Python: {}=)", what,
                          option, argument));
}

void set_tensor_scale(QuantizedArray& array, const ArrayParts& parts) {
  std::optional<float> amax = parts.tensor_amax;
  std::optional<float> scale = parts.tensor_scale;
  if (!amax && !scale) {
    amax = array.options.tensor_amax;
    scale = array.options.tensor_scale;
  }
  const bool needs_amax = whole_scale(array.options) == WholeScale::tensor_amax;
  if (!amax && needs_amax) {
    throw_missing("a scale of the whole tensor that is made of its amax", "tensor-amax",
                  "tensor_amax");
  }
  if (!amax && !scale) {
    throw_missing("a scale of the whole tensor", "tensor-scale", "tensor_scale");
  }
  require_usable("tensor scale", scale, parts.is_stored);
  require_usable("tensor amax", amax, parts.is_stored);
  const BlockRules rules = make_block_rules(array.format, array.options, amax.value_or(1));
  const float implied = scale ? rules.implied_amax(*scale) : rules.tensor_amax;
  array.tensor_amax = amax.value_or(implied);
  array.tensor_scale = scale.value_or(rules.tensor_decode);
  const bool agree = parts.is_stored || same_number(array.tensor_scale, rules.tensor_decode) ||
                     same_number(array.tensor_amax, implied);
  if (amax && !agree) {
    throw Error(fmt::format(
        "the tensor scale {} and the tensor amax {}, whose scale is {}, contradict each other: "
        "give one of them",
        array.tensor_scale, array.tensor_amax, rules.tensor_decode));
  }
}

void set_row_scales(QuantizedArray& array, const ArrayParts& parts) {
  if (!parts.row_amaxes) {
    throw_missing("a scale for every row", "row-amax", "row_amaxes");
  }
  const std::size_t rows = array.shape.empty() ? 1 : split_at(array.shape, array.axis).rows();
  if (parts.row_amaxes->size() != rows) {
    throw Error(fmt::format("row_amaxes must have {} values, one per row, but has {}", rows,
                            parts.row_amaxes->size()));
  }
  array.row_amaxes = *parts.row_amaxes;
  for (const float amax : array.row_amaxes) {
    require_usable("amax of a row", amax, true);
    array.row_scales.push_back(make_block_rules(array.format, array.options, amax).tensor_decode);
  }
}

void set_whole_scale(QuantizedArray& array, const ArrayParts& parts) {
  const WholeScale whole = whole_scale(array.options);
  if (whole == WholeScale::tensor_scale || whole == WholeScale::tensor_amax) {
    set_tensor_scale(array, parts);
    return;
  }
  require_one("tensor scale", parts.tensor_scale);
  require_one("tensor amax", parts.tensor_amax);
  if (whole == WholeScale::row_amaxes) {
    set_row_scales(array, parts);
  } else if (parts.row_amaxes && !parts.row_amaxes->empty()) {
    throw Error("this preset has no scale for every row (allowed: no amaxes of rows)");
  }
}

template <typename Code>
void require_codes(const std::vector<Code>& codes, std::size_t count, const std::string& name,
                   const std::string& format) {
  for (const Code code : codes) {
    if (code < count) continue;
    throw Error(fmt::format("{}: the code {} is too large for {} (allowed: 0 to {})", name, code,
                            format, count - 1));
  }
}

void set_scales(QuantizedArray& array, ArrayParts& parts) {
  array.scale_shape = scale_shape_of(array.shape, array.axis, array.options);
  if (parts.scale_shape != array.scale_shape) {
    throw Error(fmt::format("{} must be {}, but are {}", parts.scales_name,
                            shape_text(array.scale_shape), shape_text(parts.scale_shape)));
  }
  array.has_scale_codes = parts.has_scale_codes;
  array.scale_codes = std::move(parts.scale_codes);
  array.scales = std::move(parts.scales);
  if (!array.has_scale_codes) return;
  const ScaleFormat& format = array.options.scale_format;
  if (format.bits() > 8) {
    throw Error(fmt::format("{}: the codes of {} do not fit into bytes (allowed: float32 scales)",
                            parts.scales_name, format.name()));
  }
  const std::vector<float> table = scale_values(format);
  require_codes(array.scale_codes, table.size(), parts.scales_name, format.name());
  array.scales.clear();
  array.scales.reserve(array.scale_codes.size());
  for (const uint8_t code : array.scale_codes) array.scales.push_back(table[code]);
}

}  // namespace

WholeScale whole_scale(const QuantizerOptions& options) {
  if (options.row_scaled) return WholeScale::row_amaxes;
  if (!options.uses_tensor_scale || options.scale_format.is_power_of_two()) return WholeScale::none;
  return options.value_order == ValueOrder::amax_first ? WholeScale::tensor_amax
                                                       : WholeScale::tensor_scale;
}

bool scales_have_codes(const QuantizerOptions& options) {
  const ScaleFormat& format = options.scale_format;
  if (format.bits() > 8) return false;
  if (!format.is_power_of_two()) return true;
  const ExponentRange range = options.range();
  return range.min >= format.min_exponent() && range.max <= format.max_exponent() &&
         options.above_range != RangeRule::infinite && options.inf != SpecialRule::infinite;
}

QuantizedArray assemble(ArrayParts parts, const Quantizer& quantizer) {
  validate(quantizer.options);
  QuantizedArray array;
  array.format = quantizer.format;
  array.options = quantizer.options;
  array.shape = parts.shape;
  array.axis = resolve_axis(parts.axis, array.shape);
  const std::size_t count = std::size_t{1} << array.format.bits;
  require_codes(parts.codes, count, parts.codes_name, array.format.name);
  require_codes(parts.wide_codes, count, parts.codes_name, array.format.name);
  array.codes = std::move(parts.codes);
  array.wide_codes = std::move(parts.wide_codes);
  if (array.has_wide_codes() ? !array.codes.empty() : !array.wide_codes.empty()) {
    throw Error(fmt::format("{}: the codes of {} have {} bits (allowed: {})", parts.codes_name,
                            array.format.name, array.format.bits,
                            array.has_wide_codes() ? "uint16" : "uint8"));
  }
  set_scales(array, parts);
  set_whole_scale(array, parts);
  check_sizes(array);
  return array;
}

}  // namespace mxe::numerics
