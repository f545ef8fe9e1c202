// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/gemm/accumulate.h"

#include <cmath>
#include <vector>

namespace mxe::numerics {
namespace {

constexpr int kMinLsb = -149;  // log2 of the lsb of a float32 subnormal
// Largest shifts that keep a 72-bit sum and a 24-bit significand below 2^126.
constexpr int kMaxSumShift = 54;
constexpr int kMaxAccShift = 100;

std::vector<std::array<int64_t, 256>> make_integer_tables() {
  std::vector<std::array<int64_t, 256>> tables;
  for (FormatId id : kAllFormats) {
    const ElementFormat& format = element_format(id);
    std::array<int64_t, 256>& integers = tables.emplace_back();
    for (uint32_t code = 0; code < 256; code++) {
      const double value = format.decode(code);
      integers[code] =
          std::isfinite(value) ? static_cast<int64_t>(std::ldexp(value, -format.lsb_exponent)) : 0;
    }
  }
  return tables;
}

uint32_t add_specials(uint32_t acc, uint32_t special) {
  if (is_nan_bits(acc) || is_nan_bits(special)) return kQuietNan;
  if (is_finite_bits(special)) return acc;
  return is_finite_bits(acc) || acc == special ? special : kQuietNan;
}

}  // namespace

uint32_t round_to_float(Int128 value, int exponent) {
  if (value == 0) return 0;
  const uint32_t sign = value < 0 ? 0x80000000 : 0;
  const UInt128 magnitude = value < 0 ? static_cast<UInt128>(-value) : static_cast<UInt128>(value);
  const int top = floor_log2(magnitude) + exponent;
  const int lsb = top - 23 > kMinLsb ? top - 23 : kMinLsb;
  const int drop = lsb - exponent;
  UInt128 kept;
  if (drop <= 0) {
    kept = magnitude << -drop;
  } else if (drop > 127) {
    kept = 0;
  } else {
    kept = magnitude >> drop;
    const UInt128 rest = magnitude - (kept << drop);
    const UInt128 half = static_cast<UInt128>(1) << (drop - 1);
    if (rest > half || (rest == half && (kept & 1) != 0)) kept++;
  }
  // The leading one of a normal significand adds 1 to the exponent field, a carry another 1.
  if (top > 127) return sign | kInfinity;
  const uint32_t bits = (static_cast<uint32_t>(lsb - kMinLsb) << 23) + static_cast<uint32_t>(kept);
  return sign | (bits > kInfinity ? kInfinity : bits);
}

uint32_t accumulate(uint32_t acc, Int128 sum, int exponent) {
  if (is_nan_bits(acc)) return kQuietNan;
  if (!is_finite_bits(acc)) return acc;
  const FloatParts parts = float_parts(acc);
  if (sum == 0) return parts.significand == 0 ? 0 : acc;
  const Int128 addend = parts.negative ? -static_cast<Int128>(parts.significand)
                                       : static_cast<Int128>(parts.significand);
  if (addend == 0) return round_to_float(sum, exponent);
  const int distance = parts.exponent - exponent;
  // An operand entirely below the other's rounding position is replaced by +-1 in extra low bits.
  if (distance > kMaxAccShift) {
    return round_to_float(addend * 8 + (sum < 0 ? -1 : 1), parts.exponent - 3);
  }
  if (distance < -kMaxSumShift) {
    return round_to_float(sum * (Int128{1} << 26) + (addend < 0 ? -1 : 1), exponent - 26);
  }
  if (distance >= 0) return round_to_float(addend * (Int128{1} << distance) + sum, exponent);
  return round_to_float(addend + sum * (Int128{1} << -distance), parts.exponent);
}

uint32_t accumulate(uint32_t acc, int64_t sum_high, uint64_t sum_low, int exponent) {
  return accumulate(acc, static_cast<Int128>(sum_high) * (Int128{1} << 64) + sum_low, exponent);
}

BlockDot block_dot(FormatId format_a, const uint8_t* a, uint8_t scale_a, FormatId format_b,
                   const uint8_t* b, uint8_t scale_b, std::size_t count) {
  const std::array<float, 256>& values_a = decode_table(format_a);
  const std::array<float, 256>& values_b = decode_table(format_b);
  const std::array<int64_t, 256>& integers_a = integer_table(format_a);
  const std::array<int64_t, 256>& integers_b = integer_table(format_b);
  BlockDot dot;
  dot.exponent = scale_a + scale_b - 2 * kScaleBias + element_format(format_a).lsb_exponent +
                 element_format(format_b).lsb_exponent;
  uint32_t special = scale_a == kNanScale || scale_b == kNanScale ? kQuietNan : 0;
  for (std::size_t i = 0; i < count; i++) {
    const float x = values_a[a[i]];
    const float y = values_b[b[i]];
    if (!std::isfinite(x) || !std::isfinite(y)) {
      const uint32_t product = to_bits(x * y);
      special = special == 0 ? product : add_specials(special, product);
    }
    dot.sum += static_cast<Int128>(integers_a[a[i]]) * integers_b[b[i]];
  }
  if (special != 0) {
    dot.special = is_nan_bits(special)   ? BlockSpecial::nan
                  : (special >> 31) != 0 ? BlockSpecial::negative_infinity
                                         : BlockSpecial::positive_infinity;
  }
  return dot;
}

uint32_t accumulate(uint32_t acc, const BlockDot& block) {
  switch (block.special) {
    case BlockSpecial::none:
      return accumulate(acc, block.sum, block.exponent);
    case BlockSpecial::nan:
      return kQuietNan;
    case BlockSpecial::positive_infinity:
      return add_specials(acc, kInfinity);
    case BlockSpecial::negative_infinity:
      return add_specials(acc, 0x80000000 | kInfinity);
  }
  return kQuietNan;
}

uint32_t merge_chains(uint32_t even, uint32_t odd) {
  if (!is_finite_bits(odd)) return add_specials(even, odd);
  const FloatParts parts = float_parts(odd);
  const Int128 significand = parts.significand;
  return accumulate(even, parts.negative ? -significand : significand, parts.exponent);
}

unsigned pair_tree_width(FormatId a, FormatId b) {
  const UInt128 largest = static_cast<UInt128>(element_shape(a).largest_integer()) *
                          element_shape(b).largest_integer() * kBlockSize;
  return static_cast<unsigned>(floor_log2(largest)) + 2;
}

bool is_four_bit(FormatId format) { return element_shape(format).bits == 4; }

const std::array<int64_t, 256>& integer_table(FormatId format) {
  static const std::vector<std::array<int64_t, 256>> tables = make_integer_tables();
  return tables[static_cast<std::size_t>(format)];
}

}  // namespace mxe::numerics
