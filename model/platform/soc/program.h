// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/platform/soc/emulator.h"

namespace mxe::soc {

/// A range of the processor's addresses.
struct AddressRange {
  uint64_t begin = 0, size = 0;

  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= begin && bytes <= size && address - begin <= size - bytes;
  }
};

/// A program for the processor, as an ELF file has it. Its bytes fit into the platform's memory,
/// and its names and symbols are about as large as those of the file.
struct Program {
  struct Segment {
    uint64_t address = 0;
    uint64_t size = 0;           ///< bytes in memory
    std::vector<uint8_t> bytes;  ///< the first ones; zeros follow
  };
  struct Symbol {
    uint64_t address = 0, size = 0;
    std::size_t name = 0;  ///< where it begins in `names`
  };

  Xlen xlen = Xlen::rv32;
  uint64_t entry = 0;
  std::vector<Segment> segments;  ///< by address; no two overlap
  std::vector<Symbol> symbols;    ///< functions and labels, by address
  std::string names;              ///< the file's table of names, each ended by a zero byte

  /// "main + 0x12", or nothing where no symbol is before the address. Of a name of more than
  /// kLongestName bytes the first ones and "...".
  std::string describe(uint64_t address) const;
  static constexpr std::size_t kLongestName = 1000;
};

/// Reads a 32 or 64-bit RISC-V executable whose segments lie in `memory` from the bytes of a file,
/// which messages call `path`. Throws mx::Error with one line if the file is anything else.
Program parse_elf(const std::string& path, std::vector<uint8_t> bytes, const AddressRange& memory);

}  // namespace mxe::soc
