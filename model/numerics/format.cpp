// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/format.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <vector>

#include "model/numerics/bits.h"

namespace mx {
namespace {

// Value of a floating magnitude code, specials not considered.
double magnitude_value(const ElementFormat& format, uint32_t code) {
  const uint32_t field = code >> format.mantissa_bits;
  const uint32_t fraction = code & ((uint32_t{1} << format.mantissa_bits) - 1);
  if (field == 0) return std::ldexp(static_cast<double>(fraction), format.lsb_exponent);
  const uint32_t significand = fraction | (uint32_t{1} << format.mantissa_bits);
  return std::ldexp(static_cast<double>(significand),
                    format.lsb_exponent + static_cast<int>(field) - 1);
}

std::vector<ElementFormat> make_hardware_formats() {
  std::vector<ElementFormat> table;
  table.push_back(make_float_format("mxfp4_e2m1", 2, 1, 1, Specials::none));
  table.push_back(make_float_format("mxfp4_e1m2", 1, 2, 1, Specials::none));
  table.push_back(make_float_format("mxfp6_e2m3", 2, 3, 1, Specials::none));
  table.push_back(make_float_format("mxfp6_e3m2", 3, 2, 3, Specials::none));
  table.push_back(make_float_format("mxfp8_e4m3", 4, 3, 7, Specials::nan_only));
  table.push_back(make_float_format("mxfp8_e5m2", 5, 2, 15, Specials::ieee));
  table.push_back(make_integer_format("mxint8", 8));
  return table;
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

double ElementFormat::decode(uint32_t code) const {
  code &= code_mask();
  if (kind == FormatKind::integer) {
    const int32_t value =
        static_cast<int32_t>(code ^ sign_mask()) - static_cast<int32_t>(sign_mask());
    return std::ldexp(value, lsb_exponent);
  }
  const uint32_t magnitude = code & (sign_mask() - 1);
  double value = magnitude_value(*this, magnitude);
  if (magnitude > max_code) {
    const bool infinite = has_inf && magnitude == max_code + 1;
    if (!infinite) return std::numeric_limits<double>::quiet_NaN();  // its sign means nothing
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
  ElementFormat format{};
  format.name = std::move(name);
  format.kind = FormatKind::floating;
  format.bits = bits;
  format.exponent_bits = exponent_bits;
  format.mantissa_bits = mantissa_bits;
  format.bias = bias;
  format.lsb_exponent = 1 - bias - mantissa_bits;
  format.has_inf = specials == Specials::ieee;
  format.has_nan = specials != Specials::none;
  const uint32_t all_ones = format.sign_mask() - 1;
  switch (specials) {
    case Specials::none:
      format.max_code = all_ones;
      break;
    case Specials::nan_only:
      format.max_code = all_ones - 1;
      break;
    case Specials::ieee:
      format.max_code = all_ones - (uint32_t{1} << mantissa_bits);
      break;
  }
  format.max = magnitude_value(format, format.max_code);
  format.emax = std::ilogb(format.max);
  format.min_normal = std::ldexp(1.0, 1 - bias);
  // Without mantissa bits there are no subnormals: the smallest value is the smallest normal.
  format.min_subnormal =
      mantissa_bits > 0 ? std::ldexp(1.0, format.lsb_exponent) : format.min_normal;
  return format;
}

ElementFormat make_integer_format(std::string name, int bits) {
  if (bits < 2 || bits > 16) {
    throw Error(fmt::format("format '{}': integers need 2 to 16 bits", name));
  }
  ElementFormat format{};
  format.name = std::move(name);
  format.kind = FormatKind::integer;
  format.bits = bits;
  format.mantissa_bits = bits - 2;
  format.lsb_exponent = -(bits - 2);
  format.max_code = format.sign_mask() - 1;
  format.max = std::ldexp(static_cast<double>(format.max_code), format.lsb_exponent);
  format.emax = 0;
  format.min_normal = format.min_subnormal = std::ldexp(1.0, format.lsb_exponent);
  return format;
}

const ElementFormat& element_format(FormatId format) {
  static const std::vector<ElementFormat> table = make_hardware_formats();
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

}  // namespace mx
