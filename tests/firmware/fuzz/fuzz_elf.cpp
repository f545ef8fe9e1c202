// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the reader of ELF files throws Error with one line, or returns a program whose
// segments lie in the memory and do not overlap. Headers may load the same bytes of the file: with
// 3 segments the program is at most 4 times as large.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "model/numerics/base/error.h"
#include "model/platform/soc/program.h"

namespace {

using mxe::soc::AddressRange;
using mxe::soc::Program;

constexpr AddressRange kMemory{0x8000'0000, 0x3ff'0000};

void require(bool held) {
  if (!held) std::abort();
}

void check(const Program& program, std::size_t file_bytes) {
  std::size_t held = program.names.size();
  uint64_t end = 0;
  bool entry_inside = false;
  for (const Program::Segment& segment : program.segments) {
    require(segment.size > 0 && segment.bytes.size() <= segment.size);
    require(kMemory.contains(segment.address, segment.size) && segment.address >= end);
    entry_inside |= AddressRange{segment.address, segment.size}.contains(program.entry, 2);
    end = segment.address + segment.size;
    held += segment.bytes.size();
  }
  require(entry_inside && program.entry % 2 == 0);
  require(program.symbols.size() <= file_bytes / 16);
  require(held <= file_bytes * (program.segments.size() + 1));
  for (const Program::Symbol& symbol : program.symbols) {
    require(symbol.name < program.names.size());
    require(program.describe(symbol.address).size() <= Program::kLongestName + 3);
  }
  for (const uint64_t address : {uint64_t{0}, program.entry, ~uint64_t{0}}) {
    require(program.describe(address).size() <= Program::kLongestName + 30);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
  try {
    check(mxe::soc::parse_elf("fuzz", {data, data + size}, kMemory), size);
  } catch (const mxe::Error& error) {
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
