// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mxe {

class Arithmetic;

/// Looks at the blocks of an arithmetic that has any, whenever the array has computed a row.
class BlockWatcher {
 public:
  virtual ~BlockWatcher() = default;

  /// The blocks have the values of a row that the sequencer issues in `cycle`. Cycles never go
  /// back.
  virtual void row(uint64_t cycle, const Arithmetic& arithmetic) = 0;
};

}  // namespace mxe
