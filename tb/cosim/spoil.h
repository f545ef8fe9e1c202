// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/engine/timing/common/descriptor.h"
#include "tb/cosim/fields.h"

namespace mxe::cosim {

/// A change to a job's descriptor that breaks one rule of the interface. The engine must complete
/// the job with the status of that rule, write only the completion record, and continue with the
/// next job.
struct Spoil {
  /// Part of the descriptor that changes:
  ///   reserved                            bit number `value` of all reserved bits is set
  ///   m, n, k                             becomes 0; `value` is 0
  ///   format_a, format_b, out_format      becomes `value`
  ///   c_addr, c_stride, d_addr, d_stride  its lowest two bits become `value`
  std::string field = "m";
  uint32_t value = 0;

  static constexpr auto fields() {
    return std::make_tuple(cosim::field("field", &Spoil::field),
                           cosim::field("value", &Spoil::value));
  }
};

/// Sizes in a job's descriptor instead of the true ones; 0: the true one. The operands stay as they
/// are, so a job may have any size: a bus error aborts it before the sizes matter.
struct Claims {
  uint32_t m = 0, n = 0, k = 0;

  bool any() const { return (m | n | k) != 0; }
};
void apply(const Claims& claims, engine::DescriptorBytes& descriptor);

/// All values of Spoil::field.
const std::vector<std::string>& spoil_fields();
/// Number of reserved bits in a descriptor.
uint32_t reserved_bits();

/// Returns the status of the rule that `spoil` breaks in a descriptor whose numbers of C and D have
/// these sizes in bytes; MXE_STATUS_OK if it breaks none. If a job breaks several rules, the lowest
/// status counts.
uint32_t broken_rule(const Spoil& spoil, unsigned c_size, unsigned d_size);
void apply(const Spoil& spoil, engine::DescriptorBytes& descriptor);
/// Clears CONTROL.early: the operands may be results of the jobs before.
void read_in_turn(engine::DescriptorBytes& descriptor);

}  // namespace mxe::cosim
