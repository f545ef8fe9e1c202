// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace mxe::harness {

/// A register access, of kAccessCycles at the pins: accept, access, response.
struct RegisterTransfer {
  bool write = false;
  uint32_t address = 0;  ///< byte offset
  uint32_t data = 0;     ///< written, or read
  uint8_t strobe = 0xF;
};

/// Cycles from the start of an access until the initiator has the response.
inline constexpr uint64_t kAccessCycles = 3;
/// Cycles from the start of a write until the engine has the new value. A read returns the values
/// at the end of the cycle in which it starts.
inline constexpr uint64_t kWriteVisible = 2;
/// Cycles from a change of the interrupt pin until software sees it.
inline constexpr uint64_t kInterruptDelay = 1;

}  // namespace mxe::harness
