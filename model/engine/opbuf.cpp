// SPDX-License-Identifier: Apache-2.0
#include "model/engine/opbuf.h"

#include <algorithm>

namespace mxe {
namespace {

/// Whole scale words for a line of operand words, each of which may have two scales.
unsigned scale_bytes(unsigned words) {
  return (2 * words + kScaleWordBytes - 1) / kScaleWordBytes * kScaleWordBytes;
}

}  // namespace

OpBuf::OpBuf(unsigned banks, unsigned lines, unsigned words)
    : fills(banks),
      lines_(lines),
      words_(words),
      scale_bytes_(scale_bytes(words)),
      elements_(std::size_t{banks} * lines * words),
      scales_(std::size_t{banks} * lines * scale_bytes_) {}

void OpBuf::configure(mx::FormatId format, bool dual) {
  fmt_ = blocks::fmt_info(format);
  dual_ = dual;
}

void OpBuf::put_elements(unsigned bank, unsigned line, unsigned index, const blocks::Word& word) {
  expand_.evaluate(word, fmt_);
  elements_[place(bank, line) * words_ + index] = expand_.lanes_o;
}

void OpBuf::put_scales(unsigned bank, unsigned line, unsigned index, const blocks::Word& word) {
  std::copy_n(word.begin(), kScaleWordBytes,
              &scales_[place(bank, line) * scale_bytes_ + index * kScaleWordBytes]);
}

OperandWord OpBuf::read(unsigned bank, unsigned line, unsigned word) const {
  const uint8_t* scales = &scales_[place(bank, line) * scale_bytes_];
  const unsigned first = dual_ ? 2 * word : word;
  return {elements_[place(bank, line) * words_ + word], {scales[first], scales[first | 1]}};
}

}  // namespace mxe
