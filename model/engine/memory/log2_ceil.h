// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mxe::engine {

/// The least number of bits that count to `value` - 1: of a power of two, its logarithm.
constexpr unsigned log2_ceil(unsigned value) {
  unsigned log2 = 0;
  while (1u << log2 < value) log2++;
  return log2;
}

}  // namespace mxe::engine
