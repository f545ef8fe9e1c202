# SPDX-License-Identifier: Apache-2.0
"""mxe_register_list.h: all registers as a list for C, for tests that run on a device."""

from .model import Block, Kind, Register
from .text import banner

HEAD = """// clang-format off
#ifndef MXE_REGISTER_LIST_H_
#define MXE_REGISTER_LIST_H_

// X(REGISTER, writable, reset, storage, event, pulse, hardware): all registers, by ascending offset.
// A write to one that is not writable is a bus error. The masks are the bits that keep what software
// writes, that the hardware sets and software clears by writing 1, that act when written 1 and read
// 0, and that read what the hardware drives. A bit without a mask reads its reset value."""


def row(r: Register) -> str:
    masks = (r.reset, r.storage_mask, r.mask_of(Kind.EVENT), r.mask_of(Kind.PULSE),
             r.mask_of(Kind.INPUT, Kind.REQUEST))
    values = ", ".join(f"UINT32_C(0x{m:08x})" for m in masks)
    return f"  X({r.name}, {str(r.is_writable).lower()}, {values})"


def export(registers: Block, descriptor: Block) -> str:
    del descriptor
    rows = " \\\n".join(["#define MXE_REGISTERS(X)", *map(row, registers.registers)])
    return "\n".join([banner("//"), HEAD, rows, "", "#endif  // MXE_REGISTER_LIST_H_"]) + "\n"
