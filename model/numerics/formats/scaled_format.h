// SPDX-License-Identifier: Apache-2.0
// Block scales of an operand: their kind and the elements that share one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/numerics/base/block_size.h"
#include "model/numerics/formats/format.h"

namespace mxe::numerics {

enum class ScaleKind : uint8_t {
  e8m0,   ///< 2^(code - 127); 0xFF is NaN
  ue4m3,  ///< unsigned E4M3, bias 7: codes 0x00 .. 0x7E; 0x7F and every code with bit 7 are NaN
  ue5m3,  ///< unsigned E5M3, bias 15: codes 0x00 .. 0xFE; 0xFF is NaN
  none,   ///< no scale array; every block has the scale 1
};

/// A scale, significand * 2^exponent. A subnormal code keeps its small significand.
struct ScaleNumber {
  uint32_t significand;
  int exponent;
  bool is_nan;
};

/// Example: UE4M3 code 0x39 (exponent field 7, mantissa 1) is 9 * 2^-3 = 1.125.
ScaleNumber scale_number(ScaleKind kind, uint8_t code);

/// True if scales are powers of two: E8M0, or none (1).
constexpr bool is_power_of_two(ScaleKind kind) {
  return kind == ScaleKind::e8m0 || kind == ScaleKind::none;
}

/// Largest scale as a multiple of the smallest, 1 for power-of-two kinds: 7 * 2^15 for UE4M3.
uint64_t largest_scale_integer(ScaleKind kind);

struct ScaleLayout {
  ScaleKind kind = ScaleKind::e8m0;
  unsigned block = kBlockSize;  ///< elements along K that share a scale; unused without scales

  /// Scales of a row of k elements: k = 40 in blocks of 16 has 3.
  std::size_t columns(std::size_t k) const {
    return kind == ScaleKind::none ? 0 : (k + block - 1) / block;
  }
};
constexpr bool operator==(const ScaleLayout& a, const ScaleLayout& b) {
  return a.kind == b.kind && a.block == b.block;
}

/// Blocks of 16 elements E2M1 with scales UE4M3: NVFP4 without its tensor scale.
inline constexpr ScaleLayout kNvfp4Scales = {ScaleKind::ue4m3, 16};

/// An operand's elements and block scales.
struct ScaledFormat {
  FormatId element = FormatId::mxfp8_e4m3;
  ScaleLayout scales;

  /// Example: "mxfp8_e4m3", "nvfp4", "mxfp4_e2m1 in blocks of 64", "mxint8 without scales".
  std::string name() const;
};

/// An element format in blocks of `block` elements with E8M0 scales, or "nvfp4", which has its own
/// blocks. Throws Error for unknown names and for a block size of nvfp4.
ScaledFormat parse_scaled_format(std::string_view name, std::optional<unsigned> block);

/// Throws Error unless a product can have such an operand: no scales, or blocks of 16, 32, 64 or
/// 128; UE4M3 and UE5M3 only for E2M1 in blocks of 16.
void check(const ScaledFormat& format);

}  // namespace mxe::numerics
