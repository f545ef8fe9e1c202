// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/pkg.h"

namespace mxe::blocks {

/// mxe_expand: unpacks one operand word of memory to one 8-bit container per lane. For 4-bit
/// elements lane i holds element i in the low nibble and element 32 + i in the high one.
struct Expand {
  Word packed_i{};
  Word lanes_o{};

  void evaluate(const Word& packed, const FmtInfo& fmt) {
    packed_i = packed;
    for (unsigned i = 0; i < kBlockSize; i++) {
      lanes_o[i] = fmt.is4 ? four(i) : fmt.is6 ? six(i) : packed_i[i];
    }
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    for (unsigned i = 0; i < 2; i++) {
      v.enter("lanes_o", i);
      show(v, "half", 128, half_of(lanes_o, i));
      v.leave();
    }
  }

 private:
  uint8_t four(unsigned i) const {
    const unsigned shift = i % 2 * 4;
    const unsigned low = packed_i[i / 2] >> shift & 0xFu;
    const unsigned high = packed_i[(kBlockSize + i) / 2] >> shift & 0xFu;
    return static_cast<uint8_t>(high << 4 | low);
  }
  uint8_t six(unsigned i) const {
    const unsigned bit = 6 * i;
    const unsigned two = packed_i[bit / 8] | unsigned{packed_i[bit / 8 + 1]} << 8;
    return static_cast<uint8_t>(two >> bit % 8 & 0x3F);
  }
};

}  // namespace mxe::blocks
