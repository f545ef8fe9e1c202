// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/formats/format.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "model/numerics/base/bits.h"

namespace mxe::numerics {
namespace {

std::vector<ElementFormat> make_element_formats() {
  std::vector<ElementFormat> formats;
  for (const FormatRow& row : kFormats) {
    formats.push_back({row.shape, std::string(row.name)});
  }
  return formats;
}

std::vector<std::array<float, 256>> make_decode_tables() {
  std::vector<std::array<float, 256>> tables;
  for (FormatId id : kAllFormats) {
    const ElementFormat& format = element_format(id);
    std::array<float, 256>& values = tables.emplace_back();
    for (uint32_t code = 0; code < 256; code++) {
      values[code] = static_cast<float>(format.decode(code));
    }
  }
  return tables;
}

}  // namespace

double ElementShape::decode(uint32_t code) const {
  code &= code_mask();
  if (kind == FormatKind::integer) {
    const int32_t value =
        static_cast<int32_t>(code ^ sign_mask()) - static_cast<int32_t>(sign_mask());
    return std::ldexp(value, lsb_exponent);
  }
  const uint32_t magnitude = code & (sign_mask() - 1);
  double value = magnitude_value(magnitude);
  if (magnitude > max_code) {
    const bool infinite = has_inf && magnitude == max_code + 1;
    if (!infinite) return std::numeric_limits<double>::quiet_NaN();
    value = std::numeric_limits<double>::infinity();
  }
  return (code & sign_mask()) != 0 ? -value : value;
}

ElementFormat make_float_format(std::string name, int exponent_bits, int mantissa_bits, int bias,
                                Specials specials) {
  const int bits = 1 + exponent_bits + mantissa_bits;
  if (exponent_bits < 1 || exponent_bits > 7 || mantissa_bits < 0 || bits < 3 || bits > 16) {
    throw Error(fmt::format(
        "format '{}': need 1 to 7 exponent bits, 0 or more mantissa bits and 3 to 16 bits in all",
        name));
  }
  return {float_shape(exponent_bits, mantissa_bits, bias, specials), std::move(name)};
}

ElementFormat make_integer_format(std::string name, int bits) {
  if (bits < 2 || bits > 16) {
    throw Error(fmt::format("format '{}': integers need 2 to 16 bits", name));
  }
  return {integer_shape(bits), std::move(name)};
}

const ElementFormat& element_format(FormatId format) {
  static const std::vector<ElementFormat> table = make_element_formats();
  return table[static_cast<std::size_t>(format)];
}

std::optional<FormatId> find_format(std::string_view name) {
  for (FormatId id : kAllFormats) {
    if (element_format(id).name == name) return id;
  }
  return std::nullopt;
}

FormatId parse_format(std::string_view name) {
  if (const std::optional<FormatId> id = find_format(name)) return *id;
  std::string allowed;
  for (FormatId id : kAllFormats) {
    allowed += (allowed.empty() ? "" : ", ") + element_format(id).name;
  }
  throw Error(fmt::format("unknown format '{}' (allowed: {})", name, allowed));
}

const std::array<float, 256>& decode_table(FormatId format) {
  static const std::vector<std::array<float, 256>> tables = make_decode_tables();
  return tables[static_cast<std::size_t>(format)];
}

float decode(FormatId format, uint8_t code) { return decode_table(format)[code]; }

float decode_scale(uint8_t e8m0) {
  if (e8m0 == kNanScale) return from_bits(kQuietNan);
  return e8m0 == 0 ? from_bits(0x00400000u) : from_bits(static_cast<uint32_t>(e8m0) << 23);
}

}  // namespace mxe::numerics
