// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/blocks/expand.h"
#include "model/engine/arithmetic/arithmetic.h"
#include "model/engine/timing/common/banks.h"
#include "model/params/hardware.h"
#include "model/params/params.h"

namespace mxe::engine {

/// Operand buffer (mxe_opbuf): banks of rows (A) or columns (B), each of operand words with their
/// scales, and the times at which the banks are full.
class OpBuf {
 public:
  /// `lines` rows or columns of `words` words in a bank, as the unpacker passes them on. With 4-bit
  /// elements at the single rate, each is two operand words. A word has at most `most_scales`.
  OpBuf(unsigned banks, unsigned lines, unsigned words, unsigned most_scales);

  /// The operand of the coming job. Lines are 2^`chunk_shift` times as long and their number is
  /// divided by that factor.
  /// `blocks`: of an operand word; 2^`coarse` of them share a scale.
  void configure(numerics::FormatId format, bool dual, unsigned blocks, unsigned coarse,
                 unsigned chunk_shift);
  /// A word from the unpacker, of row or column `line`: elements as they lie in memory, which get a
  /// container each, or scales. With 4-bit elements at the single rate, it is two operand words.
  void put_elements(unsigned bank, unsigned line, unsigned index, const blocks::Word& word);
  /// The bank begins `passed_blocks` blocks after the first block of its first scale.
  void put_scales(unsigned bank, unsigned line, unsigned index, const blocks::Word& word,
                  unsigned passed_blocks);
  OperandWord read(unsigned bank, unsigned line, unsigned word) const;

  BankFills fills;

 private:
  std::size_t place(unsigned bank, unsigned line) const {
    return std::size_t{bank} * lines_ + (std::size_t{line} << chunk_shift_);
  }

  unsigned lines_, words_, scale_bytes_;  // words_: room for operand words in a line
  blocks::FmtInfo fmt_;
  bool dual_ = false;
  unsigned word_blocks_ = 1, coarse_ = 0;
  unsigned chunk_shift_ = 0;
  blocks::Expand expand_;
  std::vector<std::array<uint8_t, kBlockSize>> elements_;  // [bank][line][word]
  std::vector<uint8_t> scales_;                            // [bank][line][scale]
  std::vector<unsigned> passed_blocks_;                    // [bank]
};

}  // namespace mxe::engine
