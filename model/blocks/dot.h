// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "model/blocks/quad.h"
#include "model/blocks/scaled_sum.h"
#include "model/blocks/tree.h"

namespace mxe::blocks {

/// Decoded scales of the blocks of 16 of a step (ScaleE4m3), 8 bits each; zero without NVFP4.
struct StepScales {
  bool nvfp4 = false;
  uint32_t a = 0, b = 0;
};

/// The inner values of mxe_dot, for visit() and for words with LaneRegisters::moved.
/// Dot::evaluate() otherwise adds in LaneRegisters::sum() (lane.h). Those of the upper tree are
/// zero with NVFP4, those of the scaled blocks without.
template <unsigned TreeW>
struct DotInside {
  static constexpr unsigned kHalves = 2;
  static constexpr unsigned kQuads = kBlockSize / 4 / kHalves;  ///< of a half
  static constexpr unsigned kAdders = 2 * kQuads - 2;           ///< of a half
  struct Half {
    std::array<Quad<TreeW>, kQuads> quad;
    Tree<TreeW, 2 * kQuads> tree;
    std::array<uint32_t, 2> ones{};  ///< {odd, even} of the lanes without a place in the tree

    void evaluate(bool dual, const DecodedWord& a, const DecodedWord& b, unsigned first) {
      std::array<uint32_t, 2 * kQuads> all;
      for (unsigned i = 0; i < kQuads; i++) {
        quad[i].evaluate(dual, a, b, first + 4 * i);
        tree.x_i[2 * i] = quad[i].sum_q;
        tree.x_i[2 * i + 1] = quad[i].carry_q;
        all[2 * i] = slice(quad[i].ones_q, 0, 2);
        all[2 * i + 1] = slice(quad[i].ones_q, 2, 2);
      }
      for (unsigned i = 0; i < kAdders; i++) tree.ones_i[i] = all[i];
      ones = {all[kAdders], all[kAdders + 1]};
      tree.evaluate(dual);
    }
  };
  std::array<Half, kHalves> half;
  bool cut = false;
  Tree<TreeW, 4> tree;
  ScaledSum scaled;
  bool nvfp4 = false;

  void evaluate(bool dual, const DecodedWord& a, const DecodedWord& b, const StepScales& scales) {
    for (unsigned h = 0; h < kHalves; h++) half[h].evaluate(dual, a, b, h * kBlockSize / kHalves);
    nvfp4 = scales.nvfp4;
    cut = dual && !nvfp4;
    if (nvfp4) {
      evaluate_scaled(dual, scales);
      return;
    }
    Csa<TreeW> join;
    join.evaluate(dual, half[0].ones[0], half[0].tree.sum_o, half[0].tree.carry_o,
                  half[1].tree.sum_o);
    const uint32_t last = half[1].ones[1];
    const Bits odd = dual ? slice(last, 1, 1) : 0;
    tree.x_i = {join.sum_o, join.carry_o, half[1].tree.carry_o, odd << kPackPosition | (last & 1)};
    tree.ones_i = {half[0].ones[1], half[1].ones[0]};
    tree.evaluate(cut);
  }
  Bits sum() const {
    if (nvfp4) return mask<kScaledSumWidth>(static_cast<Bits>(SignedBits{scaled.sum()}));
    const Bits total = mask<TreeW>(tree.sum_o + tree.carry_o);
    if (!cut) return total;
    const Bits high = (tree.sum_o >> kPackPosition) + (tree.carry_o >> kPackPosition);
    return mask<TreeW>(high << kPackPosition) | mask<kPackPosition>(total);
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    for (unsigned h = 0; h < kHalves; h++) {
      for (unsigned i = 0; i < kQuads; i++) show_block(v, "quad", h * kQuads + i, half[h].quad[i]);
      show_block(v, "half", h, half[h].tree);
    }
    show_block(v, "tree", tree);
    show(v, "tree_sum_q", TreeW, tree.sum_o);
    show(v, "tree_carry_q", TreeW, tree.carry_o);
    if constexpr (TreeW >= kScaledSumWidth) show_block(v, "scaled", scaled);
  }

 private:
  void evaluate_scaled(bool dual, const StepScales& scales) {
    scaled.blocks = dual ? kScaledBlocks : 2;
    std::array<CarrySave, kScaledBlocks> sums;
    for (unsigned i = 0; i < scaled.blocks; i++) {
      const Half& from = half[i % 2];
      const unsigned bit = i / 2 * kPackPosition, odd = i / 2;
      sums[i].sum = static_cast<uint32_t>(mask<kBlockSumWidth>(from.tree.sum_o >> bit));
      sums[i].carry = static_cast<uint32_t>(mask<kBlockSumWidth>(from.tree.carry_o >> bit));
      sums[i].ones = slice(from.ones[1], odd, 1) << 1 | slice(from.ones[0], odd, 1);
    }
    scaled.evaluate(sums, scales.a, scales.b);
  }
};

/// mxe_dot: the exact dot product of one block, TreeW bits of two's complement. At the dual rate
/// the sum holds the even block's below bit 20 and the odd block's from there on. With NVFP4 it is
/// the exact sum of a step, 50 bits. evaluate() computes only the sum; visit() evaluates the
/// sub-blocks again from the inputs.
template <unsigned TreeW>
struct Dot {
  bool dual_i = false;
  DecodedWord a_i, b_i;
  StepScales scales_i;
  LaneRegisters<TreeW> lanes;
  Bits sum_q = 0;

  void evaluate(bool dual, const DecodedWord& a, const DecodedWord& b, const StepScales& scales) {
    dual_i = dual;
    a_i = a;
    b_i = b;
    scales_i = scales;
    if (scales.nvfp4) {
      sum_q = inside().sum();
      return;
    }
    lanes.evaluate(dual, a, b);
    sum_q = lanes.moved ? inside().sum() : mask<TreeW>(dual ? apart(lanes.sum()) : lanes.sum());
  }
  DotInside<TreeW> inside() const {
    DotInside<TreeW> inside;
    inside.evaluate(dual_i, a_i, b_i, scales_i);
    return inside;
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    inside().visit(v);
    show(v, "sum_q", TreeW, sum_q);
  }

 private:
  /// A negative even sum borrows one from the odd sum; mxe_dot adds the two separately.
  static Bits apart(Bits sum) {
    const Bits even = mask<kPackPosition>(sum);
    return (sum - static_cast<Bits>(sign_extend<kPackPosition>(even))) | even;
  }
};

}  // namespace mxe::blocks
