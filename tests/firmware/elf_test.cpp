// SPDX-License-Identifier: Apache-2.0
// Invalid programs and options for the platform: one line, exit code 2.
#include <elf.h>

#include <cstring>
#include <functional>
#include <utility>

#include "model/numerics/files/files.h"
#include "tests/firmware/firmware_run.h"

namespace mxe::test {
namespace {

class BadElf : public CliTest {
 protected:
  BadElf() : good_(file_text(firmware("bare_metal", 32))) {}

  static std::string file_text(const std::string& name) {
    const std::vector<uint8_t> bytes = numerics::read_file(name);
    return {bytes.begin(), bytes.end()};
  }
  /// Changes the header and the first segment of a valid program.
  void expect_refused(const std::function<void(Elf32_Ehdr&, Elf32_Phdr&)>& change,
                      const std::string& message) {
    std::string text = good_;
    Elf32_Ehdr header;
    std::memcpy(&header, text.data(), sizeof header);
    Elf32_Phdr segment;
    const std::size_t at = header.e_phoff;
    std::memcpy(&segment, text.data() + at, sizeof segment);
    change(header, segment);
    std::memcpy(text.data() + at, &segment, sizeof segment);
    std::memcpy(text.data(), &header, sizeof header);
    write_text("bad.elf", text);
    expect_error({"run", path("bad.elf")}, "bad.elf: " + message);
  }

  ProgramRun limited_mxe(unsigned kilobytes, std::vector<std::string> arguments) {
    run_program("/bin/sh");
    const std::string line = "ulimit -v " + std::to_string(kilobytes) + "; exec \"$0\" \"$@\"";
    arguments.insert(arguments.begin(), {"-c", line, built_program()});
    return mxe(arguments);
  }
  /// Writes a program with segments (address, size) of zeros; its entry is the first segment.
  void expect_segments_refused(const std::vector<std::pair<uint32_t, uint32_t>>& segments,
                               const std::string& message) {
    Elf32_Ehdr header;
    std::memcpy(&header, good_.data(), sizeof header);
    header.e_phoff = sizeof header;
    header.e_phnum = static_cast<uint16_t>(segments.size());
    header.e_shnum = 0;
    header.e_entry = segments[0].first & ~1u;
    std::string text(reinterpret_cast<const char*>(&header), sizeof header);
    for (const auto& [address, bytes] : segments) {
      Elf32_Phdr segment{};
      segment.p_type = PT_LOAD;
      segment.p_paddr = segment.p_vaddr = address;
      segment.p_memsz = bytes;
      text.append(reinterpret_cast<const char*>(&segment), sizeof segment);
    }
    write_text("segments.elf", text);
    expect_error({"run", path("segments.elf")}, message);
  }

  std::string good_;
};

TEST_F(BadElf, IsRefusedWithOneLine) {
  expect_error({"run", path("none.elf")}, "none.elf: cannot open");
  write_text("text.elf", "a text and no program");
  expect_error({"run", path("text.elf")}, "text.elf: not an ELF file");
  write_text("empty.elf", "");
  expect_error({"run", path("empty.elf")}, "empty.elf: not an ELF file");
  expect_error({"run", MXE_PROGRAM}, "a program for machine 62, not for RISC-V (243)");
  expect_refused([](auto& header, auto&) { header.e_ident[EI_CLASS] = 3; }, "class 3 is neither");
  expect_refused([](auto& header, auto&) { header.e_ident[EI_DATA] = ELFDATA2MSB; },
                 "the program is not little endian");
  expect_refused([](auto& header, auto&) { header.e_type = ET_DYN; }, "not an executable");
  expect_refused([](auto& header, auto&) { header.e_flags |= 2; }, "compiled for other registers");
  expect_refused([](auto& header, auto&) { header.e_entry = 0x1000; },
                 "it begins at 0x1000, outside");
  expect_refused([](auto& header, auto&) { header.e_phoff = 0xFFFFFFF0; },
                 "the file ends before its program headers");
}

TEST_F(BadElf, SegmentsOutsideTheMemory) {
  const auto load = [](Elf32_Phdr& segment, uint32_t address, uint32_t bytes) {
    segment.p_type = PT_LOAD;
    segment.p_paddr = address;
    segment.p_memsz = bytes;
    segment.p_filesz = 0;
  };
  for (const uint32_t address : {0x00000000u, 0x7FFFFFFFu, 0x83FEFFF1u, 0x83FF0000u, 0xFFFFFFF0u}) {
    expect_refused([&](auto&, auto& segment) { load(segment, address, 16); },
                   "a segment of 16 bytes at 0x");
  }
  expect_refused([&](auto&, auto& segment) { load(segment, 0x80000000, 0xFFFFFFFF); },
                 "a segment of 4294967295 bytes at 0x80000000 is outside the memory (allowed: "
                 "0x80000000 to 0x83feffff)");
  expect_refused(
      [&](auto&, auto& segment) {
        load(segment, 0x80000000, 0x10000);
        segment.p_filesz = 0x10000;
        segment.p_offset = 0xFFFFFF00;
      },
      "the file ends before its segments");
}

TEST_F(BadElf, TablesThatReferToTheSameBytesAgain) {
  // With e_phentsize 0 all 65,535 headers are the first one: 122 bytes would load 65,535 segments.
  expect_refused([](auto& header, auto&) { header.e_phentsize = 0, header.e_phnum = 65535; },
                 "a program header has 0 bytes; allowed: 32");
  expect_refused([](auto& header, auto&) { header.e_phentsize = 31; },
                 "a program header has 31 bytes; allowed: 32");
  expect_refused([](auto& header, auto&) { header.e_phentsize = 56; },
                 "a program header has 56 bytes; allowed: 32");
  expect_refused([](auto& header, auto&) { header.e_phnum = 0; }, "there are no program headers");
  expect_refused([](auto& header, auto&) { header.e_phnum = 65535; },
                 "the file ends before its program headers");
}

TEST_F(BadElf, SegmentsThatOverlap) {
  // The second segment begins at the last byte of the first, in its middle, and at its start.
  for (const uint32_t address : {0x8001'FFFFu, 0x8001'8000u, 0x8001'0000u}) {
    expect_segments_refused({{0x8001'0000, 0x1'0000}, {address, 16}}, "overlap");
    expect_segments_refused({{address, 16}, {0x8001'0000, 0x1'0000}}, "overlap");
  }
  expect_segments_refused({{0x8001'0000, 0x1'0000}, {0x8002'0000, 16}, {0x8001'0001, 1}},
                          "the segments of 65536 bytes at 0x80010000 and of 1 bytes at 0x80010001 "
                          "overlap");
}

TEST_F(BadElf, OddEntryPoints) {
  for (const char offset : {'1', '3', '7'}) {
    expect_refused(
        [&](auto& header, auto&) { header.e_entry += static_cast<unsigned>(offset - '0'); },
        std::string("it begins at 0x8000000") + offset + "; allowed: even addresses");
  }
}

/// 20,000 symbols share a name of 300 KB: copies would take 6 GB.
TEST_F(BadElf, LongNamesAreNotCopied) {
  constexpr std::size_t kNames = 300'000, kSymbols = 20'000;
  std::string text = good_;
  Elf32_Ehdr header;
  std::memcpy(&header, text.data(), sizeof header);
  std::vector<Elf32_Shdr> sections(3);
  const auto append = [&text](const void* data, std::size_t bytes) {
    const std::size_t at = text.size();
    text.append(static_cast<const char*>(data), bytes);
    return static_cast<uint32_t>(at);
  };
  const std::string names = std::string(1, '\0') + std::string(kNames, 'x') + '\0';
  sections[1].sh_type = SHT_STRTAB;
  sections[1].sh_offset = append(names.data(), names.size());
  sections[1].sh_size = static_cast<uint32_t>(names.size());
  Elf32_Sym symbol{};
  symbol.st_name = 1;
  symbol.st_value = 0x8000'0000;
  symbol.st_info = STT_FUNC;
  symbol.st_shndx = 1;
  const std::vector<Elf32_Sym> symbols(kSymbols, symbol);
  sections[2].sh_type = SHT_SYMTAB;
  sections[2].sh_link = 1;
  sections[2].sh_entsize = sizeof symbol;
  sections[2].sh_size = kSymbols * sizeof symbol;
  sections[2].sh_offset = append(symbols.data(), sections[2].sh_size);
  header.e_shoff = append(sections.data(), sections.size() * sizeof sections[0]);
  header.e_shnum = 3;
  header.e_shentsize = sizeof sections[0];
  std::memcpy(text.data(), &header, sizeof header);
  write_text("names.elf", text);
  // Address space in KiB, with 1 GB that the emulator reserves.
  const ProgramRun run = limited_mxe(4'000'000, {"run", path("names.elf"), "--timeout-us", "1"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_NE(run.err.find("(" + std::string(1000, 'x') + "..."), std::string::npos);
}

TEST_F(BadElf, EveryTruncationIsRefusedOrRuns) {
  for (std::size_t size = 0; size < good_.size(); size += 1999) {
    write_text("short.elf", good_.substr(0, size));
    const ProgramRun run = mxe({"run", path("short.elf"), "--timeout-us", "1000"});
    EXPECT_TRUE(run.exit_code == 2 || (run.exit_code == 0 && run.err.empty())) << size << run.err;
  }
}

TEST_F(BadElf, OptionsThatDoNotFit) {
  const std::string good = firmware("bare_metal", 32);
  expect_error({"run"}, "firmware is required");
  expect_error({"run", good, "--on", "golden"}, "firmware needs registers");
  expect_error({"run", good, "--on", "fpga"}, "cannot run on 'fpga'");
  expect_error({"run", good, "--config", "huge"}, "huge");
  expect_error({"run", good, "--set", "NUM_PE=0"}, "NUM_PE");
  expect_error({"run", good, "--quantum", "0"}, "--quantum");
  expect_error({"run", good, "--timeout-us", "-1"}, "--timeout-us");
  expect_error({"run", good, "--mem-latency", "0"}, "latency");
  expect_error({"run", good, "--gdb", "65536"}, "not in range 0 to 65535");
  expect_error({"run", good, "--waves", path("a.fst")}, "--waves needs --on rtl");
#ifdef MXE_WITH_RTL
  expect_error({"run", good, "--on", "rtl", "--trace", path("t.json")}, "--trace needs --on model");
#endif
  expect_error({"run", good, std::string(70000, 'x')}, "arguments need");
}

}  // namespace
}  // namespace mxe::test
