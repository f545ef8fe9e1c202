// SPDX-License-Identifier: Apache-2.0
#include "model/platform/soc/program.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "model/numerics/base/error.h"

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

class ElfFile {
 public:
  ElfFile(std::string path, std::vector<uint8_t> bytes)
      : path_(std::move(path)), bytes_(std::move(bytes)) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(fmt::format("{}: {}", path_, why));
  }

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

 private:
  std::string path_;
  std::vector<uint8_t> bytes_;
};

void check_ident(const ElfFile& file) {
  if (!file.has(0, EI_NIDENT) || std::memcmp(file.at(0, SELFMAG, "header"), ELFMAG, SELFMAG) != 0) {
    file.refuse("not an ELF file");
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

/// The file's program headers, checked against the file's size and ELF class.
template <typename Elf>
std::vector<typename Elf::ProgramHeader> read_program_headers(const ElfFile& file) {
  using ProgramHeader = typename Elf::ProgramHeader;
  const auto header = file.read<typename Elf::Header>(0, "header");
  if (header.e_phnum == 0) file.refuse("there are no program headers");
  if (header.e_phentsize != sizeof(ProgramHeader)) {
    file.refuse(fmt::format("a program header has {} bytes; allowed: {}", header.e_phentsize,
                            sizeof(ProgramHeader)));
  }
  std::vector<ProgramHeader> headers(header.e_phnum);
  const std::size_t bytes = headers.size() * sizeof(ProgramHeader);
  std::memcpy(headers.data(), file.at(header.e_phoff, bytes, "program headers"), bytes);
  return headers;
}

template <typename ProgramHeader>
Program::Segment load_segment(const ElfFile& file, const ProgramHeader& segment,
                              const AddressRange& memory) {
  const uint64_t address = segment.p_paddr, size = segment.p_memsz, stored = segment.p_filesz;
  if (!memory.contains(address, size)) {
    file.refuse(
        fmt::format("a segment of {} bytes at {:#x} is outside the memory (allowed: {:#x} to "
                    "{:#x})",
                    size, address, memory.begin, memory.begin + memory.size - 1));
  }
  if (stored > size) file.refuse("a segment has more bytes in the file than in memory");
  const uint8_t* bytes = file.at(segment.p_offset, stored, "segments");
  return {address, size, {bytes, bytes + stored}};
}

/// Segments must not overlap, so together they fit into the memory.
template <typename Elf>
void load_segments(const ElfFile& file, const AddressRange& memory, Program& program) {
  auto headers = read_program_headers<Elf>(file);
  const auto loads_nothing = [](const auto& h) { return h.p_type != PT_LOAD || h.p_memsz == 0; };
  headers.erase(std::remove_if(headers.begin(), headers.end(), loads_nothing), headers.end());
  std::sort(headers.begin(), headers.end(),
            [](const auto& a, const auto& b) { return a.p_paddr < b.p_paddr; });
  for (const auto& header : headers) {
    Program::Segment segment = load_segment(file, header, memory);
    if (!program.segments.empty()) {
      const Program::Segment& before = program.segments.back();
      if (segment.address - before.address < before.size) {
        file.refuse(
            fmt::format("the segments of {} bytes at {:#x} and of {} bytes at {:#x} overlap",
                        before.size, before.address, segment.size, segment.address));
      }
    }
    program.segments.push_back(std::move(segment));
  }
}

/// True for functions and labels of the program itself.
template <typename Symbol>
bool is_place(const Symbol& symbol, const std::string& names) {
  const unsigned type = symbol.st_info & 0xF;
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE) return false;
  if (type != STT_FUNC && type != STT_NOTYPE) return false;
  if (symbol.st_name >= names.size()) return false;
  const char first = names[symbol.st_name];
  return first != '\0' && first != '$' && first != '.';
}

/// Loads the first symbol table; a file has one. Missing or invalid symbols are no error.
template <typename Elf>
void load_symbols(const ElfFile& file, Program& program) {
  using Section = typename Elf::SectionHeader;
  using Symbol = typename Elf::Symbol;
  const auto header = file.read<typename Elf::Header>(0, "header");
  const std::size_t bytes = header.e_shnum * sizeof(Section);
  if (header.e_shentsize != sizeof(Section) || !file.has(header.e_shoff, bytes)) return;
  const auto section = [&](std::size_t i) {
    return file.read<Section>(header.e_shoff + i * sizeof(Section), "sections");
  };
  const auto has_bytes = [&](const Section& s) { return file.has(s.sh_offset, s.sh_size); };
  std::size_t i = 0;
  while (i < header.e_shnum && section(i).sh_type != SHT_SYMTAB) i++;
  if (i == header.e_shnum) return;
  const Section table = section(i);
  if (table.sh_entsize != sizeof(Symbol) || !has_bytes(table)) return;
  if (table.sh_link >= header.e_shnum) return;
  const Section names = section(table.sh_link);
  if (names.sh_type != SHT_STRTAB || names.sh_size == 0 || !has_bytes(names)) return;
  const uint8_t* text = file.at(names.sh_offset, names.sh_size, "names");
  program.names.assign(text, text + names.sh_size);
  for (uint64_t at = 0; at + sizeof(Symbol) <= table.sh_size; at += sizeof(Symbol)) {
    const auto symbol = file.read<Symbol>(table.sh_offset + at, "symbols");
    if (!is_place(symbol, program.names)) continue;
    program.symbols.push_back({symbol.st_value, symbol.st_size, symbol.st_name});
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
        return AddressRange{s.address, s.size}.contains(program.entry, 2);
      });
  if (!inside) file.refuse(fmt::format("it begins at {:#x}, outside its segments", program.entry));
  if (program.entry % 2 != 0) {
    file.refuse(fmt::format("it begins at {:#x}; allowed: even addresses", program.entry));
  }
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
  std::string name(names, symbol.name, names.find('\0', symbol.name) - symbol.name);
  if (name.size() > kLongestName) name.replace(kLongestName, std::string::npos, "...");
  return offset == 0 ? name : fmt::format("{} + {:#x}", name, offset);
}

Program parse_elf(const std::string& path, std::vector<uint8_t> bytes, const AddressRange& memory) {
  const ElfFile file(path, std::move(bytes));
  check_ident(file);
  const bool wide = file.at(0, EI_NIDENT, "header")[EI_CLASS] == ELFCLASS64;
  return wide ? load<Elf64>(file, memory, Xlen::rv64) : load<Elf32>(file, memory, Xlen::rv32);
}

}  // namespace mxe::soc
