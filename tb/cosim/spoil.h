// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/engine/timing/descriptor.h"

namespace mxe::cosim {

/// A change to a job's descriptor that breaks one rule of the interface. The engine must answer
/// with the status of that rule, write nothing but the completion record, and go on with the next
/// job.
struct Spoil {
  /// What is changed:
  ///   reserved                            bit number `value` of all reserved bits is set
  ///   m, n, k                             becomes 0 (`value` is 0, too)
  ///   format_a, format_b, out_format      becomes `value`
  ///   c_addr, c_stride, d_addr, d_stride  its lowest two bits become `value`
  std::string field = "m";
  uint32_t value = 0;
};

/// Sizes that a job's descriptor has instead of the true ones; 0: the true one. The operands stay
/// as they are, so that a job may be of any size: it meets a bus error before the sizes matter.
struct Claims {
  uint32_t m = 0, n = 0, k = 0;

  bool any() const { return (m | n | k) != 0; }
};
void apply(const Claims& claims, engine::DescriptorBytes& descriptor);

/// What Spoil::field may be.
const std::vector<std::string>& spoil_fields();
/// How many reserved bits a descriptor has.
uint32_t reserved_bits();

/// The status of the rule that `spoil` breaks in a descriptor whose numbers of C and D have these
/// sizes in bytes; MXE_STATUS_OK if it breaks none. Of several broken rules the one with the lowest
/// status counts.
uint32_t broken_rule(const Spoil& spoil, unsigned c_size, unsigned d_size);
void apply(const Spoil& spoil, engine::DescriptorBytes& descriptor);
/// Clears CONTROL.early: the operands may be results of the jobs before.
void read_in_turn(engine::DescriptorBytes& descriptor);

}  // namespace mxe::cosim
