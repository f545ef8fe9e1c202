// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/numerics/random.h"
#include "model/platform/engine_module.h"
#include "tb/rtl/rtl_top.h"

namespace mxe {

/// Carries out one register access at a time on the AXI4-Lite pins: address and data of a write are
/// offered together, the response is taken at once. The rights (AxPROT) change from access to
/// access, because the registers must serve all of them alike.
class AxiLiteMaster {
 public:
  /// `hesitation_seed` other than 0: every valid and ready comes late at random, address and data
  /// of a write in any order.
  explicit AxiLiteMaster(uint64_t hesitation_seed = 0);

  /// Begins `transfer`, which must not be moved or destroyed until it is done.
  void start(RegisterTransfer& transfer);
  bool busy() const { return transfer_ != nullptr; }
  /// Whether the last transfer was answered with OKAY.
  bool ok() const { return ok_; }

  /// Sets the pins for the coming cycle.
  void drive(RtlInputs& in);
  /// Takes the handshakes of the cycle. Returns true if they completed the transfer.
  bool sample(const RtlInputs& in, const RtlOutputs& out);

 private:
  bool offer(bool wanted, bool& offered);

  bool hesitates_;
  Random random_;
  bool aw_offered_ = false, w_offered_ = false, ar_offered_ = false;
  RegisterTransfer* transfer_ = nullptr;
  bool address_sent_ = false, data_sent_ = false, ok_ = false;
  uint8_t rights_ = 0;  // of the access
};

}  // namespace mxe
