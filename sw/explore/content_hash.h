// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mxe::explore {

/// FNV-1a hash of 64 bits as 16 hexadecimal digits.
std::string content_hash(std::string_view text);

/// Part of every cache key: a hash of measured cycles (tests/accuracy/cycle_baseline.json). When
/// those cycles change, a test requires a new value, and stored exploration results become invalid.
inline constexpr const char* kCyclesVersion = "65f1487679fd4a8a";

}  // namespace mxe::explore
