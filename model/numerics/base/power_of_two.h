// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mxe {

/// 1, 2, 4, ...; not 0.
constexpr bool is_power_of_two(uint64_t value) { return value != 0 && (value & (value - 1)) == 0; }

}  // namespace mxe
