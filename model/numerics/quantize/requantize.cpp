// SPDX-License-Identifier: Apache-2.0
#include "model/numerics/quantize/requantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/numerics/base/bits.h"
#include "model/numerics/formats/encode.h"
#include "model/numerics/kernels/block_kernels.h"
#include "model/numerics/kernels/preset_kernels.h"

namespace mxe::numerics {
namespace {

// True for an x that, divided by the scale, rounds beyond the largest finite code: above the middle
// of the next step, or on it if the largest code is odd. Example: E2M1, largest 6, step 2: 7 and
// above.
class OverflowTest {
 public:
  OverflowTest(FormatId format, uint8_t scale) {
    const uint32_t code = element_format(format).max_code;
    const float largest = decode(format, static_cast<uint8_t>(code));
    const float middle = largest + (largest - decode(format, static_cast<uint8_t>(code - 1))) / 2;
    // Exact; Inf if beyond float32, which no finite magnitude reaches.
    limit_ = static_cast<float>(middle * pow2(scale - kScaleBias));
    tie_counts_ = code % 2 == 1;
  }

  bool operator()(float x) const {
    const float magnitude = std::fabs(x);
    return magnitude > limit_ || (tie_counts_ && magnitude == limit_);
  }

 private:
  float limit_;
  bool tie_counts_;
};

uint8_t encode_block(const float* x, std::size_t count, const RequantOptions& options,
                     uint8_t* codes) {
  const ElementFormat& format = element_format(options.format);
  const QuantizerOptions ocp;
  const PresetKernels kernels =
      preset_kernels(encode_rule(format, ocp), ocp.arithmetic, best_simd_level());
  float padded[kBlockSize] = {};
  uint8_t padded_codes[kBlockSize] = {};
  std::copy_n(x, count, padded);
  uint32_t amax = 0;
  kernels.amax(padded, 1, kBlockSize, kMagnitudeBits, &amax);
  const uint8_t scale = ocp_scale_code(amax, options.format, options.rule);
  if (scale != kNanScale) {
    const float factor = static_cast<float>(pow2(kScaleBias - scale));
    kernels.encode(padded, 1, kBlockSize, encode_parameters(format, ocp), &factor, padded_codes);
  }
  std::copy_n(padded_codes, count, codes);
  return scale;
}

// The code after the largest finite one: Inf in E5M2, NaN in E4M3.
uint8_t special_code(const ElementFormat& format, float x) {
  return static_cast<uint8_t>(with_sign(format, format.max_code + 1, std::signbit(x)));
}

}  // namespace

Overflow parse_overflow(std::string_view name) {
  if (name == "saturate") return Overflow::saturate;
  if (name == "special") return Overflow::special;
  throw Error(fmt::format("unknown overflow '{}' (allowed: saturate, special)", name));
}

std::size_t requantize_block(const float* x, std::size_t count, const RequantOptions& options,
                             uint8_t* codes, uint8_t& scale, bool* overflowed) {
  scale = encode_block(x, count, options, codes);
  if (overflowed) std::fill_n(overflowed, count, false);
  if (scale == kNanScale) return 0;

  const ElementFormat& format = element_format(options.format);
  const bool special = options.overflow == Overflow::special && (format.has_inf || format.has_nan);
  const OverflowTest overflows(options.format, scale);
  std::size_t number = 0;
  for (std::size_t i = 0; i < count; i++) {
    if (!overflows(x[i])) continue;
    number++;
    if (overflowed) overflowed[i] = true;
    if (special) codes[i] = special_code(format, x[i]);
  }
  return number;
}

std::size_t requantize_row(const float* x, std::size_t columns, const RequantOptions& options,
                           uint8_t* codes, uint8_t* scales) {
  std::size_t overflows = 0;
  for (std::size_t first = 0; first < columns; first += kBlockSize) {
    overflows += requantize_block(x + first, std::min<std::size_t>(kBlockSize, columns - first),
                                  options, codes + first, scales[first / kBlockSize]);
  }
  return overflows;
}

}  // namespace mxe::numerics
