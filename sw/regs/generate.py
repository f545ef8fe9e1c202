#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates everything about registers from mxe.rdl.

    .venv/bin/python sw/regs/generate.py            writes the files below
    .venv/bin/python sw/regs/generate.py --check    compares them instead; exit 1 if one is stale

    sw/regs/generated/mxe_regs.h         C11 and C++: offsets, masks, shifts, reset values, codes
    sw/regs/generated/mxe_reg_table.h    C++17: one row per register, for models
    rtl/mxe_reg_pkg.sv                   the same constants for SystemVerilog
    rtl/mxe_regs.sv                      the register file behind an AXI4-Lite slave
    docs/registers.md                    the description for people

The parser is systemrdl-compiler. The exporters are our own: PeakRDL-regblock writes SystemVerilog
that Yosys 0.23 cannot read, PeakRDL-cheader has no macros for offsets and enumerations and names
the masks of shared register types by a hash, PeakRDL-markdown leaves out enumerations and what a
write does.
"""

import argparse
import pathlib
import sys
import tempfile

from systemrdl import RDLCompileError

from exporters import c_header, cpp_table, markdown, model, sv_package, sv_regs

ROOT = pathlib.Path(__file__).resolve().parents[2]
OUTPUTS = {
    "sw/regs/generated/mxe_regs.h": c_header,
    "sw/regs/generated/mxe_reg_table.h": cpp_table,
    "rtl/mxe_reg_pkg.sv": sv_package,
    "rtl/mxe_regs.sv": sv_regs,
    "docs/registers.md": markdown,
}


def generate(directory: pathlib.Path) -> None:
    """Writes every output below `directory`, which is laid out like the project."""
    rdl = ROOT / "sw/regs/mxe.rdl"
    registers = model.read_block(rdl, "mxe_regs")
    descriptor = model.read_block(rdl, "mxe_descriptor")
    for name, exporter in OUTPUTS.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(exporter.export(registers, descriptor).encode())


def stale_outputs() -> list[str]:
    """Generates into a scratch directory and names the committed files that differ."""
    with tempfile.TemporaryDirectory() as scratch:
        generate(pathlib.Path(scratch))
        return [
            name
            for name in OUTPUTS
            if not (ROOT / name).is_file()
            or (ROOT / name).read_bytes() != (pathlib.Path(scratch) / name).read_bytes()
        ]


def main() -> int:
    parser = argparse.ArgumentParser(description="Generate everything about registers.")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    check = parser.parse_args().check
    try:
        stale = stale_outputs() if check else generate(ROOT)
    except (RDLCompileError, model.Unsupported) as error:
        print(f"sw/regs/mxe.rdl: {error}", file=sys.stderr)
        return 1
    for name in stale or []:
        print(f"{name} is out of date: run .venv/bin/python sw/regs/generate.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
