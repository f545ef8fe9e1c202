// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mxe::explore {

/// FNV-1a hash of 64 bits as 16 hexadecimal digits.
std::string content_hash(std::string_view text);

/// Hash of measured cycles (tests/accuracy/cycle_baseline.json), stored in cache folders and
/// records. If those cycles change, a test requires a new value, which makes stored results
/// invalid.
inline constexpr const char* kCyclesVersion = "65f1487679fd4a8a";

}  // namespace mxe::explore
