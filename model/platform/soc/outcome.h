// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "model/platform/soc/emulator.h"

namespace mxe::soc {

/// What ended a program that did not end itself.
struct Fault {
  std::string what;  ///< one line
  uint64_t pc = 0;
  std::string symbol;  ///< "main + 0x12"; empty if unknown
  Xlen xlen = Xlen::rv32;
  std::array<uint64_t, Emulator::kRegisters> registers{};

  /// The line with pc and symbol, then the registers, four to a line.
  std::string text() const;
};

/// How a run ended.
struct Outcome {
  int exit_code = 0;  ///< the program's, unless there was a fault
  std::optional<Fault> fault;
  uint64_t nanoseconds = 0;  ///< simulated
  uint64_t accesses = 0;     ///< of the program to registers
};

}  // namespace mxe::soc
