// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace mxe::explore {

/// FNV-1a, 64 bits, as 16 hexadecimal digits: names what a text says.
std::string content_hash(std::string_view text);

/// Of the cycles that committed jobs take (tests/accuracy/cycle_baseline.json): with them, what
/// explorations have found before becomes void. A test says when it has to be renewed.
inline constexpr const char* kCyclesVersion = "65f1487679fd4a8a";

}  // namespace mxe::explore
