// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "model/blocks/negatives.h"
#include "model/blocks/quad.h"
#include "model/blocks/tree.h"

namespace mxe::blocks {

/// The inner values of mxe_dot, for visit() and for words with LaneRegisters::moved.
/// Dot::evaluate() otherwise adds in LaneRegisters::sum() (lane.h).
template <unsigned TreeW>
struct DotInside {
  static constexpr unsigned kQuads = kBlockSize / 4;
  std::array<Quad<TreeW>, kQuads> quad;
  Negatives<TreeW> negatives;
  Tree<TreeW> tree;

  void evaluate(bool dual, const DecodedWord& a, const DecodedWord& b) {
    negatives.evaluate(dual, a, b);
    for (unsigned i = 0; i < kQuads; i++) {
      quad[i].evaluate(dual, a, b, 4 * i);
      tree.x_i[2 * i] = quad[i].sum_q;
      tree.x_i[2 * i + 1] = quad[i].carry_q;
    }
    tree.x_i[2 * kQuads] = negatives.lack_o;
    tree.evaluate();
  }
  Bits sum() const { return mask<TreeW>(tree.sum_o + tree.carry_o); }

  template <class Visitor>
  void visit(Visitor&& v) const {
    for (unsigned i = 0; i < kQuads; i++) show_block(v, "quad", i, quad[i]);
    show_block(v, "negatives", negatives);
    show_block(v, "tree", tree);
    show(v, "tree_sum_q", TreeW, tree.sum_o);
    show(v, "tree_carry_q", TreeW, tree.carry_o);
  }
};

/// mxe_dot: the exact dot product of one block, TreeW bits of two's complement. At the dual rate
/// the sum holds the even block's at bit 0 and the odd block's at bit 20. evaluate() computes only
/// the sum; visit() evaluates the sub-blocks again from the inputs.
template <unsigned TreeW>
struct Dot {
  bool dual_i = false;
  DecodedWord a_i, b_i;
  LaneRegisters<TreeW> lanes;
  Bits sum_q = 0;

  void evaluate(bool dual, const DecodedWord& a, const DecodedWord& b) {
    dual_i = dual;
    a_i = a;
    b_i = b;
    lanes.evaluate(dual, a, b);
    sum_q = lanes.moved ? inside().sum() : mask<TreeW>(lanes.sum());
  }
  DotInside<TreeW> inside() const {
    DotInside<TreeW> inside;
    inside.evaluate(dual_i, a_i, b_i);
    return inside;
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    inside().visit(v);
    show(v, "sum_q", TreeW, sum_q);
  }
};

}  // namespace mxe::blocks
