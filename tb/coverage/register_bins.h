// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/platform/rtl/rtl_top.h"
#include "tb/coverage/bins.h"

namespace mxe::coverage {

class RegisterBins {
 public:
  static void define(Bins& bins);

  void cycle(const rtl::RtlInputs& in, const rtl::RtlOutputs& out);
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
  uint32_t mask_ = 0;
  uint16_t entries_ = 1, head_ = 0;  // ring size; RING_HEAD as read last by software
  uint16_t tail_ = 0;                // RING_TAIL as accepted by the engine
  std::optional<uint16_t> asked_;    // value of the last doorbell, until its outcome is known
  BinCounts counts_;
};

}  // namespace mxe::coverage
