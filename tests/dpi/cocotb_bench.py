# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of the requantiser (requant_top.sv) against the reference, by mxe_dpi.py. Started by tests/ports/run.py."""
import os
import random

import cocotb
import mxe_dpi
from cocotb.triggers import Timer

FORMATS = ["mxfp4_e2m1", "mxfp4_e1m2", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp8_e4m3", "mxfp8_e5m2", "mxint8"]
RULES = ["floor", "ceil", "even", "rceil"]


async def cycles(dut, count):
    for level in [0, 1] * count:
        dut.clk_i.value = level
        await Timer(5, "ns")


@cocotb.test()
async def elements_and_scales_equal_the_reference(dut):
    dpi = mxe_dpi.Dpi(os.environ["MXE_DPI"])
    draw = random.Random(int(os.environ["RANDOM_SEED"]))
    for _ in range(400):
        form, rule, special = draw.randrange(7), draw.randrange(4), draw.randrange(2)
        exponent = draw.randrange(8, 255)
        x = [draw.getrandbits(1) << 31 | (exponent - draw.randrange(8)) << 23 | draw.getrandbits(23) for _ in range(8)]
        codes, scales, _ = dpi.requantize(
            f"k=8 format={FORMATS[form]} rule={RULES[rule]} overflow={'special' if special else 'saturate'}", x, 1)
        dut.fmt_i.value, dut.rule_i.value, dut.special_i.value = form, rule, special
        dut.group_i.value = sum(number << 32 * i for i, number in enumerate(x))
        dut.amax_i.value = max(number & 0x7FFFFFFF for number in x)
        dut.x_i.value = x[0]
        dut.scale_i.value = scales[0]
        await cycles(dut, 8)
        got, want = (dut.scale_o.value.integer, dut.code_o.value.integer), (scales[0], codes[0])
        assert got == want, f"{FORMATS[form]}, {RULES[rule]}, {x}: (scale, code) {got} instead of {want}"
