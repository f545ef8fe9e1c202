// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/params/params.h"

namespace mxe::explore {

/// Bits of all memories in the RTL; `params` must be valid.
std::uint64_t memory_bits(const Params& params);

}  // namespace mxe::explore
