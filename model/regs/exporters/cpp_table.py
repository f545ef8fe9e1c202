# SPDX-License-Identifier: Apache-2.0
"""mxe_reg_table.h: registers and descriptor words as data, for models of the device."""

from .model import Block, Kind, Register
from .text import banner, cpp_table

HEAD = """// clang-format off
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace mxe {

/// Access by software. A write to a read-only register is a bus error.
enum class RegisterAccess : std::uint8_t { read_only, read_write };

/// One 32-bit register. A bit in none of the masks reads its reset value.
struct RegisterInfo {
  const char* name;
  std::uint32_t offset;          ///< bytes from the start of the window
  RegisterAccess access;
  std::uint32_t reset;           ///< value after reset; bits of hardware_mask are 0 here
  std::uint32_t storage_mask;    ///< bits that keep the value that software writes
  std::uint32_t event_mask;      ///< bits set by the hardware, cleared by writing 1
  std::uint32_t pulse_mask;      ///< bits that start an action when written 1 and read 0
  std::uint32_t hardware_mask;   ///< bits that read a value driven by hardware
};

/// One little-endian word of the job descriptor.
struct DescriptorWordInfo {
  const char* name;
  std::uint32_t offset;         ///< bytes from the start of the descriptor
  std::uint32_t bits;           ///< 32 or 64
  std::uint64_t reserved_mask;  ///< bits that must be zero, else ERR_DESCRIPTOR
};
"""

TAIL = """
/// The register at `offset`; null if it is unmapped.
constexpr const RegisterInfo* find_register(std::uint32_t offset) {
  for (const RegisterInfo& info : register_table) {
    if (info.offset == offset) return &info;
  }
  return nullptr;
}

}  // namespace mxe"""


def register_row(r: Register) -> str:
    access = "read_write" if r.is_writable else "read_only"
    masks = (r.reset, r.storage_mask, r.mask_of(Kind.EVENT), r.mask_of(Kind.PULSE),
             r.mask_of(Kind.INPUT, Kind.REQUEST))
    values = ", ".join(f"0x{m:08x}u" for m in masks)
    return f'    {{"{r.name}", 0x{r.offset:03x}u, RegisterAccess::{access}, {values}}},'


def word_row(r: Register) -> str:
    return f'    {{"{r.name}", 0x{r.offset:02x}u, {r.width}u, 0x{r.reserved_mask:x}u}},'


def port_macro(block: Block) -> list[str]:
    rows = [f"X({r.name}, {r.name.lower()}_{f.name}, {f.low}, 0x{f.mask:08x}u)"
            for r in block.registers if not r.counter
            for f in r.fields if f.kind in (Kind.INPUT, Kind.REQUEST)]
    return ["", "// X(REGISTER, port, shift, mask): fields driven by hardware, except counters. In mxe_regs.sv the",
            "// port's name ends in _i.",
            " \\\n  ".join(["#define MXE_HARDWARE_FIELDS(X)", *rows])]


def export(registers: Block, descriptor: Block) -> str:
    lines = [banner("//"), HEAD.rstrip()]
    lines += ["", "/// All registers, by ascending offset."]
    lines += cpp_table("RegisterInfo", "register_table",
                       [register_row(r) for r in registers.registers])
    lines += ["", "/// All words of the descriptor, by ascending offset."]
    lines += cpp_table("DescriptorWordInfo", "descriptor_table",
                       [word_row(r) for r in descriptor.registers])
    return "\n".join(lines + [TAIL] + port_macro(registers)) + "\n"
