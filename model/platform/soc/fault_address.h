// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "model/platform/soc/emulator.h"

namespace mxe::soc {

/// What is known when an access fails in the middle of a block of instructions: the emulator has
/// the registers as they are then, but the pc of the block's beginning.
struct FailedAccess {
  uint64_t block = 0;  ///< the block's first instruction
  bool write = false;
  uint64_t address = 0;
  Xlen xlen = Xlen::rv32;
};

/// Finds the instruction: the first one of the block that accesses the address with the registers
/// as they are. `half_word` reads 16 bits of code, or nothing where there is no memory. Without
/// such an instruction it is the block's first.
uint64_t find_access(const FailedAccess& access,
                     const std::function<uint64_t(unsigned reg)>& read_register,
                     const std::function<std::optional<uint16_t>(uint64_t address)>& half_word);

}  // namespace mxe::soc
