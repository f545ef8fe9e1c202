// float32 to Microscaling: block scales and element codes.
//
// How a quantizer behaves is a value, `QuantizerOptions`: independent switches, no code path of its
// own for anybody's preset. The defaults are the preset `ocp`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "numerics/encode.h"
#include "numerics/tensor.h"

namespace mx {

// How the scale exponent follows from the largest magnitude of a block.
enum class ScaleRule : uint8_t {
  floor,  // floor(log2 amax) - emax: OCP MX v1.0 section 6.3; the largest elements may saturate
  ceil,   // ceil(log2 amax) - emax
  even,   // amax is first rounded (half up) to the element's mantissa width, then floor
  rceil,  // ceil(log2(amax / max)): the smallest scale with which nothing saturates
};

// floor, ceil, even, rceil; throws Error listing the names.
ScaleRule parse_scale_rule(std::string_view name);

struct QuantizerOptions {
  ScaleRule scale_rule = ScaleRule::floor;
  Rounding rounding = Rounding::nearest_even;
};

// Quantizes a row-major matrix [rows][k], blocks of 32 along k (contiguous), to the engine's
// operands. With the defaults: exact floor(log2 amax) - emax clamped to [-127, 127]; any NaN or Inf
// in a block gives scale 0xFF and codes 0; an all-zero block has scale 0; elements saturate, keep
// subnormals and the sign of zero; mxint8 uses -127..127.
MxTensor quantize_rows(const float* x, size_t rows, size_t k, FormatId format,
                       const QuantizerOptions& options = {});

}  // namespace mx
