// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/engine/timing/common/descriptor.h"
#include "tb/cosim/fields.h"

namespace mxe::cosim {

/// A change to a job's descriptor that breaks one rule of the interface. The engine must complete
/// the job with the status of that rule, write only the record, and continue with the next job.
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

/// Sizes in the descriptor, 0: the true one. A bus error must abort the job before they matter.
struct Claims {
  uint32_t m = 0, n = 0, k = 0;

  bool any() const { return (m | n | k) != 0; }
};
void apply(const Claims& claims, engine::DescriptorBytes& descriptor);

const std::vector<std::string>& spoil_fields();
uint32_t reserved_bits();

/// Status of the rule that `spoil` breaks, or MXE_STATUS_OK. `c_size`, `d_size`: bytes of a number
/// of C and of D. If a job breaks several rules, the lowest status counts.
uint32_t broken_rule(const Spoil& spoil, unsigned c_size, unsigned d_size);
void apply(const Spoil& spoil, engine::DescriptorBytes& descriptor);
/// Clears CONTROL.early: the operands may be results of the jobs before.
void read_in_turn(engine::DescriptorBytes& descriptor);

}  // namespace mxe::cosim
