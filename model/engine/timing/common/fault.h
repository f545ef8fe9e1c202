// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/engine/timing/common/fetch.h"
#include "mxe_regs.h"

namespace mxe::engine {

/// Address and operand of a bus error (FAULT_ADDR and FAULT_INFO).
struct Fault {
  uint64_t address = 0;
  uint32_t operand = MXE_FAULT_NONE;
  bool write = false;
};

/// MXE_FAULT_... code of a row fetch. FetchKind has the order of the codes.
constexpr uint32_t operand_of(FetchKind kind) {
  return MXE_FAULT_DESCRIPTOR + static_cast<uint32_t>(kind);
}
static_assert(operand_of(FetchKind::bias) == MXE_FAULT_C);

}  // namespace mxe::engine
