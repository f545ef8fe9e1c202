// SPDX-License-Identifier: Apache-2.0
// Element and scale formats of Microscaling (OCP MX v1.0 and its common extensions).
//
// One description, `ElementFormat`, feeds everything: decoding, encoding (encode.h), the tables
// that `mxe formats` prints, and the integer view the dot products use (value = integer *
// 2^lsb_exponent).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/numerics/error.h"

namespace mx {

/// The formats the engine multiplies; the numbers are the hardware's format codes.
enum class FormatId : uint8_t {
  mxfp4_e2m1 = 0,
  mxfp4_e1m2 = 1,
  mxfp6_e2m3 = 2,
  mxfp6_e3m2 = 3,
  mxfp8_e4m3 = 4,
  mxfp8_e5m2 = 5,
  mxint8 = 6,
};
constexpr std::array<FormatId, 7> kAllFormats = {
    FormatId::mxfp4_e2m1, FormatId::mxfp4_e1m2, FormatId::mxfp6_e2m3, FormatId::mxfp6_e3m2,
    FormatId::mxfp8_e4m3, FormatId::mxfp8_e5m2, FormatId::mxint8};

constexpr std::size_t kBlockSize = 32;  ///< elements that share one scale, along K
constexpr uint8_t kNanScale = 0xFF;     ///< the E8M0 code of NaN
constexpr int kScaleBias = 127;         ///< E8M0 code X stands for 2^(X - 127)

enum class FormatKind : uint8_t { floating, integer };

/// Which codes of a floating format are not numbers.
enum class Specials : uint8_t {
  none,      ///< every code is finite
  nan_only,  ///< OCP E4M3: exponent and mantissa all ones is NaN, there is no Inf
  ieee,      ///< E5M2: the top exponent holds Inf and NaN
};

/// An element format. Codes are right aligned; a floating code is sign, exponent, mantissa from the
/// top; an integer code is two's complement.
struct ElementFormat {
  std::string name;
  FormatKind kind;
  int bits;           ///< of one element, sign included
  int exponent_bits;  ///< 0 for integers
  int mantissa_bits;  ///< integers: bits below the implied leading one of the largest value
  int bias;
  int emax;           ///< floor(log2 max)
  double max;         ///< largest finite value; integers: of the symmetric range
  double min_normal;  ///< integers: the smallest positive value
  double min_subnormal;
  int lsb_exponent;  ///< every finite value is an integer times 2^lsb_exponent
  bool has_inf;
  bool has_nan;
  uint32_t max_code;  ///< magnitude code of `max`

  uint32_t sign_mask() const { return uint32_t{1} << (bits - 1); }
  uint32_t code_mask() const { return (uint32_t{1} << bits) - 1; }
  /// Smallest exponent of a normal number.
  int emin() const { return lsb_exponent + mantissa_bits; }
  /// Value of a code (bits above `bits` are ignored); Inf and NaN where the format has them.
  double decode(uint32_t code) const;
};

/// Builds a floating format with the given fields. Throws Error unless 0 <= mantissa_bits,
/// 1 <= exponent_bits <= 7 (values must be float32 numbers) and the whole code has 3..16 bits.
ElementFormat make_float_format(std::string name, int exponent_bits, int mantissa_bits, int bias,
                                Specials specials);
/// Builds a two's complement format of 2..16 bits with `bits - 2` fraction bits (int8: 2^-6).
ElementFormat make_integer_format(std::string name, int bits);

const ElementFormat& element_format(FormatId format);

/// Format with this name, if there is one.
std::optional<FormatId> find_format(std::string_view name);
/// Format with this name; throws Error listing the allowed names.
FormatId parse_format(std::string_view name);

/// Value of an element code, exact. Bits above the format's width are ignored.
float decode(FormatId format, uint8_t code);
/// The 256 values of a format (codes wider than the format repeat), for inner loops.
const std::array<float, 256>& decode_table(FormatId format);

/// Value of an E8M0 scale code: 2^(code - 127), 0xFF is NaN. Code 0 is a float32 subnormal.
float decode_scale(uint8_t e8m0);

}  // namespace mx
