// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/platform/soc/emulator.h"

namespace mxe::soc {

struct AddressRange {
  uint64_t begin = 0, size = 0;

  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= begin && bytes <= size && address - begin <= size - bytes;
  }
};

/// A program from an ELF file, which fits into the platform's memory.
struct Program {
  struct Segment {
    uint64_t address = 0;
    uint64_t size = 0;           ///< bytes in memory
    std::vector<uint8_t> bytes;  ///< initial bytes; the rest is zero
  };
  struct Symbol {
    uint64_t address = 0, size = 0;
    std::size_t name = 0;  ///< offset in `names`
  };

  Xlen xlen = Xlen::rv32;
  uint64_t entry = 0;
  std::vector<Segment> segments;  ///< sorted by address; no two overlap
  std::vector<Symbol> symbols;    ///< functions and labels, by address
  std::string names;              ///< the file's string table, zero-terminated names

  /// Returns "main + 0x12", or "" if no symbol has this address. Cuts names to kLongestName bytes.
  std::string describe(uint64_t address) const;
  static constexpr std::size_t kLongestName = 1000;
};

/// Parses a RISC-V executable with segments in `memory`. Throws Error, with `path`, for others.
Program parse_elf(const std::string& path, std::vector<uint8_t> bytes, const AddressRange& memory);

}  // namespace mxe::soc
