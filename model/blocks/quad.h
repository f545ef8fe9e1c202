// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "model/blocks/csa.h"
#include "model/blocks/lane.h"

namespace mxe::blocks {

/// mxe_quad: the sum of the products of four lanes, in carry-save, with the missing ones of two of
/// them; ones_q has those of the other two.
template <unsigned Width>
struct Quad {
  std::array<Lane<Width>, 4> lane;
  Bits sum_q = 0, carry_q = 0;
  uint32_t ones_q = 0;  ///< 4 bits: {odd, even} of lane 3, of lane 2

  void evaluate(bool dual, const DecodedWord& a, const DecodedWord& b, unsigned first) {
    for (unsigned i = 0; i < 4; i++) lane[i].evaluate(dual, a.lane(first + i), b.lane(first + i));
    Csa<Width> three, four;
    three.evaluate(dual, lane[0].neg, lane[0].product_o, lane[1].product_o, lane[2].product_o);
    four.evaluate(dual, lane[1].neg, lane[3].product_o, three.sum_o, three.carry_o);
    sum_q = four.sum_o;
    carry_q = four.carry_o;
    ones_q = lane[3].neg << 2 | lane[2].neg;
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    for (unsigned i = 0; i < 4; i++) show_block(v, "lane", i, lane[i]);
    show(v, "sum_q", Width, sum_q);
    show(v, "carry_q", Width, carry_q);
    show(v, "ones_q", 4, ones_q);
  }
};

}  // namespace mxe::blocks
