// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/decode.h"

namespace mxe::blocks {

/// mxe_decode_word: decodes one operand word. Its first `count` elements lie within K: all if 32 or
/// more (dual rate: 64). start() tabulates the 256 containers; visit() decodes each lane again.
struct DecodeWord {
  FmtInfo fmt_i;
  bool dual_i = false;
  Word word_i{};
  uint32_t count_i = 0;
  DecodedWord out;  ///< dec_o and flags_o

  void start(const FmtInfo& fmt, bool dual) {
    fmt_i = fmt;
    dual_i = dual;
    for (uint32_t code = 0; code < kept_.size(); code++) {
      Decode decode;
      decode.evaluate(code, fmt_i, dual_i, 3);
      kept_[code] = decoded(decode);
    }
  }
  void evaluate(const Word& word, uint32_t count) {
    word_i = word;
    count_i = count;
    Word flags;
    const bool all = count >= (dual_i ? 2 * kBlockSize : kBlockSize);
    for (unsigned i = 0; i < kBlockSize; i++) {
      const Decoded one = all ? kept_[word_i[i]] : decoded(lane(i));
      out.grp[i] = one.dec.grp;
      out.mag[i] = one.dec.mag;
      out.sign[i] = one.dec.sign;
      flags[i] = one.flags;
    }
    out.nan = gather(flags, 2);
    out.inf = gather(flags, 1);
    out.zero = gather(flags, 0);
    out.neg = gather(out.sign, 0);
  }
  Decode lane(unsigned i) const {
    Decode decode;
    decode.evaluate(word_i[i], fmt_i, dual_i,
                    uint32_t{count_i > kBlockSize + i} << 1 | uint32_t{count_i > i});
    return decode;
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "count_i", 7, count_i);
    for (unsigned i = 0; i < kBlockSize; i++) show_block(v, "lane", i, lane(i));
    show(v, "flags_o", 3 * kBlockSize,
         Bits{out.nan} << 2 * kBlockSize | Bits{out.inf} << kBlockSize | Bits{out.zero});
  }

 private:
  struct Decoded {
    Dec dec;
    uint8_t flags = 0;  // {nan, inf, zero}
  };

  static Decoded decoded(const Decode& decode) {
    const unsigned flags =
        unsigned{decode.nan_o} << 2 | unsigned{decode.inf_o} << 1 | unsigned{decode.zero_o};
    return {decode.dec_o, static_cast<uint8_t>(flags)};
  }
  static uint32_t gather(const Word& bytes, unsigned bit) {
    uint32_t gathered = 0;
    for (unsigned i = 0; i < kBlockSize; i += 8) {
      uint64_t eight = 0;
      for (unsigned j = 0; j < 8; j++) eight |= uint64_t{bytes[i + j]} << 8 * j;
      // The product moves bits 0, 8, 16, ... to bits 56, 57, 58, ...
      const uint64_t bits = (eight >> bit & 0x0101010101010101u) * 0x0102040810204080u;
      gathered |= static_cast<uint32_t>(bits >> 56) << i;
    }
    return gathered;
  }

  std::array<Decoded, 256> kept_{};  // by container
};

}  // namespace mxe::blocks
