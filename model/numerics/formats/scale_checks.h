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

/// Throws Error unless engines multiply operands with these scales: E8M0 of blocks of 32, without a
/// factor of all results (`has_alpha`).
inline void require_engine_scales(const ScaledFormat& a, const ScaledFormat& b, bool has_alpha) {
  constexpr ScaleLayout kOfEngines;
  if (a.scales == kOfEngines && b.scales == kOfEngines && !has_alpha) return;
  throw Error(
      fmt::format("no engine multiplies {} by {}{} (allowed: E8M0 scales of blocks of 32 "
                  "without tensor scales; golden has all)",
                  a.name(), b.name(), has_alpha ? " with a tensor scale" : ""));
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
