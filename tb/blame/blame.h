// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "tb/blame/design.h"

namespace mxe::blame {

/// Finds the first block of a running design with a wrong value. The expected outputs of a block
/// follow from the inputs that the RTL block received, so the block that caused an error is named,
/// not those that pass it on. Blocks are checked in the order of the data flow. Checks pause from
/// an abort until the datapath is cleared.
class FirstWrongValue {
 public:
  /// Throws Error if the design, which must not have run, lacks a value that a check needs, or
  /// unless TREE_W = 70 and FP4_DUAL = 1.
  explicit FirstWrongValue(rtl::RtlTop& top);
  ~FirstWrongValue();

  const std::optional<blame::WrongValue>& found() const;
  uint64_t compared() const;

 private:
  struct Watch;
  std::shared_ptr<Watch> watch_;  // shared with the design, which may outlive this
};

}  // namespace mxe::blame
