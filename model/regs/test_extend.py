#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests a statement of docs/extending.md: a parameter, a counter, a register or an element format that is added to
mxe.rdl alone appears in all generated files, and they compile."""
import pathlib
import subprocess
import sys
import tempfile

import generate
from exporters import model

MAP = model.read_block(generate.RDL, "mxe_regs")  # before the additions
PLACE, COUNTERS = len(MAP.parameters) + 1, len(MAP.counters)
# The new registers follow the counters.
ADDED = f"""
  hw_value_r NEW_LIMIT @ 0xF00;
  NEW_LIMIT->desc = "A limit.";
  NEW_LIMIT->parameter = parameter_s'{{place: {PLACE}, unit: "things", small: 3, base: 2, large: 9}};
  NEW_LIMIT->range = '{{1, 15}};
  NEW_LIMIT->at_most = "MAX_BURST";
  counter_r NEW_EVENTS @ 0xF08;
  NEW_EVENTS->desc = "Events.";
  hw_value_r NEW_STATE @ 0xF10;
  NEW_STATE->desc = "A state.";
}};

// One job, as software"""
# An element format of 7 bits: texts of mxe.rdl, and the line that follows each.
ADDED_FORMAT = {
    '  MXINT8     = 4\'d6 { desc = "8-bit two\'s complement integer times 2^-6."; };\n':
        '  MXFP8_E3M3 = 4\'d7 { desc = "A format."; };\n',
    '  MXINT8     = 4\'d14 { desc = "Elements at D_ADDR, scales at D_SCALE_ADDR."; };\n':
        '  MXFP8_E3M3 = 4\'d15 { desc = "A format."; };\n',
    "element_format::MXINT8, integer: true, exponent_bits: 0, mantissa_bits: 6, bias: 0, nan: false, infinity: false}":
        ",\n    element_shape_s'{code: element_format::MXFP8_E3M3, integer: false, exponent_bits: 3, mantissa_bits: 3, "
        "bias: 3, nan: true, infinity: true}",
}
# Texts that each file must contain.
EXPECTED = {
    "model/regs/generated/mxe_regs.h": ["MXE_REG_NEW_LIMIT", "MXE_REG_NEW_EVENTS_HI",
                                     "MXE_REG_NEW_STATE"],
    "model/regs/generated/mxe_values.h": ["uint32_t new_limit;", "uint64_t new_events;",
                                       "X(new_limit, NEW_LIMIT)", "X(new_events, NEW_EVENTS)"],
    "model/regs/generated/mxe_parameters.h": ["unsigned new_limit = 2;", '"NEW_LIMIT"'],
    "model/regs/generated/mxe_counter_table.h": ["  new_events,", '"new_events", 0xf08u'],
    "model/regs/generated/mxe_reg_table.h": ['"NEW_STATE", 0xf10u', "X(NEW_STATE, new_state_value"],
    "model/regs/generated/mxe_parameters.cmake": ["NEW_LIMIT=3", "NEW_LIMIT=9"],
    "rtl/mxe_parameters.svh": ["parameter int unsigned NEW_LIMIT = 2"],
    "rtl/mxe_parameter_ports.svh": [".new_limit_value_i"],
    "rtl/wrap/mxe_axi.v": ["  parameter NEW_LIMIT = 2\n", "(NEW_LIMIT)\n"],
    "rtl/wrap/mxe_axi.xml": ['parameterId="NEW_LIMIT"', "<ipxact:name>NEW_EVENTS</ipxact:name>",
                             "<ipxact:name>NEW_STATE</ipxact:name>", "NEW_LIMIT &lt;= MAX_BURST"],
    "rtl/mxe_parameter_checks.svh": ["NEW_LIMIT must be from 1 to 15, at most MAX_BURST"],
    "rtl/mxe_reg_pkg.sv": [f"COUNTER_NEW_EVENTS = {COUNTERS}", "REG_NEW_STATE"],
    "rtl/mxe_regs.sv": ["AddrNewState: rdata = new_state_value_i",
                         f"counters_i[{64 * COUNTERS + 63}:{64 * COUNTERS + 32}]"],
    "docs/registers.md": ["### NEW_LIMIT", "### NEW_EVENTS_LO", "### NEW_STATE"],
    "model/numerics/formats/format.h": [
        "mxfp8_e3m3 = 7,", '{FormatId::mxfp8_e3m3, "mxfp8_e3m3", float_shape(3, 3, 3, Specials::ieee)},'],
    "sw/driver/mxe_math.c": ["{7, 8, 3, -2, 3, 0x37, 0x38, false, 0xF00000},    // mxfp8_e3m3"],
    "sw/driver/mxe_driver.c": ["{8, 9},   // mxfp8_e3m3"],
    "docs/architecture.md": ["| NEW_LIMIT | A limit. | things | 3 | 2 | 9 |"],
}
USER = """
#include "mxe_counter_table.h"
#include "mxe_parameters.h"
#include "mxe_reg_table.h"
#include "mxe_regs.h"
static_assert(!mxe::find_counter(MXE_REG_NEW_STATE) && mxe::find_register(MXE_REG_NEW_STATE));
static_assert(mxe::find_counter(MXE_REG_NEW_EVENTS_HI) == &mxe::counter_table.back());
static_assert(mxe::parameter_table.back().offset == MXE_REG_NEW_LIMIT);
static_assert(mxe::named_parameters[0].values.new_limit == 3);
"""


def compile_with(compiler: str, directory: pathlib.Path, name: str, text: str) -> list[str]:
    source = directory / name
    source.write_text(text, encoding="utf-8")
    run = subprocess.run(
        [*compiler.split(), "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
         f"-I{directory / 'model/regs/generated'}", source],
        capture_output=True, text=True, check=False)
    return [run.stderr] if run.returncode else []


def main() -> int:
    text = generate.RDL.read_text(encoding="utf-8")
    end = "\n};\n\n// One job, as software"
    if text.count(end) != 1:
        print("mxe.rdl: the end of addrmap mxe_regs was not found")
        return 1
    failures = []
    with tempfile.TemporaryDirectory() as scratch:
        directory = pathlib.Path(scratch)
        rdl = directory / "extended.rdl"
        text = text.replace(end, ADDED)
        for before, after in ADDED_FORMAT.items():
            text = text.replace(before, before + after)
        rdl.write_text(text, encoding="utf-8")
        generate.generate(directory, rdl)
        for name, wanted in EXPECTED.items():
            found = (directory / name).read_text(encoding="utf-8")
            failures += [f"{name} lacks '{text}'" for text in wanted if text not in found]
        failures += compile_with("c++ -std=c++17", directory, "user.cpp", USER)
        failures += compile_with("cc -std=c11 -ffreestanding", directory, "user.c",
                                 '#include "mxe_values.h"\n#include "mxe_regs.h"\n')
        math = (directory / "sw/driver/mxe_math.c").read_text(encoding="utf-8")
        failures += compile_with(f"cc -std=c11 -I{generate.ROOT / 'sw/driver'}", directory, "math.c", math)
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
