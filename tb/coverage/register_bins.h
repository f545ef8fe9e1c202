// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tb/coverage/bins.h"
#include "tb/rtl/rtl_top.h"

namespace mxe {

/// Coverage of what software does with the registers and finds in them: accesses, the ring, the
/// causes of interrupts. It looks at the pins, so that software need not be told.
class RegisterBins {
 public:
  static void define(Bins& bins);

  /// Looks at one clock cycle.
  void cycle(const RtlInputs& in, const RtlOutputs& out);
  /// What was seen.
  const BinCounts& counts() const { return counts_; }

 private:
  void hit(const char* group, const std::string& bin) { counts_[group][bin]++; }
  void access(uint32_t address, const char* kind);
  void read(uint32_t address, uint32_t data);
  void written(uint32_t address, uint32_t data);
  void head_is(uint16_t head);
  void tail_is(uint16_t tail);
  void doorbell_taken();
  void tail_read(uint16_t tail);
  void fault_read(uint32_t info);

  uint32_t read_address_ = 0, write_address_ = 0, write_data_ = 0;
  uint32_t mask_ = 0;                // of interrupts
  uint16_t entries_ = 1, head_ = 0;  // of the ring; the head as software saw it last
  uint16_t tail_ = 0;                // that the engine took
  std::optional<uint16_t> asked_;    // the last doorbell, as long as nothing tells what came of it
  BinCounts counts_;
};

}  // namespace mxe
