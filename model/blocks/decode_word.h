// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/blocks/decode.h"

namespace mxe::blocks {

/// mxe_decode_word: element decode of one operand word, of which the first `count` elements exist
/// (1 to 32, or 1 to 64 at the dual rate: even block first).
///
/// What Decode makes of each of the 256 containers is worked out when a job starts; a visitor sees
/// every lane worked out anew.
struct DecodeWord {
  FmtInfo fmt_i;
  bool dual_i = false;
  Word word_i{};
  uint32_t count_i = 0;  ///< 7 bits
  DecodedWord out;       ///< dec_o and flags_o

  /// The job's format and rate.
  void start(const FmtInfo& fmt, bool dual) {
    fmt_i = fmt;
    dual_i = dual;
    for (uint32_t code = 0; code < kept_.size(); code++) {
      Decode decode;
      decode.evaluate(code, fmt_i, dual_i, 3);
      kept_[code] = {decode.dec_o, decode.nan_o, decode.inf_o, decode.zero_o};
    }
  }
  void evaluate(const Word& word, uint32_t count) {
    word_i = word;
    count_i = count;
    out.nan = out.inf = out.zero = out.neg = 0;
    const bool all = count >= (dual_i ? 2 * kLanes : kLanes);
    for (unsigned i = 0; i < kLanes; i++) put(i, all ? kept_[word_i[i]] : decoded(i));
  }
  Decode lane(unsigned i) const {
    Decode decode;
    decode.evaluate(word_i[i], fmt_i, dual_i,
                    uint32_t{count_i > kLanes + i} << 1 | uint32_t{count_i > i});
    return decode;
  }

  template <class Visitor>
  void visit(Visitor&& v) const {
    show(v, "count_i", 7, count_i);
    for (unsigned i = 0; i < kLanes; i++) show_block(v, "lane", i, lane(i));
    show(v, "flags_o", 3 * kLanes,
         Bits{out.nan} << 2 * kLanes | Bits{out.inf} << kLanes | Bits{out.zero});
  }

 private:
  struct Decoded {
    Dec dec;
    bool nan = false, inf = false, zero = false;
  };

  Decoded decoded(unsigned i) const {
    const Decode decode = lane(i);
    return {decode.dec_o, decode.nan_o, decode.inf_o, decode.zero_o};
  }
  void put(unsigned i, const Decoded& decoded) {
    out.grp[i] = decoded.dec.grp;
    out.mag[i] = decoded.dec.mag;
    out.sign[i] = decoded.dec.sign;
    out.nan |= uint32_t{decoded.nan} << i;
    out.inf |= uint32_t{decoded.inf} << i;
    out.zero |= uint32_t{decoded.zero} << i;
    out.neg |= (decoded.dec.sign & uint32_t{1}) << i;
  }

  std::array<Decoded, 256> kept_{};  // by container
};

}  // namespace mxe::blocks
