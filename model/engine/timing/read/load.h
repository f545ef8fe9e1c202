// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/engine/timing/common/banks.h"
#include "model/engine/timing/common/walk.h"
#include "model/engine/timing/read/read_client.h"
#include "model/params/params.h"

namespace mxe::engine {

/// Operand loader (mxe_load): fetches A's chunks or B's slabs into the banks of its buffer, of each
/// row the element bytes and then the scale bytes. It runs ahead of the array by as many banks
/// as are free.
class Load final : public OperandLoader {
 public:
  enum class Operand : uint8_t { a, b };

  /// With as many banks as the RTL has, or with `banks`.
  Load(const Params& params, Operand operand);
  Load(const Params& params, Operand operand, unsigned banks);

  void start(uint64_t cycle, const OperandView& view, uint32_t batch, uint32_t m, uint32_t n,
             uint32_t k_words, bool chained) override;
  unsigned banks() const override { return banks_; }
  uint64_t request_cycle() const override;
  const Fetch& fetch() const override { return fetch_; }
  void accept(uint64_t cycle) override;
  void release(uint64_t cycle) override { credits_.release(cycle); }
  uint64_t done_cycle() const override { return walk_.valid() ? kNever : next_cycle_; }
  void clear() override;
  void visit(StateVisitor& visitor) override;
  Track track() const override {
    return operand_ == Operand::a ? Track::loader_a : Track::loader_b;
  }

 private:
  void prepare();
  void next_row();
  void next_bank(Walk::Next next, uint32_t words, uint32_t chunk_words);
  void move(Loop loop, uint64_t iterations);
  /// Blocks that share a scale, without the first.
  uint32_t shared() const { return (1u << view_.coarse) - 1; }
  uint64_t scale_address() const { return scale_row_ + (block_ >> view_.coarse); }

  Params params_;
  Operand operand_;
  OperandView view_;
  Walk walk_;
  unsigned banks_;
  BankCredits credits_;
  Fetch fetch_;
  uint64_t next_cycle_ = 0;  // the cycle after the last accept
  unsigned bank_ = 0;        // being filled
  unsigned index_ = 0;       // row within the bank
  bool second_ = false;      // bank_ is the second of a wide tile
  bool new_chunk_ = false;   // bank_ is the first that an A chunk needs
  bool scales_ = false;      // the scale bytes of the row are next
  // Byte offsets and blocks within a row, and row pointers: see mxe_load.
  uint32_t chunk_offset_ = 0, offset_ = 0, chunk_block_ = 0, block_ = 0;
  uint64_t row_ = 0, base_ = 0, group_ = 0, scale_row_ = 0, scale_base_ = 0, scale_group_ = 0;
  uint64_t matrix_ = 0, scale_matrix_ = 0;  // of the product
  AddressPhase phase_, scale_phase_;
};

}  // namespace mxe::engine
