// SPDX-License-Identifier: Apache-2.0
// How a quantizer behaves, as a value: independent switches that every preset is a product of.
//
// A quantizer does four things to a block: it finds the largest magnitude amax, derives the scale,
// rounds every element to a code, and says what the codes stand for. The switches below follow that
// order; their defaults are the preset `ocp`. docs/numerics.md explains the presets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/numerics/encode.h"

namespace mx {

/// Which elements share a block.
enum class BlockWalk : uint8_t {
  axis,  ///< runs along one axis; the last block of a run may be short
  flat,  ///< the whole array in row-major order, blocks straddle rows
};

/// How the scale exponent follows from the largest magnitude of a block.
enum class ScaleRule : uint8_t {
  floor,  ///< floor(log2 amax) - emax: OCP MX v1.0 section 6.3; the largest elements may saturate
  ceil,   ///< ceil(log2 amax) - emax
  even,   ///< amax is first rounded (half up) to the element's mantissa width, then floor
  rceil,  ///< ceil(log2(amax / max)): the smallest scale with which nothing saturates
};

/// Where log2 of amax comes from.
enum class Log2Source : uint8_t {
  exact,    ///< integer arithmetic
  field,    ///< the float32 exponent field: subnormals count as 2^-127
  float32,  ///< a rounded log2f (log2.h)
};

/// How rceil divides amax by the largest element.
enum class Quotient : uint8_t {
  exact,
  reciprocal,  ///< float32 product with the rounded reciprocal
  division,    ///< float32 division
};

/// What a NaN or an Inf in a block does to its scale.
enum class SpecialRule : uint8_t {
  poison,          ///< the scale is NaN
  ignore,          ///< left out of amax
  top_exponent,    ///< counts as exponent 128 (the all-ones field) and the rule goes on from there
  largest_float,   ///< counts as the largest finite float32
  largest_scale,   ///< the scale is the largest one
  lowest_scale,    ///< the scale is the smallest one and every element zero
  infinite,        ///< the scale is Inf
  smallest_scale,  ///< the scale is the smallest one, and elements are divided by it
};

/// Element codes of a block whose scale is NaN or Inf.
enum class PoisonCodes : uint8_t {
  zero,
  nan,          ///< the format's NaN, or zero in formats without one
  signed_zero,  ///< zeros that keep their sign; NaN and Inf elements as in `nan`
};

/// What happens when the scale exponent leaves the range upward.
enum class RangeRule : uint8_t { clamp, poison, infinite };

/// Sign of an element that becomes zero.
enum class ZeroSign : uint8_t {
  keep,       ///< the sign of the input
  value,      ///< negative if the scaled value is below zero in float32; -0 becomes +0
  positive,   ///< always +0
  negative,   ///< set unless the scaled value is above zero in float32
  zero_only,  ///< the sign of inputs that are -0 (or vanish when scaled); rounding to zero gives +0
};

/// What stands for a NaN element in a block that has a number for a scale.
enum class NanElement : uint8_t {
  zero,
  nan_code,          ///< the format's NaN, or zero in formats without one
  largest,           ///< the largest code
  negative_largest,  ///< the format's NaN, or the negative largest code in formats without one
  pass_through,      ///< code zero, the dequantized value is the input
};

/// What stands for an Inf element in such a block.
enum class InfElement : uint8_t {
  saturate,      ///< the largest code
  pass_through,  ///< code zero, the dequantized value is the input
};

/// By what elements of a block with E8M0 scale code 0 are divided.
enum class LowestDivisor : uint8_t { scale, smallest_normal, one };

/// How a scale with significand bits (E4M3 of NVFP4) is computed and applied, in float32
/// operations. t is the tensor scale, made of the tensor's amax A for a largest block scale of M; m
/// is the largest element, s the rounded block scale.
enum class ScaleArithmetic : uint8_t {
  division,         ///< s = amax / m;          x / s
  reciprocal,       ///< s = amax / m;          x * (1 / s)
  two_reciprocals,  ///< s = (amax / m) / t;    x * ((1 / t) / s)
  product,          ///< s = amax / (m * t);    x / (s * t)
  encode_factor,    ///< g = 1 / t; s = amax * (g * (1 / m)); x * (1 / (s * (1 / g)))
  encode_quotient,  ///< g = 1 / t; s = (amax / m) * g;       x * (1 / (s * (1 / g)))
  normalized,       ///< s = ((amax / m) * M) / (A / m);      x / (s * t)
};

/// The float32 products that give the value of a code c under such a scale.
enum class ValueOrder : uint8_t {
  code_first,    ///< (c * s) * t
  scales_first,  ///< c * (s * t)
  amax_first,    ///< c * ((s * A) * (1 / (m * M)))
};

/// Whether blocks choose between two scales: one that brings amax to 6, and one 1.5 times as large
/// that brings it to 4. The smaller error in float32 decides, a tie is for 6.
enum class FourOverSix : uint8_t {
  off,
  absolute,  ///< sum of the absolute errors
  squared,   ///< sum of the squared errors
};

/// A block scale format: unsigned, `exponent_bits` and `mantissa_bits` wide. Without mantissa bits
/// it is a power of two and the all-ones code is NaN (E8M0 is {8, 0, 127}); with mantissa bits it
/// is an OCP-style float without Inf whose all-ones code is NaN (E4M3 is {4, 3, 7}).
struct ScaleFormat {
  int exponent_bits = 8;
  int mantissa_bits = 0;
  int bias = 127;

  int bits() const { return exponent_bits + mantissa_bits; }
  int min_exponent() const { return -bias; }
  int max_exponent() const { return (1 << exponent_bits) - 2 - bias; }
  bool is_power_of_two() const { return mantissa_bits == 0; }
  std::string name() const;  ///< e8m0, e5m0, e4m3
};
bool operator==(const ScaleFormat& a, const ScaleFormat& b);

/// Parses e8m0, e5m0, e4m3, ...; throws Error unless 2 to 8 exponent bits and no mantissa bits, or
/// 2 to 7 and 1 to 3.
ScaleFormat parse_scale_format(std::string_view name);

struct ExponentRange {
  int min;
  int max;
};
bool operator==(const ExponentRange& a, const ExponentRange& b);

struct QuantizerOptions {
  // Reading.
  bool bfloat16_input = false;  ///< inputs are first rounded to bfloat16
  BlockWalk walk = BlockWalk::axis;
  std::size_t block_size = 32;
  /// Neighbours along the other one of the last two axes that share a scale: square blocks have as
  /// many as block_size. Every one of them has the scale written down.
  std::size_t block_rows = 1;

  // The scale.
  ScaleFormat scale_format;
  ScaleRule scale_rule = ScaleRule::floor;
  Log2Source log2 = Log2Source::exact;
  Quotient quotient = Quotient::exact;
  std::optional<int> even_bits;  ///< mantissa bits of ScaleRule::even; default: the element's
  SpecialRule nan = SpecialRule::poison;
  SpecialRule inf = SpecialRule::poison;
  /// With nan = ignore: a block of NaNs only has a NaN scale, one of zeros (and NaNs) becomes +0.
  bool all_nan_poisons = false;
  float zero_threshold = 0;          ///< an amax below counts as zero
  std::optional<int> zero_log2;      ///< log2 amax of a zero block; default: the smallest scale
  std::optional<int> zero_exponent;  ///< scale exponent of a zero block, overrides zero_log2
  std::optional<ExponentRange> exponent_range;  ///< default: what the scale format holds
  RangeRule above_range = RangeRule::clamp;
  std::optional<int> below_range_exponent;  ///< replaces exponents below the range; default: clamp
  PoisonCodes poison_codes = PoisonCodes::zero;

  // Scales with significand bits.
  ScaleArithmetic arithmetic = ScaleArithmetic::division;
  bool uses_tensor_scale = false;
  bool row_scaled = false;           ///< each run along the axis has a tensor scale of its own
  std::optional<float> tensor_amax;  ///< default: the largest magnitude of the array
  /// Whether a NaN or Inf of the array reaches the tensor scale; else finite magnitudes count.
  bool tensor_specials = false;
  std::optional<float> tensor_scale_limit;  ///< M of the tensor scale; default: the format's
  float min_scale = 0;                      ///< block scales below are raised to it before rounding
  bool saturate_scale = true;               ///< scales above the largest become it, else NaN
  std::optional<float> zero_scale;          ///< block scale of a zero block
  ValueOrder value_order = ValueOrder::code_first;
  FourOverSix four_over_six = FourOverSix::off;

  // The elements.
  Rounding rounding = Rounding::nearest_even;
  uint64_t seed = 0;                  ///< of Rounding::stochastic
  bool float32_element_log2 = false;  ///< the exponent of an element comes from a rounded log2f
  ZeroSign zero_sign = ZeroSign::keep;
  bool unsigned_zero_values = false;  ///< the code of -0 stands for +0
  int element_shift = 0;  ///< elements stand for 2^element_shift times the format's values
  bool full_integer_range = false;      ///< integers reach -2^(bits - 1)
  std::optional<int> min_integer_step;  ///< smallest exponent of an integer's step, scale included
  LowestDivisor lowest_divisor = LowestDivisor::scale;
  bool flush_subnormal_blocks = false;  ///< blocks with log2 amax below -126 become zero
  NanElement nan_elements = NanElement::zero;
  InfElement inf_elements = InfElement::saturate;

  ExponentRange range() const;
};
bool operator==(const QuantizerOptions& a, const QuantizerOptions& b);

/// Throws Error, naming the switch and the values that it can have, unless every number is finite
/// and in range and the switches go together.
void validate(const QuantizerOptions& options);

/// The members of QuantizerOptions, each as an X(member): whatever deals with all of them goes by
/// this list.
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

/// One member of QuantizerOptions as a value.
struct QuantizerSwitch {
  const char* name;
  bool (*same)(const QuantizerOptions& a, const QuantizerOptions& b);
  void (*copy)(const QuantizerOptions& from, QuantizerOptions& to);
};
/// All of them. Two options are equal if all of these are the same.
const std::vector<QuantizerSwitch>& quantizer_switches();

inline constexpr std::array<ScaleRule, 4> kAllScaleRules = {ScaleRule::floor, ScaleRule::ceil,
                                                            ScaleRule::even, ScaleRule::rceil};
/// floor, ceil, even or rceil.
const char* scale_rule_name(ScaleRule rule);
/// The inverse; throws Error listing the names.
ScaleRule parse_scale_rule(std::string_view name);

/// Whether blocks depend on nothing but their own elements, so that parts of an array can be
/// quantized alone.
bool has_independent_blocks(const QuantizerOptions& options);

}  // namespace mx
