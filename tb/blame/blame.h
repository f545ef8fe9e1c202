// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "tb/blame/design.h"

namespace mxe::blame {

/// Finds the first block of a running design that computes a wrong value. The expected outputs of
/// each block are computed from the inputs that the RTL block received, so an error is reported
/// where it arises, not where it arrives. Within a cycle, blocks are checked in the order of the
/// data flow. Aborted jobs are not checked any further.
class FirstWrongValue {
 public:
  /// Observes `top`, which must be reset before it runs. Throws Error if the design does not
  /// show its values or has blocks that are not modelled.
  explicit FirstWrongValue(rtl::RtlTop& top);
  ~FirstWrongValue();

  const std::optional<blame::WrongValue>& found() const;
  uint64_t compared() const;

 private:
  struct Watch;
  std::shared_ptr<Watch> watch_;  // shared with the design, which may outlive this
};

}  // namespace mxe::blame
