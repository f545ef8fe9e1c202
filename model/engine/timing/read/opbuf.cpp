// SPDX-License-Identifier: Apache-2.0
#include "model/engine/timing/read/opbuf.h"

#include <algorithm>

namespace mxe::engine {

OpBuf::OpBuf(unsigned banks, unsigned lines, unsigned words, unsigned most_scales)
    : fills(banks),
      lines_(lines),
      words_(2 * words),
      scale_bytes_(most_scales * words),
      elements_(std::size_t{banks} * lines * words_),
      scales_(std::size_t{banks} * lines * scale_bytes_),
      passed_blocks_(banks) {}

void OpBuf::configure(numerics::FormatId format, bool dual, unsigned blocks, unsigned coarse,
                      unsigned chunk_shift) {
  fmt_ = blocks::fmt_info(format);
  dual_ = dual;
  word_blocks_ = blocks;
  coarse_ = coarse;
  chunk_shift_ = chunk_shift;
}

void OpBuf::put_elements(unsigned bank, unsigned line, unsigned index, const blocks::Word& word) {
  expand_.evaluate(word, fmt_);
  auto* const line_words = &elements_[place(bank, line) * words_];
  if (!fmt_.is4 || dual_) {
    line_words[index] = expand_.lanes_o;
    return;
  }
  // 4-bit elements at the single rate: the word becomes two, the first with the low nibbles, the
  // second with the high ones. Word 3 becomes words 6 and 7.
  for (unsigned i = 0; i < kBlockSize; i++) {
    const uint8_t lane = expand_.lanes_o[i];
    line_words[2 * index][i] = lane & 0xF;
    line_words[2 * index + 1][i] = lane >> 4;
  }
}

void OpBuf::put_scales(unsigned bank, unsigned line, unsigned index, const blocks::Word& word,
                       unsigned passed_blocks) {
  passed_blocks_[bank] = passed_blocks;
  const unsigned bytes = std::min(kPlainWordBytes, scale_bytes_);
  std::copy_n(word.begin(), bytes, &scales_[place(bank, line) * scale_bytes_ + index * bytes]);
}

OperandWord OpBuf::read(unsigned bank, unsigned line, unsigned word) const {
  const uint8_t* scales = &scales_[place(bank, line) * scale_bytes_];
  OperandWord read{elements_[place(bank, line) * words_ + word], {}};
  for (unsigned i = 0; i < word_blocks_; i++) {
    read.scales[i] = scales[(word_blocks_ * word + i + passed_blocks_[bank]) >> coarse_];
  }
  return read;
}

}  // namespace mxe::engine
