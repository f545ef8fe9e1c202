// SPDX-License-Identifier: Apache-2.0
// Results as MX blocks: the engine's output stage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "model/numerics/format.h"
#include "model/numerics/quantizer_options.h"

namespace mx {

/// What becomes of an element that rounds to more than the format's largest finite value.
enum class Overflow : uint8_t {
  saturate,  ///< the largest finite value
  special,   ///< E5M2: Inf; E4M3: NaN (OCP FP8, non-saturating); formats with neither saturate
};

/// saturate, special; throws Error listing the names.
Overflow parse_overflow(std::string_view name);

/// How an output format rounds: preset `ocp` with these choices.
struct RequantOptions {
  FormatId format = FormatId::mxfp8_e4m3;
  ScaleRule rule = ScaleRule::floor;
  Overflow overflow = Overflow::saturate;
};

/// Codes and E8M0 scale of one block x[0..count), count <= 32, without allocating. A NaN or Inf
/// gives scale 0xFF and codes 0, zeros give scale 0.
///
/// Returns how many elements rounded to more than the largest finite value, whatever became of
/// them; none in a block with a NaN or Inf. `overflowed`[count], if given, tells which.
std::size_t requantize_block(const float* x, std::size_t count, const RequantOptions& options,
                             uint8_t* codes, uint8_t& scale, bool* overflowed = nullptr);

/// A row x[0..columns) cut into blocks of 32: codes[columns], scales[ceil(columns / 32)]. Returns
/// the sum of the blocks' counts.
std::size_t requantize_row(const float* x, std::size_t columns, const RequantOptions& options,
                           uint8_t* codes, uint8_t* scales);

}  // namespace mx
