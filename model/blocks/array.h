// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/blocks/decode_word.h"
#include "model/blocks/pe.h"
#include "model/blocks/scale_e4m3.h"

namespace mxe::blocks {

/// mxe_facc with the parameters that mxe_pe sets.
template <unsigned Width>
using RtlAccumulator = Facc<Width, 27, kExpBias>;

/// mxe_array: the A decoder and the PEs. Also holds the B decoder of mxe_feed.
template <unsigned TreeW, template <unsigned> class Accumulator = RtlAccumulator>
struct Array {
  using Element = Pe<TreeW, Accumulator>;

  DecodeWord decode_b;
  DecodeWord decode_a;
  int32_t exp_offset = 0;  ///< 10 bits: lsbA + lsbB - 254 + kExpBias
  Broadcast broadcast;
  std::vector<Element> pe;

  /// `num_pe` columns with `depth` = ROWS * ACC_TILES accumulators each.
  Array(unsigned num_pe, std::size_t depth, bool fp4_dual) : pe(num_pe, Element(depth, fp4_dual)) {}
  Array(const Array&) = delete;  // broadcast points into decode_a
  Array& operator=(const Array&) = delete;

  void start(const FmtInfo& format_a, const FmtInfo& format_b, bool dual_rate, bool nvfp4) {
    decode_a.start(format_a, dual_rate);
    decode_b.start(format_b, dual_rate);
    exp_offset = format_a.lsb + format_b.lsb - 254 + kExpBias;
    broadcast.a = &decode_a.out;
    broadcast.dual = dual_rate;
    broadcast.nvfp4 = nvfp4;
    broadcast.a_scales = 0;
  }
  /// Loads the shadow B word of a column; only its first `count` elements lie within K.
  /// `scales`: {odd, even} block, 8 bits each; NVFP4: of four blocks, block 0 lowest.
  void load_b(unsigned column, const Word& word, uint32_t scales, uint32_t count) {
    decode_b.evaluate(word, count);
    pe[column].load_b(decode_b.out, broadcast.nvfp4 ? decoded(scales) : WordScales{scales, false});
  }
  /// Copies all shadow B words to the active ones, as at the first row of a pass.
  void swap_b() {
    for (Element& one : pe) one.swap_b();
  }
  /// Broadcasts the A word of one row to the first `columns` PEs. Each adds its block sum to
  /// accumulator `address`, which starts from `init` (binary32 per PE; null: 0) if `first`.
  void evaluate(const Word& word, uint32_t scales, unsigned columns, std::size_t address,
                bool first, const uint32_t* init) {
    decode_a.evaluate(word, 2 * kBlockSize);
    const uint32_t even = slice(scales, 0, 8), odd = slice(scales, 8, 8);
    broadcast.exp_even = exp_offset + static_cast<int32_t>(even);
    broadcast.exp_odd = exp_offset + static_cast<int32_t>(odd);
    broadcast.a_nan = uint32_t{odd == 0xFF} << 1 | uint32_t{even == 0xFF};
    if (broadcast.nvfp4) {
      const WordScales a = decoded(scales);
      broadcast.exp_even = kScaledExp;
      broadcast.a_scales = a.codes;
      broadcast.a_nan = uint32_t{a.nan};
    }
    for (unsigned i = 0; i < columns; i++) {
      pe[i].evaluate(broadcast, address, first, init ? init[i] : 0);
    }
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show_block(v, "decode_b", decode_b);
    show_block(v, "decode_a", decode_a);
    show(v, "exp_offset", 10, exp_offset);
    show(v, "exp_even", 10, broadcast.exp_even);
    show(v, "exp_odd_q2", 10, broadcast.exp_odd);
    show(v, "a_nan", 2, broadcast.a_nan);
    for (unsigned i = 0; i < pe.size(); i++) show_block(v, "pe", i, pe[i]);
  }

 private:
  /// mxe_scales_e4m3: those of four blocks of 16 at the dual rate, else of two.
  WordScales decoded(uint32_t codes) const {
    WordScales scales;
    for (unsigned i = 0; i < kScaledBlocks; i++) {
      ScaleE4m3 scale;
      scale.evaluate(slice(codes, 8 * i, 8));
      scales.codes |= scale.scale_o << 8 * i;
      if (scale.nan_o && (broadcast.dual || i < 2)) scales.nan = true;
    }
    return scales;
  }
};

extern template struct Array<42>;
extern template struct Array<56>;
extern template struct Array<70>;

}  // namespace mxe::blocks
