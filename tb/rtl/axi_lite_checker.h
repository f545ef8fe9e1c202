// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "tb/rtl/rtl_top.h"

namespace mxe {

/// Watches the engine's AXI4-Lite slave pins for breaches of the protocol: a response only after
/// its request (a write's address and data), one for each, unchanged until ready.
class AxiLiteChecker {
 public:
  /// Throws mx::Error that says which rule clock cycle `cycle` breaks.
  void check(uint64_t cycle, const RtlInputs& in, const RtlOutputs& out);

 private:
  unsigned addresses_ = 0, data_ = 0, reads_ = 0;  // accepted and not answered
  bool b_waits_ = false, r_waits_ = false;
  uint8_t bresp_before_ = 0, rresp_before_ = 0;
  uint32_t rdata_before_ = 0;
};

}  // namespace mxe
