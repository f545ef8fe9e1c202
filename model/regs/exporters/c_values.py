# SPDX-License-Identifier: Apache-2.0
"""mxe_values.h: capabilities and counters of a device as structures for C11 and C++17."""

from .model import Block, Register, Unsupported
from .text import banner, comment_block

FLAGS = "FEATURES"  # the only capability register with flags as fields

HEAD = """// clang-format off
#ifndef MXE_VALUES_H_
#define MXE_VALUES_H_

#include <stdbool.h>
#include <stdint.h>

/// Version and parameters of a device.
struct mxe_capabilities {
  uint8_t version_major, version_minor;
  uint16_t version_patch;"""


def member(kind: str, name: str, desc: str) -> list[str]:
    return [*comment_block(desc, "  /// "), f"  {kind} {name};"]


def is_word(r: Register) -> bool:
    return len(r.fields) == 1 and r.fields[0].is_whole_register


def capability_members(block: Block) -> list[str]:
    lines = []
    for r in block.capabilities:
        if is_word(r):
            lines += member("uint32_t", r.name.lower(), r.desc)
        elif r.name == FLAGS and all(f.width == 1 for f in r.fields):
            for f in r.fields:
                lines += member("bool", f.name, f.desc)
        else:
            raise Unsupported(f"{r.name}: a capability is a whole register or a bit of {FLAGS}")
    return lines


def counter_members(block: Block) -> list[str]:
    parts = " + ".join(c.member for c in block.counter_list if c.part_of_total)
    lines = ["", "/// Counters since mxe_clear_counters(), all sampled in the same cycle. Always"]
    lines += comment_block(f"{block.counter_list[0].member} = {parts}.", "/// ")
    lines.append("struct mxe_counters {")
    for c in block.counter_list:
        lines += member("uint64_t", c.member, c.desc)
    return lines + ["};"]


def macro(comment: str, name: str, rows: list[str]) -> list[str]:
    body = [f"  X({row})" for row in rows]
    return ["", comment, " \\\n".join([f"#define {name}(X)", *body])]


def export(registers: Block, descriptor: Block) -> str:
    del descriptor
    words = [f"{r.name.lower()}, {r.name}" for r in registers.capabilities if is_word(r)]
    flags = [f"{f.name}, {f.name.upper()}"
             for r in registers.capabilities if r.name == FLAGS for f in r.fields]
    counters = [f"{c.member}, {c.name}" for c in registers.counter_list]
    lines = [banner("//"), HEAD, *capability_members(registers), "};"]
    lines += counter_members(registers)
    lines += macro("// X(member, REGISTER): capabilities with their own register.",
                   "MXE_CAPABILITY_WORDS", words)
    lines += macro("// X(member, FIELD): capabilities that are bits of FEATURES.",
                   "MXE_CAPABILITY_FLAGS", flags)
    lines += macro("// X(member, COUNTER): all counters; their registers are MXE_REG_COUNTER_LO and _HI.",
                   "MXE_COUNTERS", counters)
    return "\n".join(lines + ["", "#endif  // MXE_VALUES_H_"]) + "\n"
