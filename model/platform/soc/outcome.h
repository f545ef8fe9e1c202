// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "model/platform/soc/emulator.h"

namespace mxe::soc {

struct Fault {
  std::string what;  ///< one line
  uint64_t pc = 0;
  std::string symbol;  ///< "main + 0x12", or empty
  Xlen xlen = Xlen::rv32;
  std::array<uint64_t, Emulator::kRegisters> registers{};

  /// The reason with pc and symbol, then the registers, four per line.
  std::string text() const;
};

struct Outcome {
  int exit_code = 0;  ///< of the program, unless there was a fault
  std::optional<Fault> fault;
  uint64_t nanoseconds = 0;  ///< simulated
  uint64_t accesses = 0;
};

}  // namespace mxe::soc
