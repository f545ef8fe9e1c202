// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/engine/banks.h"
#include "model/engine/fetch.h"
#include "model/engine/walk.h"
#include "model/params/params.h"

namespace mxe {

/// One operand of a job, as its loader needs it.
struct OperandView {
  uint64_t address = 0, scale_address = 0;
  uint32_t stride = 0, scale_stride = 0;
  uint32_t row_bytes = 0, row_scales = 0;  ///< of a whole row: element bytes, scale bytes
  unsigned word_bytes = 0;                 ///< element bytes of one operand word
  unsigned word_scales = 1;                ///< scale bytes of one operand word: 2 at the dual rate
};

/// Operand loader (mxe_load): fetches A's chunks or B's slabs into the banks of a double buffer, of
/// each row the element bytes and then the scale bytes. It runs ahead of the array by as many banks
/// as are free.
class Load {
 public:
  enum class Operand : uint8_t { a, b };

  Load(const Params& params, Operand operand);

  /// A job starts in `cycle` (start_i).
  void start(uint64_t cycle, const OperandView& view, uint32_t m, uint32_t n, uint32_t k_words);
  /// The array has finished with a bank in `cycle`.
  void release(uint64_t cycle) { banks_.release(cycle); }
  void clear();
  void visit(StateVisitor& visitor);

  /// First cycle in which the next fetch is requested; kNever if not yet known, or if none is left.
  uint64_t request_from() const;
  const Fetch& fetch() const { return fetch_; }
  /// The fetch was accepted in `cycle`.
  void accept(uint64_t cycle);

 private:
  void prepare();
  void next_row();
  void next_bank(Walk::Next next);
  void move(Loop loop, uint64_t iterations);

  Params params_;
  Operand operand_;
  OperandView view_;
  Walk walk_;
  BankCredits banks_;
  Fetch fetch_;
  uint64_t next_from_ = 0;  // the cycle after the last accept
  unsigned bank_ = 0;       // being filled
  unsigned index_ = 0;      // row within the bank
  bool scales_ = false;     // the scale bytes of the row come next
  // Byte offsets within a row, and row pointers: see mxe_load.
  uint32_t chunk_offset_ = 0, offset_ = 0, chunk_scale_offset_ = 0, scale_offset_ = 0;
  uint64_t row_ = 0, base_ = 0, group_ = 0, scale_row_ = 0, scale_base_ = 0, scale_group_ = 0;
  AddressPhase phase_, scale_phase_;
};

}  // namespace mxe
