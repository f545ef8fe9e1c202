// SPDX-License-Identifier: Apache-2.0
// Scales that operands and engines refuse.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "model/numerics/formats/scaled_format.h"

namespace mxe::numerics {

/// True for E2M1 in blocks of 16 with UE4M3 scales.
inline bool is_nvfp4_format(const ScaledFormat& format) {
  return format.element == FormatId::mxfp4_e2m1 && format.scales == kNvfp4Scales;
}

/// True for E8M0 scales of blocks of 32, 64 or 128.
inline bool has_mx_scales(const ScaledFormat& format) {
  const unsigned block = format.scales.block;
  return format.scales.kind == ScaleKind::e8m0 && (block == 32 || block == 64 || block == 128);
}

/// Throws Error unless engines multiply operands with these scales: E8M0 in blocks of 32, 64 or 128
/// on each side or NVFP4 on both, without scales of rows.
inline void require_engine_scales(const ScaledFormat& a, const ScaledFormat& b,
                                  bool has_row_scales) {
  const bool is_mx = has_mx_scales(a) && has_mx_scales(b);
  if (!has_row_scales && (is_mx || (is_nvfp4_format(a) && is_nvfp4_format(b)))) return;
  throw Error(
      fmt::format("no engine multiplies {} by {}{} (allowed: E8M0 scales of blocks of 32, 64 or "
                  "128, or NVFP4 twice, and one tensor scale; golden has all)",
                  a.name(), b.name(), has_row_scales ? " with scales of rows" : ""));
}

/// Throws Error if a code is NaN, with its index and `name`: codes of a file with NaN scales
/// usually have another format.
inline void refuse_nan_scales(const std::vector<uint8_t>& codes, ScaleKind kind,
                              const std::string& name) {
  const auto found = std::find_if(codes.begin(), codes.end(),
                                  [kind](uint8_t code) { return scale_number(kind, code).is_nan; });
  if (found == codes.end()) return;
  const auto last = kind == ScaleKind::ue4m3 ? 0x7E : 0xFE;
  throw Error(fmt::format("{}: scale {} is the code {}, NaN (allowed: 0 to {})", name,
                          found - codes.begin(), *found, last));
}

}  // namespace mxe::numerics
