// SPDX-License-Identifier: Apache-2.0
// Vector kernels for ordinary blocks (fast_blocks.h): largest magnitudes, block scales and codes.
// Kernels depend on an EncodeRule and on parameters, but not on presets: a preset's scale is one
// factor per block. `void*` arguments point to numbers of the type given to preset_kernels().
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/numerics/base/simd.h"
#include "model/numerics/block/quantizer_options.h"
#include "model/numerics/formats/float_array.h"
#include "model/numerics/formats/format.h"

namespace mxe::numerics {

struct EncodeParameters {
  // Floating formats:
  int drop = 0;             ///< mantissa bits of float32 beyond the format's
  int32_t max_bits = 0;     ///< the largest element as float32
  int32_t min_normal = 0;   ///< the smallest normal element as float32
  uint32_t addend = 0;      ///< rounds a normal element and changes the exponent's bias
  uint32_t anchor = 0;      ///< a float32 whose lsb weighs as much as a subnormal's
  int32_t half = 0;         ///< half a step of subnormals as float32
  int32_t almost_half = 0;  ///< the next smaller float32
  int sign_shift = 0;
  // Integers:
  float units = 1;           ///< inverse of the step
  int32_t max_positive = 0;  ///< the largest magnitudes as float32, in steps
  int32_t max_negative = 0;
  int32_t code_mask = 0;
  // Rounding::stochastic:
  int32_t lsb_field = 0;  ///< exponent field of a float32 whose lsb weighs as much as a subnormal's
  const uint32_t* random = nullptr;  ///< upper half of random_bits() per element
  /// Per block, or per element of a row: made nonzero if the upper half is too little for an
  /// element.
  uint8_t* undecided = nullptr;
};

EncodeParameters encode_parameters(const ElementFormat& format, const QuantizerOptions& options);

/// Constants for a block scale with significand bits; letters as in ScaleArithmetic.
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

/// Power-of-two scales of amaxes (float32 bits) from `lowest` to `lowest` + `span` as a function of
/// n, the exponent field of amax + addend. Initially empty: no magnitude equals kNoAmax.
struct PowerScaleParameters {
  static constexpr uint32_t kNoAmax = 0xFFFFFFFF;

  uint32_t lowest = kNoAmax;
  uint32_t span = 0;
  uint32_t addend = 0;
  uint32_t factor = 0;  ///< float32 bits for n = 0; minus n binades
  uint32_t value = 0;   ///< float32 bits for n = 0; plus n binades
  uint32_t decode = 0;  ///< as `value`
  uint32_t code = 0;    ///< scale code for n = 0; plus n
};

constexpr uint32_t kMagnitudeBits = 0x7FFFFFFF;
constexpr uint32_t kMantissaBits = 0x007FFFFF;

/// Largest (float32 bits & mask) of each block. With kMagnitudeBits: NaN > Inf > numbers.
using AmaxKernel = void (*)(const void* x, std::size_t blocks, std::size_t size, uint32_t mask,
                            uint32_t* amax);
/// For columns of `rows` elements, `stride` apart.
using AmaxColumnsKernel = void (*)(const void* x, std::size_t stride, std::size_t rows,
                                   std::size_t columns, uint32_t mask, uint32_t* amax);
/// Rounds finite numbers to bfloat16, ties to even.
using RoundKernel = void (*)(const void* x, std::size_t count, float* out);
using WidenKernel = void (*)(const void* x, std::size_t count, float* out);
/// E4M3 scales (codes and values) of finite amaxes > 0, and the factors or divisors of their
/// elements: 0, Inf or NaN for blocks that are not ordinary.
using RealScaleKernel = void (*)(const uint32_t* amax, std::size_t blocks,
                                 const RealScaleParameters& parameters, uint8_t* codes,
                                 float* values, float* factors);
/// Power-of-two scales; false if an amax is outside the range of the parameters.
using PowerScaleKernel = bool (*)(const uint32_t* amax, std::size_t blocks,
                                  const PowerScaleParameters& parameters, uint8_t* codes,
                                  float* values, float* factors, float* decodes);
/// Quantization error of columns for FourOverSix, in the order of rows; one scale per column.
/// ValueOrder::amax_first: `wholes` and `limit` are A and m * M; otherwise `wholes` is t.
using ErrorKernel = void (*)(const float* x, std::size_t stride, std::size_t rows,
                             std::size_t columns, const EncodeParameters& parameters,
                             const float* factors, const float* scales, const float* wholes,
                             float limit, float* errors);
/// Codes of blocks of `size` adjacent elements, one factor per block.
using EncodeKernel = void (*)(const void* x, std::size_t blocks, std::size_t size,
                              const EncodeParameters& parameters, const float* factors,
                              uint8_t* codes);
/// Codes of a row, one factor per element.
using EncodeRowKernel = void (*)(const void* x, std::size_t columns,
                                 const EncodeParameters& parameters, const float* factors,
                                 uint8_t* codes);

/// Upper halves of mix64() of `first` and the numbers that follow.
using RandomKernel = void (*)(uint64_t first, std::size_t count, uint32_t* out);

struct DecodeParameters {
  int drop = 0;            ///< mantissa bits of float32 beyond the format's
  int32_t magnitudes = 0;  ///< mask of a code without its sign
  int32_t first_normal = 0;
  int32_t bias = 0;  ///< difference of the exponent biases, as float32 bits
  float step = 1;    ///< between subnormals
  int sign_shift = 0;
  int32_t zero_signs = 0;  ///< all ones if the value of code -0 is -0
};
DecodeParameters decode_parameters(const ElementFormat& format, const QuantizerOptions& options);

/// Values of finite codes in blocks of `size`, multiplied by the block's first, then second factor.
using DecodeKernel = void (*)(const uint8_t* codes, std::size_t blocks, std::size_t size,
                              const DecodeParameters& parameters, const float* firsts,
                              const float* seconds, float* out);
/// Values of a row of codes, with factors per element.
using DecodeRowKernel = void (*)(const uint8_t* codes, std::size_t columns,
                                 const DecodeParameters& parameters, const float* firsts,
                                 const float* seconds, float* out);

/// Selects an encoder. A kernel exists for every combination that a preset uses.
struct EncodeRule {
  FormatKind kind = FormatKind::floating;
  Rounding rounding = Rounding::nearest_even;
  ZeroSign zero_sign = ZeroSign::keep;  ///< `keep` for integers, which have one zero
  bool divides = false;                 ///< by the factor, instead of multiplying
  // Select the ErrorKernel.
  FourOverSix four_over_six = FourOverSix::off;
  ValueOrder value_order = ValueOrder::code_first;
};

EncodeRule encode_rule(const ElementFormat& format, const QuantizerOptions& options);

struct PresetKernels {
  AmaxKernel amax;
  AmaxColumnsKernel amax_columns;
  RoundKernel round_bfloat16;
  WidenKernel widen;
  EncodeKernel encode;  ///< null: none for this rule
  EncodeRowKernel encode_row;
  DecodeKernel decode;
  DecodeRowKernel decode_row;
  PowerScaleKernel power_scales;
  RealScaleKernel real_scales;
  ErrorKernel errors;  ///< null: none for this rule
  RandomKernel random;
};

PresetKernels preset_kernels(const EncodeRule& rule, ScaleArithmetic arithmetic, SimdLevel level,
                             NumberType type = NumberType::float32);

PresetKernels preset_kernels_portable(const EncodeRule& rule, ScaleArithmetic arithmetic,
                                      NumberType type);
PresetKernels preset_kernels_avx2(const EncodeRule& rule, ScaleArithmetic arithmetic,
                                  NumberType type);
PresetKernels preset_kernels_avx512(const EncodeRule& rule, ScaleArithmetic arithmetic,
                                    NumberType type);

}  // namespace mxe::numerics
