#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks golden products of mx_pair_check --print with Python's fractions.

    build/mx_pair_check --values 1e5 --seed 2 --print | tests/conformance/check_pairs.py

Standard input has one case a line. Decodes every code by its definition, sums exactly, and rounds with
integers only. Prints the number of values and exits with 1 at the first difference.
"""

import json
import sys
from fractions import Fraction

NAN = 0x7FC00000
INFINITY = 0x7F800000
# Exponent bits, mantissa bits, bias, kind of the special codes.
FLOATS = {
    "mxfp4_e2m1": (2, 1, 1, ""),
    "mxfp4_e1m2": (1, 2, 1, ""),
    "mxfp6_e2m3": (2, 3, 1, ""),
    "mxfp6_e3m2": (3, 2, 3, ""),
    "mxfp8_e4m3": (4, 3, 7, "nan"),
    "mxfp8_e5m2": (5, 2, 15, "ieee"),
}
E8M0, UE4M3, UE5M3, NO_SCALES = range(4)
FOUR_BITS = ("mxfp4_e2m1", "mxfp4_e1m2")


def unsigned_float(code, mantissa_bits, bias):
    field, mantissa = code >> mantissa_bits, code & ((1 << mantissa_bits) - 1)
    exponent = max(field, 1) - bias - mantissa_bits
    return (mantissa + ((1 << mantissa_bits) if field else 0)) * Fraction(2) ** exponent


def element(name, code):
    """The value of an element code: a Fraction, "nan", "+inf" or "-inf"."""
    if name == "mxint8":
        return Fraction(code - 256 if code >= 128 else code, 64)
    exponent_bits, mantissa_bits, bias, specials = FLOATS[name]
    sign_bit = 1 << (exponent_bits + mantissa_bits)
    magnitude = code & (sign_bit - 1)
    if specials == "nan" and magnitude == sign_bit - 1:
        return "nan"
    if specials == "ieee" and magnitude >> mantissa_bits == (1 << exponent_bits) - 1:
        if magnitude & ((1 << mantissa_bits) - 1):
            return "nan"
        return "-inf" if code & sign_bit else "+inf"
    value = unsigned_float(magnitude, mantissa_bits, bias)
    return -value if code & sign_bit else value


def scale(kind, code):
    if kind == E8M0:
        return "nan" if code == 255 else Fraction(2) ** (code - 127)
    if kind == UE4M3:
        return "nan" if code >= 0x7F else unsigned_float(code, 3, 7)
    return "nan" if code == 0xFF else unsigned_float(code, 3, 15)


def multiply(x, y):
    if x == "nan" or y == "nan":
        return "nan"
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return x * y
    if x == 0 or y == 0:
        return "nan"
    negative = [(v == "-inf") if isinstance(v, str) else v < 0 for v in (x, y)]
    return "-inf" if negative[0] != negative[1] else "+inf"


def from_bits(bits):
    magnitude, negative = bits & 0x7FFFFFFF, bits >> 31
    if magnitude > INFINITY:
        return "nan"
    if magnitude == INFINITY:
        return "-inf" if negative else "+inf"
    value = unsigned_float(magnitude, 23, 127)
    return -value if negative else value


def round_to_float(value):
    """float32 bits of a Fraction: nearest even, subnormals kept; exact zero is +0."""
    if value == 0:
        return 0
    sign, magnitude = (0x80000000, -value) if value < 0 else (0, value)
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    if Fraction(2) ** exponent > magnitude:
        exponent -= 1
    lsb = max(exponent - 23, -149)
    scaled = magnitude / Fraction(2) ** lsb
    units, rest = divmod(scaled.numerator, scaled.denominator)
    if 2 * rest > scaled.denominator or (2 * rest == scaled.denominator and units % 2):
        units += 1
    field = lsb + 149
    bits = units if field == 0 else (field << 23) + units
    return sign | min(bits, INFINITY)


def add(terms):
    """float32 bits of the sum of terms."""
    kinds = {t for t in terms if isinstance(t, str)}
    if "nan" in kinds or len(kinds) == 2:
        return NAN
    if kinds:
        return INFINITY if "+inf" in kinds else 0x80000000 | INFINITY
    return round_to_float(sum(terms, Fraction(0)))


class Operand:
    def __init__(self, text, k):
        self.name, self.kind, self.block = text["element"], text["kind"], text["block"]
        codes, scales = bytes.fromhex(text["codes"]), bytes.fromhex(text["scales"])
        columns = 0 if self.kind == NO_SCALES else -(-k // self.block)
        self.rows = []
        for row in range(text["rows"]):
            values = [element(self.name, code) for code in codes[row * k : (row + 1) * k]]
            if columns:
                factors = [scale(self.kind, code) for code in scales[row * columns : (row + 1) * columns]]
                values = [multiply(value, factors[i // self.block]) for i, value in enumerate(values)]
            self.rows.append(values)

    def has_significands(self):
        return self.kind in (UE4M3, UE5M3)

    def has_short_blocks(self):
        return self.kind == E8M0 and self.block == 16


def order(a, b, dual):
    """Elements of K per rounding, and the number of chains."""
    if a.has_significands() and b.has_significands():
        return (64 if dual else 32), 1
    if a.has_short_blocks() or b.has_short_blocks():
        return 16, 1
    if a.has_significands() or b.has_significands():
        return 32, 1
    return 32, 2 if dual and a.name in FOUR_BITS and b.name in FOUR_BITS else 1


def product(x, y, start, step, chains):
    acc = [start, 0]
    for first in range(0, len(x), step):
        chain = first // step % chains
        terms = [multiply(*pair) for pair in zip(x[first : first + step], y[first : first + step])]
        acc[chain] = add([from_bits(acc[chain])] + terms)
    return acc[0] if chains == 1 else add([from_bits(acc[0]), from_bits(acc[1])])


def scaled(alpha, total, c):
    x = multiply(from_bits(alpha), from_bits(total))
    bits = round_to_float(x) if isinstance(x, Fraction) else add([x])
    return bits if c is None else add([from_bits(bits), from_bits(c)])


def floats(text):
    return [int(text[i : i + 8], 16) for i in range(0, len(text), 8)]


def check(line):
    case = json.loads(line)
    a, b = Operand(case["a"], case["k"]), Operand(case["b"], case["k"])
    step, chains = order(a, b, case["dual"])
    bias, alpha, results = floats(case["bias"]), floats(case["alpha"]), floats(case["results"])
    for index, result in enumerate(results):
        i, j = divmod(index, len(b.rows))
        c = bias[index] if bias else None
        start = c if bias and not alpha else 0
        expected = product(a.rows[i], b.rows[j], start, step, chains)
        if alpha:
            expected = scaled(alpha[0], expected, c)
        if result != expected:
            sys.exit(f"result [{i}][{j}] is {result:08x}, not {expected:08x}, of {line[:300]} ...")
    return len(results)


if __name__ == "__main__":
    print(sum(check(line) for line in sys.stdin), "values agree")
