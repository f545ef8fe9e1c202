#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/conformance/data/mxf4nvf4_results.txt: NVIDIA's mxf4nvf4 for the steps of nvfp4_dots.txt.

    tests/conformance/make_mxf4nvf4_results.py > tests/conformance/data/mxf4nvf4_results.txt

The rule is that of MMA-Sim c785138 (nv_fused_dot_add_with_block_scale), here with Python's fractions. NaN is 7FC00000,
codes above 0x7F are NaN, and an infinite accumulator stays infinite.
"""

import math
import pathlib
import struct
from fractions import Fraction

from check_pairs import UE4M3, element, scale

DOTS = pathlib.Path(__file__).parent / "data" / "nvfp4_dots.txt"
FRACTION_BITS = 35
HEADER = """\
# SPDX-License-Identifier: Apache-2.0
# acc + S by the rule of NVIDIA's mxf4nvf4 (k = 64) for each step of nvfp4_dots.txt, float32 bits.
# Written by make_mxf4nvf4_results.py."""


def exponent(value, least):
    """floor(log2 |value|), at least `least`; -126 for zero."""
    if value == 0:
        return -126
    return max(math.frexp(float(abs(value)))[1] - 1, least)


def truncated(value, unit):
    """value rounded toward zero to a multiple of 2^unit."""
    return math.trunc(value / Fraction(2) ** unit) * Fraction(2) ** unit


def truncated_bits(value):
    """The float32 bits of a value rounded toward zero."""
    value = truncated(value, max(exponent(value, -126), -126) - 23)
    return struct.unpack("<I", struct.pack("<f", float(value)))[0]


def numbers(word, bits, count):
    return [int(word, 16) >> bits * i & (1 << bits) - 1 for i in range(count)]


def result(line):
    count, a, sa, b, sb, _, _, acc, _ = line.split()
    count, acc = int(count, 16), int(acc, 16)
    blocks = -(-count // 16)
    scales = [[scale(UE4M3, code) for code in numbers(word, 8, blocks)] for word in (sa, sb)]
    start = struct.unpack("<f", struct.pack("<I", acc))[0]
    if "nan" in scales[0] + scales[1] or math.isnan(start):
        return 0x7FC00000
    if math.isinf(start):
        return acc
    products = [element("mxfp4_e2m1", x) * element("mxfp4_e2m1", y)
                for x, y in zip(numbers(a, 4, count), numbers(b, 4, count))]
    terms = [(Fraction(start), exponent(start, -126))]
    for i in range(blocks):
        x, y = scales[0][i], scales[1][i]
        terms.append((sum(products[16 * i:16 * i + 16]) * x * y, exponent(x, -6) + exponent(y, -6)))
    unit = max(e for _, e in terms) - FRACTION_BITS
    return truncated_bits(sum(truncated(value, unit) for value, _ in terms))


if __name__ == "__main__":
    print(HEADER)
    for line in DOTS.read_text().splitlines():
        if not line.startswith("#"):
            print(f"{result(line):08x}")
