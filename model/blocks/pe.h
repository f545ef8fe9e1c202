// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/blocks/dot.h"
#include "model/blocks/facc.h"
#include "model/blocks/scale.h"

namespace mxe::blocks {

/// Inputs of all PEs for one row: the decoded A word and the exponents from its scales.
struct Broadcast {
  const DecodedWord* a = nullptr;
  int32_t exp_even = 0, exp_odd = 0;  ///< 10 bits: scale of A - 254 + lsbA + lsbB + kExpBias
  uint32_t a_nan = 0;                 ///< {odd, even}: the scale of A is NaN; NVFP4: bit 0, of any
  bool dual = false;
  bool nvfp4 = false;
  uint32_t a_scales = 0;  ///< NVFP4: decoded scales of A (ScaleE4m3), 8 bits each
};

/// Scales of a B word. {odd, even} block, 8 bits each; NVFP4: decoded, and whether one is NaN.
struct WordScales {
  uint32_t codes = 0;
  bool nan = false;
};

/// mxe_pe: one column of D. It keeps one B word during a pass, multiplies every broadcast A word by
/// it and adds each block sum to an FP32 accumulator. At the dual rate a second chain accumulates
/// the odd blocks; otherwise that chain is idle. With NVFP4 it adds the sum of a step of scaled
/// blocks.
///
/// `Accumulator<width>` replaces Facc: evaluate(), visit(), acc_o; its exp_i has the bias kExpBias.
template <unsigned TreeW, template <unsigned> class Accumulator>
struct Pe {
  DecodedWord b_q, b_shadow_q;
  WordScales b_scale_q, b_scale_shadow_q;
  Dot<TreeW> dot;
  Scale scale_even;
  int32_t exp_odd = 0;
  bool nan_odd = false;
  SignedBits sum_even = 0;
  int32_t sum_odd = 0;
  std::vector<uint32_t> acc_even, acc_odd;
  Accumulator<TreeW> facc_even;
  Accumulator<kDualSumWidth> facc_odd;
  bool fp4_dual = false;
  bool pair = false;  ///< two chains

  Pe(std::size_t depth, bool has_odd_chain)
      : acc_even(depth), acc_odd(has_odd_chain ? depth : 0), fp4_dual(has_odd_chain) {}

  void load_b(const DecodedWord& b, const WordScales& scales) {
    b_shadow_q = b;
    b_scale_shadow_q = scales;
  }
  void swap_b() {
    b_q = b_shadow_q;
    b_scale_q = b_scale_shadow_q;
  }

  /// Adds the sum of one block to acc_even[address]; at the dual rate also that of the odd block to
  /// acc_odd[address]. If `first`, the even accumulator starts from `init`, the odd one from 0.
  void evaluate(const Broadcast& in, std::size_t address, bool first, uint32_t init) {
    StepScales scales;
    if (in.nvfp4) scales = {true, in.a_scales, b_scale_q.codes};
    dot.evaluate(in.dual, *in.a, b_q, scales);
    const uint32_t b_scale = in.nvfp4 ? 0 : slice(b_scale_q.codes, 0, 8);
    scale_even.evaluate(in.exp_even, (in.a_nan & 1) != 0 || b_scale_q.nan, b_scale, *in.a, b_q);
    pair = in.dual && !in.nvfp4;
    sum_even = in.nvfp4 ? sign_extend<kScaledSumWidth>(dot.sum_q)
               : pair   ? sign_extend<kPackPosition>(dot.sum_q)
                        : sign_extend<TreeW>(dot.sum_q);
    facc_even.evaluate(sum_even, scale_even.exp_o, scale_even.nan_o, scale_even.pinf_o,
                       scale_even.ninf_o, first ? init : acc_even[address]);
    acc_even[address] = facc_even.acc_o;
    if (pair) evaluate_odd(in, address, first);
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show_block(v, "dot", dot);
    show_block(v, "scale_even", scale_even);
    show(v, "sum_even", TreeW, sum_even);
    show_block(v, "facc_even", facc_even);
    if (!fp4_dual) return;
    show(v, "exp_odd", 10, exp_odd);
    show(v, "nan_odd", 1, uint32_t{nan_odd});
    show(v, "sum_odd", kDualSumWidth, sum_odd);
    show_block(v, "facc_odd", facc_odd);
  }

 private:
  /// The odd block's elements have 4 bits, so none of them is NaN or infinity.
  void evaluate_odd(const Broadcast& in, std::size_t address, bool first) {
    const uint32_t b_scale = slice(b_scale_q.codes, 8, 8);
    exp_odd = sign_extend32<10>(static_cast<uint32_t>(in.exp_odd) + b_scale);
    nan_odd = (in.a_nan & 2) != 0 || b_scale == 0xFF;
    const auto sum = static_cast<uint64_t>(dot.sum_q);
    sum_odd = sign_extend32<kDualSumWidth>(static_cast<uint32_t>(sum >> kPackPosition));
    facc_odd.evaluate(sum_odd, exp_odd, nan_odd, false, false, first ? 0 : acc_odd[address]);
    acc_odd[address] = facc_odd.acc_o;
  }
};

}  // namespace mxe::blocks
