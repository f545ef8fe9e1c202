// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "mxe_counter_table.h"

namespace mxe {

inline constexpr std::size_t kCounters = counter_table.size();

/// One count per performance counter, in the order of the counter table.
using CounterArray = std::array<uint64_t, kCounters>;

}  // namespace mxe
