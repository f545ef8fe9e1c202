// SPDX-License-Identifier: Apache-2.0
// Vector kernels for every preset's ordinary blocks: largest magnitudes, block scales with
// significand bits, and codes. What a preset does to a block's scale arrives as one factor a block,
// so the kernels know roundings and formats, but no presets. fast_blocks.h puts them together.
// Elements are numbers of the type that the kernels were asked for, wherever `x` is void.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/numerics/float_array.h"
#include "model/numerics/format.h"
#include "model/numerics/quantizer_options.h"
#include "model/numerics/simd.h"

namespace mx {

/// What rounding to a format needs, worked out once for an array.
struct EncodeParameters {
  // Floating formats.
  int drop = 0;             ///< mantissa bits of float32 beyond the format's
  int32_t max_bits = 0;     ///< the largest element as float32
  int32_t min_normal = 0;   ///< the smallest normal element as float32
  uint32_t addend = 0;      ///< rounds a normal element and moves its exponent to the format's bias
  uint32_t anchor = 0;      ///< a float32 whose last bit weighs as much as the format's
  int32_t half = 0;         ///< half a step of subnormals as float32
  int32_t almost_half = 0;  ///< the float32 below
  int sign_shift = 0;
  // Integers.
  float units = 1;           ///< inverse of the step
  int32_t max_positive = 0;  ///< the largest magnitudes as float32, in steps
  int32_t max_negative = 0;
  int32_t code_mask = 0;
};

/// Of elements of `format`, of at most 8 bits, rounded as the options say.
EncodeParameters encode_parameters(const ElementFormat& format, const QuantizerOptions& options);

/// How one block scale with significand bits comes from an amax; see ScaleArithmetic.
struct RealScaleParameters {
  float max = 1;          ///< m
  float inverse_max = 1;  ///< 1 / m
  float decode = 1;       ///< t
  float encode = 1;       ///< g
  float factor = 1;       ///< of FourOverSix: 1 or 1.5
  float limit = 1;        ///< (m * M) / m of ScaleArithmetic::normalized
  float whole = 1;        ///< A / m
  float min_scale = 0;
  float above = 0;  ///< larger scales are not ordinary
};

/// Power-of-two scales of amaxes (float32 bits) from `lowest` to lowest + span: all follow from n,
/// the exponent field of amax + addend. None at first: no magnitude reaches kNoAmax, not even that
/// of a NaN.
struct PowerScaleParameters {
  static constexpr uint32_t kNoAmax = 0xFFFFFFFF;

  uint32_t lowest = kNoAmax;
  uint32_t span = 0;
  uint32_t addend = 0;
  uint32_t factor = 0;  ///< float32 bits for n = 0, one binade less for every n
  uint32_t value = 0;   ///< one binade more for every n
  uint32_t decode = 0;
  uint32_t code = 0;
};

constexpr uint32_t kMagnitudeBits = 0x7FFFFFFF;
constexpr uint32_t kMantissaBits = 0x007FFFFF;

/// Largest of the float32 bits under `mask` in blocks of `size` neighbours. Under kMagnitudeBits
/// that is the largest magnitude, NaN above Inf above numbers.
using AmaxKernel = void (*)(const void* x, std::size_t blocks, std::size_t size, uint32_t mask,
                            uint32_t* amax);
/// The same of columns of `rows` elements that are `stride` apart.
using AmaxColumnsKernel = void (*)(const void* x, std::size_t stride, std::size_t rows,
                                   std::size_t columns, uint32_t mask, uint32_t* amax);
/// Rounds to bfloat16, ties to even; numbers only.
using RoundKernel = void (*)(const void* x, std::size_t count, float* out);
/// Widens to float32.
using WidenKernel = void (*)(const void* x, std::size_t count, float* out);
/// E4M3 scales (codes and values) of `blocks` amaxes > 0, and by what their elements are
/// multiplied or divided. Blocks that are not ordinary get a factor of 0, Inf or NaN.
using RealScaleKernel = void (*)(const uint32_t* amax, std::size_t blocks,
                                 const RealScaleParameters& parameters, uint8_t* codes,
                                 float* values, float* factors);
/// Power-of-two scales of `blocks` amaxes; false if some are not as the parameters say.
using PowerScaleKernel = bool (*)(const uint32_t* amax, std::size_t blocks,
                                  const PowerScaleParameters& parameters, uint8_t* codes,
                                  float* values, float* factors, float* decodes);
/// Errors of columns of `rows` numbers that are `stride` apart, one scale each, as FourOverSix
/// compares them: `factors` are those of the codes, and `wholes` A of ValueOrder::amax_first, for
/// which `limit` is m * M, or else t. Adds up element after element.
using ErrorKernel = void (*)(const float* x, std::size_t stride, std::size_t rows,
                             std::size_t columns, const EncodeParameters& parameters,
                             const float* factors, const float* scales, const float* wholes,
                             float limit, float* errors);
/// Codes of blocks of `size` neighbours, one factor a block.
using EncodeKernel = void (*)(const void* x, std::size_t blocks, std::size_t size,
                              const EncodeParameters& parameters, const float* factors,
                              uint8_t* codes);
/// Codes of a row of elements, one factor each.
using EncodeRowKernel = void (*)(const void* x, std::size_t columns,
                                 const EncodeParameters& parameters, const float* factors,
                                 uint8_t* codes);

/// What decoding a floating format of at most 8 bits needs.
struct DecodeParameters {
  int drop = 0;            ///< mantissa bits of float32 beyond the format's
  int32_t magnitudes = 0;  ///< all bits of a code but its sign
  int32_t first_normal = 0;
  int32_t bias = 0;  ///< of the exponents, as float32 bits
  float step = 1;    ///< between subnormals
  int sign_shift = 0;
  int32_t zero_signs = 0;  ///< all ones if the code of -0 stands for -0
};
DecodeParameters decode_parameters(const ElementFormat& format, const QuantizerOptions& options);

/// Values of the finite codes of blocks of `size` neighbours, multiplied by their block's first
/// factor and then by the second one.
using DecodeKernel = void (*)(const uint8_t* codes, std::size_t blocks, std::size_t size,
                              const DecodeParameters& parameters, const float* firsts,
                              const float* seconds, float* out);
/// Of a row of codes with factors each.
using DecodeRowKernel = void (*)(const uint8_t* codes, std::size_t columns,
                                 const DecodeParameters& parameters, const float* firsts,
                                 const float* seconds, float* out);

/// How elements become codes: a kernel exists for every combination that a preset has.
struct EncodeRule {
  FormatKind kind = FormatKind::floating;
  Rounding rounding = Rounding::nearest_even;
  ZeroSign zero_sign = ZeroSign::keep;  ///< integers: keep, they have one zero
  bool divides = false;                 ///< by the factor, instead of multiplying with it
  // Of the errors that FourOverSix compares.
  FourOverSix four_over_six = FourOverSix::off;
  ValueOrder value_order = ValueOrder::code_first;
};

EncodeRule encode_rule(const ElementFormat& format, const QuantizerOptions& options);

struct PresetKernels {
  AmaxKernel amax;
  AmaxColumnsKernel amax_columns;
  RoundKernel round_bfloat16;
  WidenKernel widen;
  EncodeKernel encode;  ///< null if there is none for this rule
  EncodeRowKernel encode_row;
  DecodeKernel decode;
  DecodeRowKernel decode_row;
  PowerScaleKernel power_scales;
  RealScaleKernel real_scales;  ///< null for arithmetics without one
  ErrorKernel errors;           ///< null if there is none for this rule
};

PresetKernels preset_kernels(const EncodeRule& rule, ScaleArithmetic arithmetic, SimdLevel level,
                             NumberType type = NumberType::float32);

/// One set for each level, compiled from the same source (preset_kernels.inc).
PresetKernels preset_kernels_portable(const EncodeRule& rule, ScaleArithmetic arithmetic,
                                      NumberType type);
PresetKernels preset_kernels_avx2(const EncodeRule& rule, ScaleArithmetic arithmetic,
                                  NumberType type);
PresetKernels preset_kernels_avx512(const EncodeRule& rule, ScaleArithmetic arithmetic,
                                    NumberType type);

}  // namespace mx
