// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "model/blocks/quad.h"
#include "model/blocks/tree.h"

namespace mxe::blocks {

/// mxe_dot: the exact dot product of one block in TreeW bits of two's complement. Above 64 bits it
/// is built from two limbs, the low one unsigned with room for 32 terms. At the dual rate the sum
/// carries the even block's at bit 0 and the odd block's at bit 20. The lanes are values inside
/// their quads, which a visitor sees worked out anew from what the block was given.
template <unsigned TreeW>
struct Dot {
  static constexpr bool kTwoLimbs = TreeW > 64;
  static constexpr unsigned kLoWidth = kTwoLimbs ? 36 : TreeW;
  static constexpr unsigned kHiWidth = kTwoLimbs ? TreeW - 36 : 1;
  static constexpr unsigned kLoSumWidth = kTwoLimbs ? kLoWidth + 5 : kLoWidth;
  static constexpr unsigned kQuads = kLanes / 4;
  using DotLane = Lane<kLoWidth, kHiWidth>;

  bool dual_i = false;
  DecodedWord a_i, b_i;
  LaneRegisters<kLoWidth, kHiWidth> lanes;
  std::array<Quad<kLoWidth, kHiWidth, kLoSumWidth>, kQuads> quad;
  Tree<kLoSumWidth> tree_lo;
  Tree<kHiWidth> tree_hi;
  Bits sum_q = 0;  ///< TreeW bits

  void evaluate(bool dual, const DecodedWord& a, const DecodedWord& b) {
    dual_i = dual;
    a_i = a;
    b_i = b;
    lanes.evaluate(dual, a, b);
    for (unsigned i = 0; i < kQuads; i++) {
      quad[i].evaluate(lanes, 4 * i);
      tree_lo.x_i[i] = quad[i].lo_q;
      tree_hi.x_i[i] = quad[i].hi_q;
    }
    tree_lo.evaluate();
    tree_hi.evaluate();
    sum_q = tree_lo.sum_o;
    if constexpr (kTwoLimbs) sum_q = mask<TreeW>((Bits{tree_hi.sum_o} << kLoWidth) + sum_q);
  }
  /// One lane, with all its values.
  DotLane lane(unsigned i) const {
    DotLane lane;
    lane.evaluate(dual_i, a_i.lane(i), b_i.lane(i));
    return lane;
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    for (unsigned i = 0; i < kQuads; i++) {
      v.enter("quad", i);
      for (unsigned j = 0; j < 4; j++) show_block(v, "lane", j, lane(4 * i + j));
      quad[i].visit(v);
      v.leave();
    }
    show_block(v, "tree_lo", tree_lo);
    show_block(v, "tree_hi", tree_hi);
    show(v, "sum_q", TreeW, sum_q);
  }
};

}  // namespace mxe::blocks
