// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/fault_address.h"

namespace mxe::soc {
namespace {

constexpr unsigned kLongestBlock = 1024;  // instructions
constexpr unsigned kStackPointer = 2;

struct MemoryInstruction {
  unsigned base;
  int64_t offset;
  bool reads, writes;
};

/// Bits [high:low] of `code`, moved to bit `to`.
uint32_t bits(uint32_t code, unsigned high, unsigned low, unsigned to) {
  return (code >> low & ((1u << (high - low + 1)) - 1)) << to;
}

std::optional<MemoryInstruction> decode_full(uint32_t code) {
  const unsigned base = bits(code, 19, 15, 0);
  const auto word = static_cast<int32_t>(code);
  switch (code & 0x7F) {
    case 0x03:  // loads
      return MemoryInstruction{base, word >> 20, true, false};
    case 0x23:  // stores
      return MemoryInstruction{base, (word >> 25) * 32 + static_cast<int32_t>(bits(code, 11, 7, 0)),
                               false, true};
    case 0x2F:  // atomics
      return MemoryInstruction{base, 0, true, true};
    default:
      return std::nullopt;
  }
}

std::optional<MemoryInstruction> decode_compressed(uint32_t code, Xlen xlen) {
  const unsigned quadrant = code & 3, function = code >> 13;
  const bool load = function == 2 || function == 3, store = function == 6 || function == 7;
  const bool wide = function == 3 || function == 7;
  if ((quadrant != 0 && quadrant != 2) || !(load || store)) return std::nullopt;
  if (wide && xlen == Xlen::rv32) return std::nullopt;
  uint32_t offset = 0;
  if (quadrant == 0) {  // c.lw, c.ld, c.sw, c.sd
    offset = bits(code, 12, 10, 3) |
             (wide ? bits(code, 6, 5, 6) : bits(code, 6, 6, 2) | bits(code, 5, 5, 6));
    return MemoryInstruction{8 + bits(code, 9, 7, 0), offset, load, store};
  }
  if (load) {  // c.lwsp, c.ldsp
    offset = bits(code, 12, 12, 5) | (wide ? bits(code, 6, 5, 3) | bits(code, 4, 2, 6)
                                           : bits(code, 6, 4, 2) | bits(code, 3, 2, 6));
  } else {  // c.swsp, c.sdsp
    offset = wide ? bits(code, 12, 10, 3) | bits(code, 9, 7, 6)
                  : bits(code, 12, 9, 2) | bits(code, 8, 7, 6);
  }
  return MemoryInstruction{kStackPointer, offset, load, store};
}

}  // namespace

uint64_t find_access(const FailedAccess& access,
                     const std::function<uint64_t(unsigned reg)>& read_register,
                     const std::function<std::optional<uint16_t>(uint64_t address)>& half_word) {
  const uint64_t mask = access.xlen == Xlen::rv64 ? ~uint64_t{0} : uint64_t{0xFFFFFFFF};
  uint64_t pc = access.block;
  for (unsigned i = 0; i < kLongestBlock; i++) {
    const auto low = half_word(pc), high = half_word(pc + 2);
    if (!low) break;
    const bool full = (*low & 3) == 3;
    if (full && !high) break;
    const auto found =
        full ? decode_full(*low | uint32_t{*high} << 16) : decode_compressed(*low, access.xlen);
    if (found && (access.write ? found->writes : found->reads)) {
      const uint64_t first = read_register(found->base) + static_cast<uint64_t>(found->offset);
      if (((access.address - first) & mask) < 8) return pc;
    }
    pc += full ? 4 : 2;
  }
  return access.block;
}

}  // namespace mxe::soc
