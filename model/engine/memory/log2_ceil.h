// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace mxe::engine {

/// ceil(log2(value)): 8 -> 3, 9 -> 4.
constexpr unsigned log2_ceil(unsigned value) {
  unsigned log2 = 0;
  while (1u << log2 < value) log2++;
  return log2;
}

}  // namespace mxe::engine
