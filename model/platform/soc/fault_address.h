// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "model/platform/soc/emulator.h"

namespace mxe::soc {

/// A failed access inside a block of instructions: the emulator provides the current registers, but
/// only the pc of the block's start.
struct FailedAccess {
  uint64_t block = 0;
  bool write = false;
  uint64_t address = 0;
  Xlen xlen = Xlen::rv32;
};

/// Returns the first instruction of the block that accesses the address with the current registers,
/// or the block's first instruction if there is none. `half_word` reads 16 bits of code, nullopt
/// outside the memory.
uint64_t find_access(const FailedAccess& access,
                     const std::function<uint64_t(unsigned reg)>& read_register,
                     const std::function<std::optional<uint16_t>(uint64_t address)>& half_word);

}  // namespace mxe::soc
