// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mxe::explore {

/// FNV-1a, 64 bits, as 16 hexadecimal digits.
std::string content_hash(std::string_view text);

/// A hash of the cycles of committed jobs (tests/accuracy/cycle_baseline.json). A new value makes
/// stored exploration results invalid. A test fails if it must be updated.
inline constexpr const char* kCyclesVersion = "65f1487679fd4a8a";

}  // namespace mxe::explore
