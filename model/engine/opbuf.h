#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/hardware.h"
#include "numerics/format.h"

namespace mxe {

/// Which banks of a double buffer were filled when. Banks are filled and used in turn, so that bank
/// number n of a job stream is a running number, and lies in bank n mod 2.
class BankFills {
 public:
  /// The last word of the next bank arrives in `cycle`.
  void fill(uint64_t cycle) { full_from_.push(cycle + 1); }
  /// First cycle in which bank number `n` is full; kNever if that is not known yet.
  uint64_t full_from(uint64_t n) const { return n < full_from_.count() ? full_from_[n] : kNever; }

 private:
  History<uint64_t, 4> full_from_;
};

/// Operand buffer (mxe_opbuf): two banks of `lines` rows (A) or columns (B) of `words` operand
/// words, elements unpacked to one byte, with their scales.
class OpBuf {
 public:
  OpBuf(unsigned lines, unsigned words);

  /// The operand's format in the coming job; `dual`: two blocks to a word.
  void configure(mx::FormatId format, bool dual);
  /// Packed elements of a line, from the first word of the bank on.
  void put_elements(unsigned bank, unsigned line, const uint8_t* packed, uint32_t bytes);
  void put_scales(unsigned bank, unsigned line, const uint8_t* scales, uint32_t bytes);

  /// Element codes of a word (32, or 64 with `dual`), and its scales (1 or 2).
  const uint8_t* codes(unsigned bank, unsigned line, unsigned word) const;
  const uint8_t* scales(unsigned bank, unsigned line, unsigned word) const;

  BankFills fills;

 private:
  std::size_t line_index(unsigned bank, unsigned line) const { return bank * lines_ + line; }

  unsigned lines_, words_;
  mx::FormatId format_ = mx::FormatId::mxint8;
  unsigned blocks_per_word_ = 1;
  std::vector<uint8_t> codes_, scales_;  // [bank][line][word][2 blocks][32 or 1]
};

}  // namespace mxe
