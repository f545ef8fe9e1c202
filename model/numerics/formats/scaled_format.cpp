// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/formats/scaled_format.h"

#include <fmt/format.h>

#include "model/numerics/base/error.h"

namespace mxe::numerics {
namespace {

// Unsigned scales are floats without a sign bit: the bit above a code of this shape is unused.
constexpr ElementShape kUe4m3 = float_shape(4, 3, 7, Specials::nan_only);
constexpr ElementShape kUe5m3 = float_shape(5, 3, 15, Specials::nan_only);

constexpr const ElementShape& shape_of(ScaleKind kind) {
  return kind == ScaleKind::ue4m3 ? kUe4m3 : kUe5m3;
}

}  // namespace

ScaleNumber scale_number(ScaleKind kind, uint8_t code) {
  if (kind == ScaleKind::none) return {1, 0, false};
  if (kind == ScaleKind::e8m0) return {1, code - kScaleBias, code == kNanScale};
  const ElementShape& shape = shape_of(kind);
  const uint32_t hidden = uint32_t{1} << shape.mantissa_bits;
  const uint32_t mantissa = code & (hidden - 1);
  const int field = code >> shape.mantissa_bits;
  const bool is_nan = code > shape.max_code;
  if (field == 0) return {mantissa, shape.lsb_exponent, is_nan};
  return {mantissa | hidden, shape.lsb_exponent + field - 1, is_nan};
}

uint64_t largest_scale_integer(ScaleKind kind) {
  return is_power_of_two(kind) ? 1 : shape_of(kind).largest_integer();
}

std::string ScaledFormat::name() const {
  const std::string& elements = element_format(element).name;
  switch (scales.kind) {
    case ScaleKind::e8m0:
      if (scales.block == kBlockSize) return elements;
      return fmt::format("{} in blocks of {}", elements, scales.block);
    case ScaleKind::ue4m3:
      return "nvfp4";
    case ScaleKind::ue5m3:
      return fmt::format("{} with e5m3 scales", elements);
    case ScaleKind::none:
      break;
  }
  return elements + " without scales";
}

ScaledFormat parse_scaled_format(std::string_view name, std::optional<unsigned> block) {
  if (name == "nvfp4") {
    if (block) throw Error("nvfp4 has blocks of 16 (a block size is only for other formats)");
    return {FormatId::mxfp4_e2m1, kNvfp4Scales};
  }
  std::string allowed = "nvfp4";
  for (const FormatId id : kAllFormats) allowed += ", " + element_format(id).name;
  const std::optional<FormatId> id = find_format(name);
  if (!id) throw Error(fmt::format("unknown format '{}' (allowed: {})", name, allowed));
  const ScaledFormat format{*id, {ScaleKind::e8m0, block.value_or(kBlockSize)}};
  check(format);
  return format;
}

void check(const ScaledFormat& format) {
  const auto [kind, block] = format.scales;
  if (kind == ScaleKind::none) return;
  if (block != 16 && block != 32 && block != 64 && block != 128) {
    throw Error(fmt::format("blocks of {} elements (allowed: 16, 32, 64, 128)", block));
  }
  if (is_power_of_two(kind)) return;
  if (format.element != FormatId::mxfp4_e2m1 || block != kNvfp4Scales.block) {
    throw Error(
        fmt::format("scales e4m3 and e5m3 need mxfp4_e2m1 in blocks of 16, not {} in blocks of {}",
                    element_format(format.element).name, block));
  }
}

}  // namespace mxe::numerics
