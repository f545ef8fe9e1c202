// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/pkg.h"

namespace mxe::blocks {

/// mxe_negatives: corrects the lanes' one's complements by +1 per negative product. Dual rate: at
/// bit 20, +1 per negative odd and -1 per negative even product, whose sign ends below bit 20.
template <unsigned Width>
struct Negatives {
  uint32_t even = 0, odd = 0;
  uint32_t even_q2 = 0, odd_q2 = 0;
  Bits lack_o = 0;

  void evaluate(bool dual, const DecodedWord& a, const DecodedWord& b) {
    even = odd = 0;
    for (unsigned i = 0; i < kBlockSize; i++) {
      const auto neg = static_cast<uint32_t>(a.sign[i] ^ b.sign[i]);
      even += neg & 1;
      odd += neg >> 1 & 1;
    }
    even_q2 = even;
    odd_q2 = dual ? mask32<7>(odd - even) : 0;
    lack_o = mask<Width>(static_cast<Bits>(sign_extend<7>(odd_q2)) << kPackPosition | even_q2);
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "even", 6, even);
    show(v, "odd", 6, odd);
    show(v, "even_q2", 6, even_q2);
    show(v, "odd_q2", 7, odd_q2);
    show(v, "lack_o", Width, lack_o);
  }
};

}  // namespace mxe::blocks
