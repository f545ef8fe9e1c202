// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/platform/rtl/rtl_top.h"

namespace mxe::rtl {

/// Checks the engine's AXI4-Lite slave pins: each response follows a request and is stable until
/// ready. Does not detect missing responses.
class AxiLiteChecker {
 public:
  /// Throws Error naming the rule violated in `cycle`.
  void check(uint64_t cycle, const RtlInputs& in, const RtlOutputs& out);

 private:
  unsigned addresses_ = 0, data_ = 0, reads_ = 0;  // accepted, response outstanding
  bool b_waits_ = false, r_waits_ = false;
  uint8_t bresp_before_ = 0, rresp_before_ = 0;
  uint32_t rdata_before_ = 0;
};

}  // namespace mxe::rtl
