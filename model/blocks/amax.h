// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "model/blocks/pkg.h"

namespace mxe::blocks {

/// mxe_amax: largest magnitude of the binary32 numbers of a segment, reduced to the 17 bits that
/// decide a scale: 8 of the exponent, the upper 8 of the fraction, a sticky bit.
struct Amax {
  unsigned lanes = 1;                                      ///< a power of two, at most 16
  std::array<uint32_t, 2 * kMaxSegmentLanes - 1> level{};  ///< inputs, then each level of maxima
  uint32_t amax_o = 0;

  explicit Amax(unsigned segment_lanes = 1) : lanes(segment_lanes) {}

  uint32_t evaluate(const uint32_t* x) {
    for (unsigned i = 0; i < lanes; i++) {
      level[i] = slice(x[i], 15, 16) << 1 | uint32_t{slice(x[i], 0, 15) != 0};
    }
    unsigned from = 0, to = lanes;
    for (unsigned width = lanes / 2; width > 0; width /= 2) {
      for (unsigned i = 0; i < width; i++) {
        const uint32_t a = level[from + 2 * i], b = level[from + 2 * i + 1];
        level[to + i] = a > b ? a : b;
      }
      from = to;
      to += width;
    }
    amax_o = level[from];
    return amax_o;
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    for (unsigned i = 0; i < 2 * lanes - 1; i++) {
      v.enter("level", i);
      show(v, "amax", kAmaxWidth, level[i]);
      v.leave();
    }
    show(v, "amax_o", kAmaxWidth, amax_o);
  }
};

}  // namespace mxe::blocks
