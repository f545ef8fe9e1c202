// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/numerics/block/quantizer_options.h"
#include "model/numerics/formats/format.h"

namespace mxe::numerics {

/// Result of an element that rounds beyond the format's largest finite value.
enum class Overflow : uint8_t {
  saturate,
  special,  ///< E5M2: Inf; E4M3: NaN (OCP FP8, non-saturating); other formats saturate
};

/// Parses saturate or special. Throws Error with the allowed names.
Overflow parse_overflow(std::string_view name);

/// Preset `ocp` with these options.
struct RequantOptions {
  FormatId format = FormatId::mxfp8_e4m3;
  ScaleRule rule = ScaleRule::floor;
  Overflow overflow = Overflow::saturate;
};

/// Codes and E8M0 scale of one block x[0..count), count <= 32, without allocating. A NaN or Inf
/// gives scale 0xFF and codes 0; zeros give scale 0. Returns the number of elements that rounded
/// beyond the largest finite value (0 with a NaN or Inf); `overflowed`, unless null, marks them.
std::size_t requantize_block(const float* x, std::size_t count, const RequantOptions& options,
                             uint8_t* codes, uint8_t& scale, bool* overflowed = nullptr);

/// Encodes a row in blocks of 32: codes[columns], scales[ceil(columns / 32)]. Returns the sum of
/// the results of requantize_block().
std::size_t requantize_row(const float* x, std::size_t columns, const RequantOptions& options,
                           uint8_t* codes, uint8_t* scales);

}  // namespace mxe::numerics
