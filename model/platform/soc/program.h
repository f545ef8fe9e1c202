// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// A program for the processor, as an ELF file has it.
struct Program {
  struct Segment {
    uint64_t address = 0;
    std::vector<uint8_t> bytes;  ///< zeros included
  };
  struct Symbol {
    uint64_t address = 0, size = 0;
    std::string name;
  };

  Xlen xlen = Xlen::rv32;
  uint64_t entry = 0;
  std::vector<Segment> segments;
  std::vector<Symbol> symbols;  ///< functions and labels, by address

  /// "main + 0x12", or nothing where no symbol is before the address.
  std::string describe(uint64_t address) const;
};

/// Reads a 32 or 64-bit RISC-V executable whose segments lie in `memory`. Throws mx::Error with one
/// line if the file is anything else.
Program load_elf(const std::string& path, const AddressRange& memory);

}  // namespace mxe::soc
