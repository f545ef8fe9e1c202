// SPDX-License-Identifier: Apache-2.0
// The options of a quantizer; a preset is a set of their values. A quantizer finds a block's
// largest magnitude amax, derives the scale, rounds each element to a code, and defines the values
// of codes. The options follow this order. Defaults: preset `ocp` (docs/numerics.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/numerics/formats/encode.h"

namespace mxe::numerics {

enum class BlockWalk : uint8_t {
  axis,  ///< along one axis; the last block of a run may be short
  flat,  ///< row-major order of the whole array; blocks may span rows
};

enum class ScaleRule : uint8_t {
  floor,  ///< floor(log2 amax) - emax: OCP MX v1.0 section 6.3; the largest elements may saturate
  ceil,   ///< ceil(log2 amax) - emax
  even,   ///< amax is first rounded (half up) to the element's mantissa width, then floor
  rceil,  ///< ceil(log2(amax / max)): the smallest scale without saturation
};

enum class Log2Source : uint8_t {
  exact,    ///< integer arithmetic
  field,    ///< the float32 exponent field: subnormals count as 2^-127
  float32,  ///< a rounded log2f (log2.h)
};

/// amax / max of ScaleRule::rceil.
enum class Quotient : uint8_t {
  exact,
  reciprocal,  ///< float32 product with the rounded reciprocal
  division,
};

/// Effect of a NaN or Inf on the scale of its block.
enum class SpecialRule : uint8_t {
  poison,         ///< the scale is NaN
  ignore,         ///< excluded from amax
  top_exponent,   ///< counts as 2^128 (the all-ones exponent field) in the scale rule
  largest_float,  ///< counts as the largest finite float32
  largest_scale,
  lowest_scale,    ///< the smallest scale; every element becomes zero
  infinite,        ///< the scale is Inf
  smallest_scale,  ///< the smallest scale; elements are divided by it
};

/// Element codes of a block whose scale is NaN or Inf.
enum class PoisonCodes : uint8_t {
  zero,
  nan,          ///< the format's NaN; zero if it has none
  signed_zero,  ///< zeros with the sign of the input; NaN and Inf elements as in `nan`
};

/// Result of a scale exponent above the range.
enum class RangeRule : uint8_t { clamp, poison, infinite };

/// Sign of an element that becomes zero.
enum class ZeroSign : uint8_t {
  keep,   ///< the sign of the input
  value,  ///< negative if the scaled value is below zero in float32; -0 becomes +0
  positive,
  negative,   ///< negative unless the scaled value is above zero in float32
  zero_only,  ///< inputs that are (or scale to) -0 keep the sign; rounding to zero gives +0
};

/// Result of a NaN element in a block with a finite scale.
enum class NanElement : uint8_t {
  zero,
  nan_code,  ///< the format's NaN; zero if it has none
  largest,
  negative_largest,  ///< the format's NaN; the negative largest code if it has none
  pass_through,      ///< code zero; the dequantized value is the input
};

/// Result of an Inf element in a block with a finite scale.
enum class InfElement : uint8_t {
  saturate,
  pass_through,  ///< code zero; the dequantized value is the input
};

/// Divisor of the elements if the scale is 2^-127: the scale, 2^-126 or 1.
enum class LowestDivisor : uint8_t { scale, smallest_normal, one };

/// Computation of a scale with significand bits (E4M3 of NVFP4) and of scaled elements, in float32
/// operations. m: largest element; M: largest block scale; A: the tensor's amax; t: tensor scale, A
/// / (m * M); g: m * M / A, with which t is 1 / g; s: block scale, rounded before its use for x.
enum class ScaleArithmetic : uint8_t {
  division,         ///< s = amax / m;          x / s
  reciprocal,       ///< s = amax / m;          x * (1 / s)
  two_reciprocals,  ///< s = (amax / m) / t;    x * ((1 / t) / s)
  product,          ///< s = amax / (m * t);    x / (s * t)
  encode_factor,    ///< s = amax * (g * (1 / m)); x * (1 / (s * (1 / g)))
  encode_quotient,  ///< s = (amax / m) * g;       x * (1 / (s * (1 / g)))
  normalized,       ///< s = ((amax / m) * M) / (A / m);      x / (s * t)
  encode_division,  ///< s = (amax / m) * g, zero_scale if that rounds to 0; x / (s / g)
};

/// True if elements are divided by a number, false if they are multiplied by one.
inline bool divides_elements(ScaleArithmetic arithmetic) {
  return arithmetic == ScaleArithmetic::division || arithmetic == ScaleArithmetic::product ||
         arithmetic == ScaleArithmetic::normalized ||
         arithmetic == ScaleArithmetic::encode_division;
}

/// Computation of the value of a code c with such a scale, in float32 products.
enum class ValueOrder : uint8_t {
  code_first,    ///< (c * s) * t
  scales_first,  ///< c * (s * t)
  amax_first,    ///< c * ((s * A) * (1 / (m * M)))
  division,      ///< c * (s / g); the tensor scale of arrays is g, the divisor
};

/// Choice between two scales per block: amax becomes 6, or 4 with a scale 1.5 times as large. The
/// smaller error in float32 decides; a tie selects 6.
enum class FourOverSix : uint8_t {
  off,
  absolute,
  squared,
};

/// An unsigned block scale format without Inf; all ones is NaN. E8M0: {8, 0, 127}; E4M3: {4, 3, 7}.
struct ScaleFormat {
  int exponent_bits = 8;
  int mantissa_bits = 0;
  int bias = 127;

  int bits() const { return exponent_bits + mantissa_bits; }
  int min_exponent() const { return -bias; }
  int max_exponent() const { return (1 << exponent_bits) - 2 - bias; }
  bool is_power_of_two() const { return mantissa_bits == 0; }
  std::string name() const;
};
bool operator==(const ScaleFormat& a, const ScaleFormat& b);

/// Parses e8m0, ... (2 to 8 exponent bits) or e4m3, ... (2 to 7, 1 to 3 mantissa bits), or throws.
ScaleFormat parse_scale_format(std::string_view name);

struct ExponentRange {
  int min;
  int max;
};
bool operator==(const ExponentRange& a, const ExponentRange& b);

struct QuantizerOptions {
  bool bfloat16_input = false;  ///< inputs are rounded to bfloat16
  BlockWalk walk = BlockWalk::axis;
  std::size_t block_size = 32;
  /// Block height: rows along the other of the last two axes that share a scale. Square blocks:
  /// block_size. The scale is stored once per row.
  std::size_t block_rows = 1;

  ScaleFormat scale_format;
  ScaleRule scale_rule = ScaleRule::floor;
  Log2Source log2 = Log2Source::exact;
  Quotient quotient = Quotient::exact;
  std::optional<int> even_bits;  ///< mantissa bits of ScaleRule::even; default: the element's
  SpecialRule nan = SpecialRule::poison;
  SpecialRule inf = SpecialRule::poison;
  /// With nan = ignore: a block of NaNs has a NaN scale; every element of a block of zeros, or
  /// zeros and NaNs, counts as +0.
  bool all_nan_poisons = false;
  float zero_threshold = 0;          ///< a smaller amax counts as zero
  std::optional<int> zero_log2;      ///< log2(amax) of a zero block; default: the smallest scale
  std::optional<int> zero_exponent;  ///< scale exponent of a zero block; overrides zero_log2
  std::optional<ExponentRange> exponent_range;  ///< default: the range of the scale format
  RangeRule above_range = RangeRule::clamp;
  std::optional<int> below_range_exponent;  ///< replaces exponents below the range; default: clamp
  PoisonCodes poison_codes = PoisonCodes::zero;

  // Scales with significand bits:
  ScaleArithmetic arithmetic = ScaleArithmetic::division;
  bool uses_tensor_scale = false;
  bool row_scaled = false;                  ///< each run along the axis has its own tensor scale
  std::optional<float> tensor_amax;         ///< default: the largest magnitude of the array
  std::optional<float> tensor_scale;        ///< t, or g of ValueOrder::division; default: by A
  bool tensor_specials = false;             ///< NaN and Inf of the array enter the tensor scale
  std::optional<float> tensor_scale_limit;  ///< M of the tensor scale; default: the format's
  float min_scale = 0;                      ///< lower limit of block scales, before rounding
  bool saturate_scale = true;  ///< clamps scales above the largest; else NaN beyond half a step
  std::optional<float> zero_scale;  ///< block scale of a zero block
  ValueOrder value_order = ValueOrder::code_first;
  FourOverSix four_over_six = FourOverSix::off;

  Rounding rounding = Rounding::nearest_even;
  uint64_t seed = 0;
  bool float32_element_log2 = false;  ///< the exponent of an element is floor(log2f(value))
  ZeroSign zero_sign = ZeroSign::keep;
  bool unsigned_zero_values = false;    ///< the value of code -0 is +0
  int element_shift = 0;                ///< values are 2^element_shift times the format's
  bool full_integer_range = false;      ///< integers reach -2^(bits - 1)
  std::optional<int> min_integer_step;  ///< lower limit of log2(step * scale) of integers
  LowestDivisor lowest_divisor = LowestDivisor::scale;
  bool flush_subnormal_blocks = false;  ///< blocks with log2(amax) below -126 become zero
  NanElement nan_elements = NanElement::zero;
  InfElement inf_elements = InfElement::saturate;

  ExponentRange range() const;
};
bool operator==(const QuantizerOptions& a, const QuantizerOptions& b);

/// Throws Error with the switch and its allowed values if a number is not finite or out of range,
/// or if two switches exclude each other.
void validate(const QuantizerOptions& options);

#define MXE_QUANTIZER_SWITCHES(X) \
  X(bfloat16_input)               \
  X(walk)                         \
  X(block_size)                   \
  X(block_rows)                   \
  X(scale_format)                 \
  X(scale_rule)                   \
  X(log2)                         \
  X(quotient)                     \
  X(even_bits)                    \
  X(nan)                          \
  X(inf)                          \
  X(all_nan_poisons)              \
  X(zero_threshold)               \
  X(zero_log2)                    \
  X(zero_exponent)                \
  X(exponent_range)               \
  X(above_range)                  \
  X(below_range_exponent)         \
  X(poison_codes)                 \
  X(arithmetic)                   \
  X(uses_tensor_scale)            \
  X(row_scaled)                   \
  X(tensor_amax)                  \
  X(tensor_scale)                 \
  X(tensor_specials)              \
  X(tensor_scale_limit)           \
  X(min_scale)                    \
  X(saturate_scale)               \
  X(zero_scale)                   \
  X(value_order)                  \
  X(four_over_six)                \
  X(rounding)                     \
  X(seed)                         \
  X(float32_element_log2)         \
  X(zero_sign)                    \
  X(unsigned_zero_values)         \
  X(element_shift)                \
  X(full_integer_range)           \
  X(min_integer_step)             \
  X(lowest_divisor)               \
  X(flush_subnormal_blocks)       \
  X(nan_elements)                 \
  X(inf_elements)

struct QuantizerSwitch {
  const char* name;
  bool (*same)(const QuantizerOptions& a, const QuantizerOptions& b);
  void (*copy)(const QuantizerOptions& from, QuantizerOptions& to);
};
const std::vector<QuantizerSwitch>& quantizer_switches();

inline constexpr std::array<ScaleRule, 4> kAllScaleRules = {ScaleRule::floor, ScaleRule::ceil,
                                                            ScaleRule::even, ScaleRule::rceil};
const char* scale_rule_name(ScaleRule rule);
ScaleRule parse_scale_rule(std::string_view name);

/// True if blocks are independent, so that parts of an array can be quantized separately.
bool has_independent_blocks(const QuantizerOptions& options);

}  // namespace mxe::numerics
