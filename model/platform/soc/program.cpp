// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/program.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "model/numerics/error.h"
#include "model/numerics/files.h"

namespace mxe::soc {
namespace {

struct Elf32 {
  using Header = Elf32_Ehdr;
  using ProgramHeader = Elf32_Phdr;
  using SectionHeader = Elf32_Shdr;
  using Symbol = Elf32_Sym;
};
struct Elf64 {
  using Header = Elf64_Ehdr;
  using ProgramHeader = Elf64_Phdr;
  using SectionHeader = Elf64_Shdr;
  using Symbol = Elf64_Sym;
};

constexpr uint32_t kEmbeddedRegisters = 0x8;  // EF_RISCV_RVE: x0 to x15 only
constexpr uint32_t kFloatAbi = 0x6;           // EF_RISCV_FLOAT_ABI: 0 passes floats in x registers

/// The file of a program, read with bounds.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) : path_(path), bytes_(mx::read_file(path)) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw mx::Error(fmt::format("{}: {}", path_, why));
  }

  /// Whether [offset, offset + size) lies in the file.
  bool has(uint64_t offset, uint64_t size) const {
    return size <= bytes_.size() && offset <= bytes_.size() - size;
  }
  const uint8_t* at(uint64_t offset, uint64_t size, const char* what) const {
    if (!has(offset, size)) refuse(fmt::format("the file ends before its {}", what));
    return bytes_.data() + offset;
  }
  template <typename T>
  T read(uint64_t offset, const char* what) const {
    T value;
    std::memcpy(&value, at(offset, sizeof value, what), sizeof value);
    return value;
  }
  /// A string that ends with a zero byte, empty if there is none.
  std::string text(uint64_t offset) const {
    if (!has(offset, 1)) return "";
    const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(offset);
    const auto end = std::find(begin, bytes_.end(), uint8_t{0});
    return end == bytes_.end() ? "" : std::string(begin, end);
  }

 private:
  std::string path_;
  std::vector<uint8_t> bytes_;
};

void check_ident(const ElfFile& file) {
  if (!file.has(0, EI_NIDENT) || std::memcmp(file.at(0, SELFMAG, "header"), ELFMAG, SELFMAG) != 0) {
    file.refuse("this is no ELF file");
  }
  const uint8_t* ident = file.at(0, EI_NIDENT, "header");
  if (ident[EI_CLASS] != ELFCLASS32 && ident[EI_CLASS] != ELFCLASS64) {
    file.refuse(fmt::format("class {} is neither 32 nor 64 bits", ident[EI_CLASS]));
  }
  if (ident[EI_DATA] != ELFDATA2LSB) file.refuse("the program is not little endian");
}

template <typename Header>
void check_header(const ElfFile& file, const Header& header) {
  if (header.e_machine != EM_RISCV) {
    file.refuse(fmt::format("a program for machine {}, not for RISC-V ({})", header.e_machine,
                            int{EM_RISCV}));
  }
  if (header.e_type != ET_EXEC) {
    file.refuse("not an executable with fixed addresses (link it with soc.ld)");
  }
  if ((header.e_flags & (kEmbeddedRegisters | kFloatAbi)) != 0) {
    file.refuse("compiled for other registers (allowed: -mabi=ilp32 and lp64)");
  }
}

template <typename Elf>
void load_segments(const ElfFile& file, const AddressRange& memory, Program& program) {
  const auto header = file.read<typename Elf::Header>(0, "header");
  for (unsigned i = 0; i < header.e_phnum; i++) {
    const auto segment = file.read<typename Elf::ProgramHeader>(
        header.e_phoff + uint64_t{i} * header.e_phentsize, "program headers");
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0) continue;
    const uint64_t address = segment.p_paddr, size = segment.p_memsz, stored = segment.p_filesz;
    if (!memory.contains(address, size)) {
      file.refuse(
          fmt::format("a segment of {} bytes at {:#x} is outside the memory (allowed: {:#x} to "
                      "{:#x})",
                      size, address, memory.begin, memory.begin + memory.size - 1));
    }
    if (stored > size) file.refuse("a segment has more bytes in the file than in memory");
    const uint8_t* bytes = file.at(segment.p_offset, stored, "segments");
    Program::Segment loaded{address, {bytes, bytes + stored}};
    loaded.bytes.resize(size);
    program.segments.push_back(std::move(loaded));
  }
}

template <typename Elf>
void load_symbol(const ElfFile& file, const typename Elf::Symbol& symbol, uint64_t names,
                 Program& program) {
  const unsigned type = symbol.st_info & 0xF;
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE) return;
  if (type != STT_FUNC && type != STT_NOTYPE) return;
  const std::string name = file.text(names + symbol.st_name);
  // Names with a dollar or a dot are the assembler's own.
  if (name.empty() || name[0] == '$' || name[0] == '.') return;
  program.symbols.push_back({symbol.st_value, symbol.st_size, name});
}

/// A program without symbols, or with broken ones, runs all the same.
template <typename Elf>
void load_symbols(const ElfFile& file, Program& program) {
  using Section = typename Elf::SectionHeader;
  using Symbol = typename Elf::Symbol;
  const auto header = file.read<typename Elf::Header>(0, "header");
  const auto section = [&](uint64_t index) {
    const uint64_t offset = header.e_shoff + index * header.e_shentsize;
    return file.has(offset, sizeof(Section)) ? file.read<Section>(offset, "sections") : Section{};
  };
  for (unsigned i = 0; i < header.e_shnum; i++) {
    const Section table = section(i);
    if (table.sh_type != SHT_SYMTAB || !file.has(table.sh_offset, table.sh_size)) continue;
    const uint64_t names = section(table.sh_link).sh_offset;
    for (uint64_t at = 0; at + sizeof(Symbol) <= table.sh_size; at += sizeof(Symbol)) {
      load_symbol<Elf>(file, file.read<Symbol>(table.sh_offset + at, "symbols"), names, program);
    }
  }
  const auto before = [](const Program::Symbol& a, const Program::Symbol& b) {
    return a.address < b.address;
  };
  std::stable_sort(program.symbols.begin(), program.symbols.end(), before);
}

template <typename Elf>
Program load(const ElfFile& file, const AddressRange& memory, Xlen xlen) {
  const auto header = file.read<typename Elf::Header>(0, "header");
  check_header(file, header);
  Program program;
  program.xlen = xlen;
  program.entry = header.e_entry;
  load_segments<Elf>(file, memory, program);
  const bool inside =
      std::any_of(program.segments.begin(), program.segments.end(), [&](const Program::Segment& s) {
        return AddressRange{s.address, s.bytes.size()}.contains(program.entry, 2);
      });
  if (!inside) file.refuse(fmt::format("it begins at {:#x}, outside its segments", program.entry));
  load_symbols<Elf>(file, program);
  return program;
}

}  // namespace

std::string Program::describe(uint64_t address) const {
  const auto after =
      std::upper_bound(symbols.begin(), symbols.end(), address,
                       [](uint64_t value, const Symbol& symbol) { return value < symbol.address; });
  if (after == symbols.begin()) return "";
  const Symbol& symbol = *std::prev(after);
  const uint64_t offset = address - symbol.address;
  if (symbol.size != 0 && offset >= symbol.size) return "";
  return offset == 0 ? symbol.name : fmt::format("{} + {:#x}", symbol.name, offset);
}

Program load_elf(const std::string& path, const AddressRange& memory) {
  const ElfFile file(path);
  check_ident(file);
  const bool wide = file.at(0, EI_NIDENT, "header")[EI_CLASS] == ELFCLASS64;
  return wide ? load<Elf64>(file, memory, Xlen::rv64) : load<Elf32>(file, memory, Xlen::rv32);
}

}  // namespace mxe::soc
