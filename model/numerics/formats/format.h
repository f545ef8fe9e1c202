// SPDX-License-Identifier: Apache-2.0
// Element and scale formats of Microscaling (OCP MX v1.0 and common extensions). The rows of
// `kFormats` define the engine's formats; encoding, vector kernels, packing, widths of exact sums
// and the tables of `mxe formats` are derived from them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "model/numerics/base/bits.h"
#include "model/numerics/base/block_size.h"
#include "model/numerics/base/error.h"

namespace mxe::numerics {

enum class FormatId : uint8_t {
  mxfp4_e2m1 = 0,
  mxfp4_e1m2 = 1,
  mxfp6_e2m3 = 2,
  mxfp6_e3m2 = 3,
  mxfp8_e4m3 = 4,
  mxfp8_e5m2 = 5,
  mxint8 = 6,
};

constexpr uint8_t kNanScale = 0xFF;  ///< the E8M0 code of NaN
constexpr int kScaleBias = 127;      ///< E8M0 code X is 2^(X - 127)

enum class FormatKind : uint8_t { floating, integer };

enum class Specials : uint8_t {
  none,      ///< every code is finite
  nan_only,  ///< OCP E4M3: exponent and mantissa all ones is NaN, no infinity
  ieee,      ///< E5M2: the top exponent encodes infinity and NaN
};

/// Encoding of a format. Codes are right aligned: {sign, exponent, mantissa} or two's complement.
struct ElementShape {
  FormatKind kind = FormatKind::floating;
  int bits = 0;           ///< of a code, sign included
  int exponent_bits = 0;  ///< 0 for integers
  int mantissa_bits = 0;  ///< integers: bits below the implied leading one of the largest value
  int bias = 0;
  int emax = 0;           ///< floor(log2 max)
  double max = 0;         ///< largest finite value; integers: of the symmetric range
  double min_normal = 0;  ///< integers: the smallest positive value
  double min_subnormal = 0;
  int lsb_exponent = 0;  ///< every finite value is an integer times 2^lsb_exponent
  bool has_inf = false;
  bool has_nan = false;
  uint32_t max_code = 0;  ///< magnitude code of `max`

  constexpr uint32_t sign_mask() const { return uint32_t{1} << (bits - 1); }
  constexpr uint32_t code_mask() const { return (uint32_t{1} << bits) - 1; }
  constexpr int emin() const { return lsb_exponent + mantissa_bits; }
  /// Bits of an element in a packed row: 4, 6 or 8.
  constexpr int stored_bits() const { return bits <= 4 ? 4 : bits <= 6 ? 6 : 8; }
  /// Left shift of the largest value's significand. E2M1: 6 is 12 * 2^-1, and 12 is 3 << 2: 2.
  constexpr int max_shift() const {
    const int field = static_cast<int>(max_code >> mantissa_bits);
    return kind == FormatKind::integer || field == 0 ? 0 : field - 1;
  }
  /// Bits of largest_integer(); of -2^(bits - 1) for an integer format.
  constexpr int integer_bits() const {
    return kind == FormatKind::integer ? bits : mantissa_bits + 1 + max_shift();
  }
  /// Largest |value| / 2^lsb_exponent: 12 for E2M1, 128 for int8. Requires integer_bits() <= 64.
  constexpr uint64_t largest_integer() const {
    if (kind == FormatKind::integer) return sign_mask();
    const uint64_t hidden = uint64_t{1} << mantissa_bits;
    const uint64_t significand = max_code < hidden ? max_code : (max_code & (hidden - 1)) | hidden;
    return significand << max_shift();
  }
  /// Value of a magnitude code of a floating format; ignores NaN and infinity codes.
  constexpr double magnitude_value(uint32_t code) const {
    const uint32_t hidden = uint32_t{1} << mantissa_bits;
    const int field = static_cast<int>(code >> mantissa_bits);
    if (field == 0) return code * power_of_two(lsb_exponent);
    return ((code & (hidden - 1)) | hidden) * power_of_two(lsb_exponent + field - 1);
  }
  /// Value of a code, infinity and NaN included. Ignores bits above `bits`.
  double decode(uint32_t code) const;
};

/// A floating format of 3 to 16 bits in all with 1 to 7 exponent bits.
constexpr ElementShape float_shape(int exponent_bits, int mantissa_bits, int bias,
                                   Specials specials) {
  ElementShape shape;
  shape.bits = 1 + exponent_bits + mantissa_bits;
  shape.exponent_bits = exponent_bits;
  shape.mantissa_bits = mantissa_bits;
  shape.bias = bias;
  shape.lsb_exponent = 1 - bias - mantissa_bits;
  shape.has_inf = specials == Specials::ieee;
  shape.has_nan = specials != Specials::none;
  shape.max_code = shape.sign_mask() - 1;
  if (specials == Specials::nan_only) shape.max_code -= 1;
  if (specials == Specials::ieee) shape.max_code -= uint32_t{1} << mantissa_bits;
  shape.max = shape.magnitude_value(shape.max_code);
  const uint32_t hidden = uint32_t{1} << mantissa_bits;
  const int top = shape.max_code < hidden ? floor_log2(uint64_t{shape.max_code}) : mantissa_bits;
  shape.emax = shape.lsb_exponent + shape.max_shift() + top;
  shape.min_normal = power_of_two(1 - bias);
  // Without mantissa bits there are no subnormals: the smallest value is the smallest normal.
  shape.min_subnormal = mantissa_bits > 0 ? power_of_two(shape.lsb_exponent) : shape.min_normal;
  return shape;
}

/// A two's complement format of 2 to 16 bits with `bits - 2` fraction bits (int8: 2^-6).
constexpr ElementShape integer_shape(int bits) {
  ElementShape shape;
  shape.kind = FormatKind::integer;
  shape.bits = bits;
  shape.mantissa_bits = bits - 2;
  shape.lsb_exponent = -(bits - 2);
  shape.max_code = shape.sign_mask() - 1;
  shape.max = shape.max_code * power_of_two(shape.lsb_exponent);
  shape.min_normal = shape.min_subnormal = power_of_two(shape.lsb_exponent);
  return shape;
}

struct FormatRow {
  FormatId id;
  std::string_view name;
  ElementShape shape;
};

inline constexpr FormatRow kFormats[] = {
    {FormatId::mxfp4_e2m1, "mxfp4_e2m1", float_shape(2, 1, 1, Specials::none)},
    {FormatId::mxfp4_e1m2, "mxfp4_e1m2", float_shape(1, 2, 1, Specials::none)},
    {FormatId::mxfp6_e2m3, "mxfp6_e2m3", float_shape(2, 3, 1, Specials::none)},
    {FormatId::mxfp6_e3m2, "mxfp6_e3m2", float_shape(3, 2, 3, Specials::none)},
    {FormatId::mxfp8_e4m3, "mxfp8_e4m3", float_shape(4, 3, 7, Specials::nan_only)},
    {FormatId::mxfp8_e5m2, "mxfp8_e5m2", float_shape(5, 2, 15, Specials::ieee)},
    {FormatId::mxint8, "mxint8", integer_shape(8)},
};
constexpr std::size_t kFormatCount = std::size(kFormats);

constexpr std::array<FormatId, kFormatCount> kAllFormats = [] {
  std::array<FormatId, kFormatCount> ids{};
  for (std::size_t i = 0; i < kFormatCount; i++) ids[i] = kFormats[i].id;
  return ids;
}();

/// True if a row's index is its FormatId, codes fit a byte, and block sums 72 bits (accumulate.h).
constexpr bool is_engine_format(std::size_t index) {
  const FormatRow& row = kFormats[index];
  return static_cast<std::size_t>(row.id) == index && row.shape.bits <= 8 &&
         row.shape.integer_bits() <= 32;
}
static_assert([] {
  bool all = true;
  for (std::size_t i = 0; i < kFormatCount; i++) all = all && is_engine_format(i);
  return all;
}());

constexpr const ElementShape& element_shape(FormatId format) {
  return kFormats[static_cast<std::size_t>(format)].shape;
}

struct ElementFormat : ElementShape {
  std::string name;
};

/// Throws Error unless 0 <= mantissa_bits, 1 <= exponent_bits <= 7 and 3 to 16 bits in all.
ElementFormat make_float_format(std::string name, int exponent_bits, int mantissa_bits, int bias,
                                Specials specials);
ElementFormat make_integer_format(std::string name, int bits);

const ElementFormat& element_format(FormatId format);

std::optional<FormatId> find_format(std::string_view name);
FormatId parse_format(std::string_view name);

/// Exact value of an element code. Ignores bits above the format's width.
float decode(FormatId format, uint8_t code);
const std::array<float, 256>& decode_table(FormatId format);

/// Value of an E8M0 scale code: 2^(code - 127), 0xFF is NaN. Code 0 is a float32 subnormal.
float decode_scale(uint8_t e8m0);

}  // namespace mxe::numerics
