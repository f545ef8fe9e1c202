// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "model/platform/soc/emulator.h"

namespace mxe::soc {

/// A failed access in a block of instructions: registers are current, pc is the block's start.
struct FailedAccess {
  uint64_t block = 0;
  bool write = false;
  uint64_t address = 0;
  Xlen xlen = Xlen::rv32;
};

/// First instruction of the block that accesses the address with the current registers, else the
/// block's first one. `half_word` reads 16 bits of code, nullopt outside the memory.
uint64_t find_access(const FailedAccess& access,
                     const std::function<uint64_t(unsigned reg)>& read_register,
                     const std::function<std::optional<uint16_t>(uint64_t address)>& half_word);

}  // namespace mxe::soc
