# SPDX-License-Identifier: Apache-2.0
"""mxe_reg_pkg.sv: constants for SystemVerilog, as local parameters."""

from .c_header import ENUM_PREFIX
from .model import Block, Register
from .text import banner, comment_block


def localparam(kind: str, name: str, value: str) -> str:
    return f"  localparam {kind} {name} = {value};"


def sized(value: int, width: int) -> str:
    return f"{width}'h{value:0{(width + 3) // 4}x}"


def natural(name: str, value: int) -> str:
    return localparam("int unsigned", name, str(value))


def mask_lines(name: str, value: int, width: int) -> list[str]:
    """A wide constant as 32-bit words, highest first, four to a line."""
    words = [sized(value >> low & 0xFFFFFFFF, 32) for low in range(width - 32, -1, -32)]
    rows = [", ".join(words[i : i + 4]) for i in range(0, len(words), 4)]
    body = ",\n".join("    " + row for row in rows)
    return [f"  localparam logic [{width - 1}:0] {name} = {{", body + "};"]


def register_lines(block: Block) -> list[str]:
    lines = ["  // Byte offsets of the registers, bit positions of their fields."]
    for r in block.registers:
        lines.append(localparam("logic [11:0]", f"REG_{r.name}", sized(r.offset, 12)))
        for f in r.fields:
            if not f.is_whole_register:
                lines.append(natural(f"{r.name}_{f.name.upper()}_BIT", f.low))
    return lines


def counter_lines(block: Block) -> list[str]:
    lines = ["", "  // The number of 64-bit counters, and their indices in vectors of all counters."]
    lines.append(natural("COUNTERS", len(block.counters)))
    return lines + [natural(f"COUNTER_{n}", i) for i, n in enumerate(block.counters)]


def word_lines(r: Register) -> list[str]:
    lines = comment_block(r.desc, "  // ")
    lines.append(natural(f"DESC_{r.name}_LSB", r.offset * 8))
    lines.append(natural(f"DESC_{r.name}_W", r.width))
    for f in r.fields:
        if not f.is_whole_register:
            name = f"DESC_{r.name}_{f.name.upper()}"
            lines += [natural(f"{name}_LSB", r.offset * 8 + f.low), natural(f"{name}_W", f.width)]
    return lines


def descriptor_lines(block: Block) -> list[str]:
    size = max(r.offset * 8 + r.width for r in block.registers)
    reserved = sum(r.reserved_mask << (r.offset * 8) for r in block.registers)
    lines = ["", "  // The descriptor as one vector, byte 0 lowest: bit positions and widths."]
    lines.append(natural("DESC_W", size))
    for r in block.registers:
        lines += word_lines(r)
    lines += ["", "  // Bits that must be zero, else ERR_DESCRIPTOR."]
    lines += mask_lines("DESC_RESERVED_MASK", reserved, size)
    return lines


def enum_width(block: Block, name: str) -> int:
    """The width of the fields with this enumeration."""
    return next(f.width for r in block.registers for f in r.fields if f.encoding == name)


def enum_lines(block: Block) -> list[str]:
    lines = []
    for name, values in block.enums.items():
        width = enum_width(block, name)
        lines += ["", f"  // {name.replace('_', ' ').capitalize()}s."]
        for v in values:
            full_name = f"{ENUM_PREFIX[name]}{v.name}"
            lines.append(localparam(f"logic [{width - 1}:0]", full_name, f"{width}'d{v.value}"))
    return lines


def export(registers: Block, descriptor: Block) -> str:
    lines = [banner("//"), "`default_nettype none", "package mxe_reg_pkg;"]
    lines += ["  // No block uses all of these constants.",
              "  // verilator lint_off UNUSEDPARAM"]
    lines += register_lines(registers) + counter_lines(registers)
    lines += descriptor_lines(descriptor)
    lines += enum_lines(descriptor) + enum_lines(registers)
    lines += ["  // verilator lint_on UNUSEDPARAM", "endpackage", "`default_nettype wire"]
    return "\n".join(lines) + "\n"
