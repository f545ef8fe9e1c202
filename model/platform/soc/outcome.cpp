// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/outcome.h"

#include <fmt/format.h>

namespace mxe::soc {
namespace {

constexpr std::array<const char*, Emulator::kRegisters> kNames = {
    "zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
    "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
    "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
constexpr unsigned kPerLine = 4;

}  // namespace

std::string Fault::text() const {
  std::string text = fmt::format("{}, at pc {:#x}{}", what, pc,
                                 symbol.empty() ? "" : fmt::format(" ({})", symbol));
  const int digits = xlen == Xlen::rv64 ? 16 : 8;
  for (unsigned i = 0; i < registers.size(); i++) {
    text += fmt::format("{}{:>4} {:0{}x}", i % kPerLine == 0 ? "\n" : "  ", kNames[i], registers[i],
                        digits);
  }
  return text;
}

}  // namespace mxe::soc
