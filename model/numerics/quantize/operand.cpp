// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/quantize/operand.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/numerics/quantize/assemble.h"
#include "model/numerics/quantize/axis_view.h"

namespace mxe::numerics {
namespace {

FormatId element_of(const ElementFormat& format, const std::string& name) {
  if (const auto id = find_format(format.name)) return *id;
  std::string allowed;
  for (const FormatId id : kAllFormats) {
    allowed += (allowed.empty() ? "" : ", ") + element_format(id).name;
  }
  throw Error(fmt::format("{}: no product has elements of the format {} (allowed: {}, nvfp4)", name,
                          format.name, allowed));
}

ScaleKind kind_of(const ScaleFormat& scales, const std::string& name) {
  if (const auto kind = find_scale_kind(scales)) return *kind;
  throw Error(
      fmt::format("{}: no product has scales {} (allowed: e8m0, e4m3, e5m3)", name, scales.name()));
}

// Rows of bytes along K. `view` is that of the elements.
std::vector<uint8_t> rows_along(const std::vector<uint8_t>& bytes, const AxisView& view,
                                bool k_last) {
  return k_last ? bytes : axis_to_rows(bytes, view);
}

std::size_t axis_of_k(std::size_t rank, bool k_last) { return rank - (k_last ? 1 : 2); }

}  // namespace

std::optional<ScaleKind> find_scale_kind(const ScaleFormat& scales) {
  const std::string name = scales.name();
  if (name == "e8m0") return ScaleKind::e8m0;
  if (name == "e4m3") return ScaleKind::ue4m3;
  if (name == "e5m3") return ScaleKind::ue5m3;
  return std::nullopt;
}

ScaledFormat operand_format(const ElementFormat& format, const QuantizerOptions& options,
                            const std::string& name) {
  ScaledFormat operand;
  operand.element = element_of(format, name);
  if (options.walk != BlockWalk::axis || options.element_shift != 0 ||
      !scales_have_codes(options)) {
    throw Error(name +
                ": no product has operands of this preset (allowed: presets with blocks along an "
                "axis, scales with codes and the standard's elements)");
  }
  operand.scales.kind = kind_of(options.scale_format, name);
  operand.scales.block = static_cast<unsigned>(std::min<std::size_t>(options.block_size, ~0u));
  try {
    check(operand);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
  return operand;
}

MxTensor operand_of(const QuantizedArray& array, bool k_last, const std::string& name) {
  const ScaledFormat format = operand_format(array.format, array.options, name);
  const std::size_t rank = array.shape.size();
  const std::size_t axis = axis_of_k(rank, k_last);
  if (array.axis != axis) {
    throw Error(
        fmt::format("{} must be quantized along axis {}, which the sum runs along, but is along "
                    "axis {}",
                    name, axis, array.axis));
  }
  const AxisView view = split_at(array.shape, axis);
  MxTensor tensor;
  tensor.format = format.element;
  tensor.layout = format.scales;
  tensor.rows = view.rows();
  tensor.k = view.length;
  tensor.codes = rows_along(array.codes, view, k_last);
  tensor.scales = rows_along(array.scale_codes, view.with_length(tensor.scale_columns()), k_last);
  switch (whole_scale(array.options)) {
    case WholeScale::none:
      break;
    case WholeScale::tensor_scale:
    case WholeScale::tensor_amax:
      tensor.tensor_scales = {array.tensor_factor()};
      break;
    case WholeScale::row_amaxes:
      tensor.tensor_scales = array.row_scales;
      break;
  }
  return tensor;
}

MxTensor operand_without_scales(FormatId format, const std::vector<uint8_t>& codes,
                                const std::vector<std::size_t>& shape, bool k_last,
                                const std::string& name) {
  const unsigned count = 1u << element_shape(format).bits;
  const auto wrong =
      std::find_if(codes.begin(), codes.end(), [count](uint8_t code) { return code >= count; });
  if (wrong != codes.end()) {
    throw Error(fmt::format("{}: the code {} is too large for {} (allowed: 0 to {})", name, *wrong,
                            element_format(format).name, count - 1));
  }
  const AxisView view = split_at(shape, axis_of_k(shape.size(), k_last));
  MxTensor tensor;
  tensor.format = format;
  tensor.layout.kind = ScaleKind::none;
  tensor.rows = view.rows();
  tensor.k = view.length;
  tensor.codes = rows_along(codes, view, k_last);
  return tensor;
}

}  // namespace mxe::numerics
