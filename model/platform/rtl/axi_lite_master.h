// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/numerics/base/random.h"
#include "model/platform/engine_module.h"
#include "model/platform/rtl/rtl_top.h"

namespace mxe::rtl {

/// Performs one register access at a time on the AXI4-Lite pins. Without hesitation, offers address
/// and data of a write together and accepts the response at once. AxPROT, which registers must
/// ignore, varies.
class AxiLiteMaster {
 public:
  /// A nonzero `hesitation_seed` delays each valid and ready at random.
  explicit AxiLiteMaster(uint64_t hesitation_seed = 0);

  void start(harness::RegisterTransfer& transfer);
  bool busy() const { return transfer_ != nullptr; }
  bool ok() const { return ok_; }

  void drive(RtlInputs& in);
  /// Samples the handshakes of the cycle. Returns true if the transfer is complete.
  bool sample(const RtlInputs& in, const RtlOutputs& out);

 private:
  bool offer(bool wanted, bool& offered);

  bool hesitates_;
  Random random_;
  bool aw_offered_ = false, w_offered_ = false, ar_offered_ = false;
  harness::RegisterTransfer* transfer_ = nullptr;
  bool address_sent_ = false, data_sent_ = false, ok_ = false;
  uint8_t rights_ = 0;  // AxPROT
};

}  // namespace mxe::rtl
