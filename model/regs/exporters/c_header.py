# SPDX-License-Identifier: Apache-2.0
"""mxe_regs.h: constants for C11 and C++17."""

from .model import Block, Field, Register
from .text import banner, comment_block

# Enumerations of mxe.rdl -> prefix of their values in C and SystemVerilog.
ENUM_PREFIX = {
    "status_code": "STATUS_",
    "element_format": "FORMAT_",
    "output_format": "OUT_",
    "scale_rule": "RULE_",
    "scale_kind": "SCALE_",
    "block_size": "BLOCK_",
    "fault_operand": "FAULT_",
}


def define(name: str, value: str) -> str:
    return f"#define {name:<42} {value}"


def comment(text: str) -> list[str]:
    return comment_block(text, "// ")


def hex_constant(value: int, width: int) -> str:
    return f"UINT64_C(0x{value:016x})" if width > 32 else f"UINT32_C(0x{value:08x})"


def field_lines(prefix: str, register: Register, field: Field) -> list[str]:
    if field.is_whole_register:
        return []
    name = f"{prefix}{register.name}_{field.name.upper()}"
    return [
        define(f"{name}_MASK", hex_constant(field.mask, register.width)),
        define(f"{name}_SHIFT", str(field.low)),
    ]


def register_lines(block: Block) -> list[str]:
    lines = ["", "// ---- Registers: byte offsets, fields, values after reset ----"]
    for r in block.registers:
        lines += ["", *comment(r.desc), define(f"MXE_REG_{r.name}", f"UINT32_C(0x{r.offset:03x})")]
        lines.append(define(f"MXE_{r.name}_RESET", hex_constant(r.reset, 32)))
        if r.storage_mask not in (0, 0xFFFFFFFF):
            lines.append(define(f"MXE_{r.name}_WRITE_MASK", hex_constant(r.storage_mask, 32)))
        for f in r.fields:
            lines += field_lines("MXE_", r, f)
    return lines


def descriptor_lines(block: Block) -> list[str]:
    size = max(r.offset + r.width // 8 for r in block.registers)
    lines = ["", "// ---- Job descriptor: byte offsets of its little-endian words ----", ""]
    lines.append(define("MXE_DESC_SIZE", f"{size}u"))
    for r in block.registers:
        lines += ["", *comment(r.desc), define(f"MXE_DESC_{r.name}", f"0x{r.offset:02x}u")]
        for f in r.fields:
            lines += field_lines("MXE_DESC_", r, f)
        if r.reserved_mask:
            lines.append(define(f"MXE_DESC_{r.name}_RESERVED_MASK",
                                hex_constant(r.reserved_mask, r.width)))
    return lines


def enum_lines(block: Block) -> list[str]:
    lines = []
    for name, values in block.enums.items():
        lines += ["", f"// ---- {name.replace('_', ' ').capitalize()}s ----", ""]
        for v in values:
            lines += comment(v.desc)
            lines.append(define(f"MXE_{ENUM_PREFIX[name]}{v.name}", f"{v.value}u"))
    return lines


def format_lines(block: Block) -> list[str]:
    return ["", "// Element formats: their codes are 0 to MXE_FORMAT_COUNT - 1.",
            define("MXE_FORMAT_COUNT", f"{len(block.element_shapes)}u")]


def export(registers: Block, descriptor: Block) -> str:
    lines = [banner("//"), "// clang-format off", "#ifndef MXE_REGS_H_", "#define MXE_REGS_H_", ""]
    lines += ["#include <stdint.h>"]
    lines += register_lines(registers) + descriptor_lines(descriptor)
    lines += enum_lines(descriptor) + format_lines(descriptor) + enum_lines(registers)
    return "\n".join(lines + ["", "#endif  // MXE_REGS_H_"]) + "\n"
