#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/conformance/data/nvfp4_dots.txt: 100 steps of NVFP4 times NVFP4, by Python's fractions.

    tests/conformance/make_nvfp4_dots.py > tests/conformance/data/nvfp4_dots.txt
"""

import random
from fractions import Fraction

from check_pairs import UE4M3, add, element, from_bits, multiply, round_to_float, scale

HEADER = """\
# SPDX-License-Identifier: Apache-2.0
# 100 steps of NVFP4 times NVFP4: result = RNE_fp32(acc + S), S the exact sum of `count` <= 64 products
# (an engine without FP4_DUAL has steps of 32). Written by make_nvfp4_dots.py. One step a line, in hexadecimal:
#   count    elements
#   a, b     256 bits: E2M1 codes, element 0 in the lowest four bits
#   sa, sb   32 bits: UE4M3 codes of the blocks of 16, block 0 in the lowest byte
#   nan      1: a scale of the step is NaN; S is then 0
#   s        64 bits, two's complement: S in units of 2^-20
#   acc, result   float32 bits
# count a sa b sb nan s acc result"""


class Step:
    def __init__(self, count=64):
        self.count = count
        self.codes = [[random.randrange(16) for _ in range(count)] for _ in "ab"]
        self.scales = [[random.randrange(0x30, 0x48) for _ in range(0, count, 16)] for _ in "ab"]
        self.acc = None

    def values(self, side):
        scales = [scale(UE4M3, code) for code in self.scales[side]]
        return [multiply(element("mxfp4_e2m1", c), scales[i // 16]) for i, c in enumerate(self.codes[side])]

    def line(self):
        products = [multiply(x, y) for x, y in zip(self.values(0), self.values(1))]
        is_nan = "nan" in products
        total = Fraction(0) if is_nan else sum(products, Fraction(0))
        units = total * 2**20
        assert units.denominator == 1 and abs(units) < 2**49
        acc = self.acc(total) if self.acc else round_to_float(Fraction(random.gauss(0, 1)) * 2**6)
        result = add([from_bits(acc), *products])
        assert is_nan or result == add([from_bits(acc), total])

        def word(numbers, bits, width):
            return f"{sum(n << bits * i for i, n in enumerate(numbers)):0{width}x}"

        a, b = (word(codes, 4, 64) for codes in self.codes)
        sa, sb = (word(scales, 8, 8) for scales in self.scales)
        s = int(units) & (2**64 - 1)
        return f"{self.count:02x} {a} {sa} {b} {sb} {int(is_nan)} {s:016x} {acc:08x} {result:08x}"


def put(step, code_range):
    """Replaces one scale of either side by a code of the range."""
    scales = step.scales[random.randrange(2)]
    scales[random.randrange(len(scales))] = random.choice(code_range)
    return step


def fill(step, code_range):
    step.scales = [[random.choice(code_range) for _ in side] for side in step.scales]
    return step


def with_acc(step, acc):
    step.acc = acc
    return step


def steps():
    yield from (Step() for _ in range(20))
    yield from (Step(32) for _ in range(8))
    yield from (Step(random.randrange(1, 64)) for _ in range(10))
    yield from (fill(Step(), range(0x7F)) for _ in range(12))  # every scale
    yield from (fill(Step(), range(8)) for _ in range(8))  # zero and subnormal scales
    yield from (put(Step(), range(8)) for _ in range(6))
    yield from (put(Step(), [0x7F]) for _ in range(4))
    yield from (put(Step(), range(0x80, 0x100)) for _ in range(4))
    largest = fill(Step(), [0x7E])
    largest.codes = [[7] * 64, [7] * 64]
    yield largest
    smallest = fill(Step(1), [1])
    smallest.codes = [[1], [9]]
    yield with_acc(smallest, lambda s: 0)
    # The accumulator cancels S: exactly, or up to its rounding.
    yield from (with_acc(Step(), lambda s: round_to_float(-s)) for _ in range(8))
    yield from (with_acc(fill(Step(), range(0x7F)), lambda s: round_to_float(-s)) for _ in range(6))
    # S is below the accumulator's last bit, or half of it.
    yield from (with_acc(Step(), lambda s: round_to_float(abs(s) * 2**24)) for _ in range(6))
    yield from (with_acc(fill(Step(4), [0x38]), lambda s: 0x4C000001) for _ in range(3))
    # Special accumulators.
    for acc in (0x80000000, 0x7F800000, 0xFFC12345):
        yield with_acc(Step(), lambda s, acc=acc: acc)


if __name__ == "__main__":
    random.seed(4)
    lines = [step.line() for step in steps()]
    assert len(lines) == 100
    print(HEADER)
    print("\n".join(lines))
