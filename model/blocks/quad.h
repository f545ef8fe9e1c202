// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "model/blocks/csa.h"
#include "model/blocks/lane.h"

namespace mxe::blocks {

/// mxe_quad: the sum of the products of four lanes, in carry-save.
template <unsigned Width>
struct Quad {
  std::array<Lane<Width>, 4> lane;
  Bits sum_q = 0, carry_q = 0;

  void evaluate(bool dual, const DecodedWord& a, const DecodedWord& b, unsigned first) {
    for (unsigned i = 0; i < 4; i++) lane[i].evaluate(dual, a.lane(first + i), b.lane(first + i));
    Csa<Width> three, four;
    three.evaluate(lane[0].product_o, lane[1].product_o, lane[2].product_o);
    four.evaluate(lane[3].product_o, three.sum_o, three.carry_o);
    sum_q = four.sum_o;
    carry_q = four.carry_o;
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    for (unsigned i = 0; i < 4; i++) show_block(v, "lane", i, lane[i]);
    show(v, "sum_q", Width, sum_q);
    show(v, "carry_q", Width, carry_q);
  }
};

}  // namespace mxe::blocks
