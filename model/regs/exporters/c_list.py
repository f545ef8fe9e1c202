# SPDX-License-Identifier: Apache-2.0
"""mxe_register_list.h: all registers as a C macro, for tests on a device."""

from .model import Block, Kind, Register
from .text import banner

HEAD = """// clang-format off
#ifndef MXE_REGISTER_LIST_H_
#define MXE_REGISTER_LIST_H_

// X(REGISTER, writable, reset, storage, event, pulse, hardware): all registers, by ascending offset.
// A write to a register that is not writable is a bus error. The last four are masks of bits:
//   storage   keep the value that software writes
//   event     set by hardware, cleared by writing 1
//   pulse     start an action when written 1, read 0
//   hardware  read a value driven by hardware
// A bit in none of the masks reads its reset value."""


def row(r: Register) -> str:
    masks = (r.reset, r.storage_mask, r.mask_of(Kind.EVENT), r.mask_of(Kind.PULSE),
             r.mask_of(Kind.INPUT, Kind.REQUEST))
    values = ", ".join(f"UINT32_C(0x{m:08x})" for m in masks)
    return f"  X({r.name}, {str(r.is_writable).lower()}, {values})"


def export(registers: Block, descriptor: Block) -> str:
    del descriptor
    rows = " \\\n".join(["#define MXE_REGISTERS(X)", *map(row, registers.registers)])
    return "\n".join([banner("//"), HEAD, rows, "", "#endif  // MXE_REGISTER_LIST_H_"]) + "\n"
