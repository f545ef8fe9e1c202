// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "tb/blame/design.h"

namespace mxe {

/// Looks for the first block of a running design whose values are wrong: each block's function is
/// worked out from what the block of the RTL got, and compared with what it made of it, so that a
/// wrong value counts where it arises and not where it arrives. Blocks that come first in the flow
/// of the data come first in a clock.
///
/// A job that is broken off is not looked at from then on.
class FirstWrongValue {
 public:
  /// Watches `top`, which must be reset before it runs. Throws mx::Error if the design does not
  /// show its values, or is not of the kind whose blocks are known.
  explicit FirstWrongValue(RtlTop& top);
  ~FirstWrongValue();

  const std::optional<blame::WrongValue>& found() const;
  uint64_t compared() const;  ///< values so far

 private:
  struct Watch;
  std::shared_ptr<Watch> watch_;  // of the design too, which may live longer
};

}  // namespace mxe
