# SPDX-License-Identifier: Apache-2.0
"""Expected results of a job without special values, from the definitions: exact rationals, rounded once where
docs/numerics.md says so. Shares no code with the model."""
import struct
from fractions import Fraction

BLOCK = 32


class Float:
    """An element format of the OCP specification, including subnormals; `magnitudes` has no special codes."""

    def __init__(self, exponent_bits, mantissa_bits, largest, bias=None):
        self.bits = 1 + exponent_bits + mantissa_bits
        self.mantissa_bits = mantissa_bits
        bias = 2 ** (exponent_bits - 1) - 1 if bias is None else bias
        self.least_exponent = 1 - bias
        self.largest = Fraction(largest)
        codes = [self._decode(c) for c in range(2 ** (self.bits - 1))]
        self.magnitudes = [m for m in codes if m <= self.largest]
        self.codes = [m if c < len(self.magnitudes) else None for c, m in enumerate(codes)]
        self.codes += [None if m is None else -m for m in self.codes]

    def _decode(self, code):
        exponent, mantissa = divmod(code, 2 ** self.mantissa_bits)
        if exponent:
            mantissa += 2 ** self.mantissa_bits
            exponent -= 1
        return Fraction(mantissa) * power(exponent + self.least_exponent - self.mantissa_bits)

    def encode(self, value):
        """The nearest code, ties to even, limited to the largest."""
        rounded = min(abs(rounded_to(value, self.mantissa_bits + 1, self.least_exponent)),
                      self.largest)
        return self.magnitudes.index(rounded) + (2 ** (self.bits - 1) if value < 0 else 0)


class Int8:
    bits = 8
    largest = Fraction(127, 64)
    codes = [Fraction(c if c < 128 else c - 256, 64) for c in range(256)]

    @staticmethod
    def encode(value):
        return max(-127, min(127, round(value * 64))) % 256


def power(exponent):
    return Fraction(2) ** exponent


def floor_log2(value):
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    return exponent if power(exponent) <= value else exponent - 1


def rounded_to(value, precision, least_exponent):
    """The nearest number with `precision` significant bits, fewer below 2^least_exponent; ties to even."""
    if value == 0:
        return value
    exponent = max(floor_log2(abs(value)), least_exponent)
    step = power(exponent - precision + 1)
    return round(value / step) * step  # of a Fraction: ties to even


FORMATS = {
    "MXFP4_E2M1": Float(2, 1, 6),
    "MXFP4_E1M2": Float(1, 2, Fraction(7, 4), bias=1),
    "MXFP6_E2M3": Float(2, 3, Fraction(15, 2)),
    "MXFP6_E3M2": Float(3, 2, 28),
    "MXFP8_E4M3": Float(4, 3, 448),
    "MXFP8_E5M2": Float(5, 2, 57344),
    "MXINT8": Int8(),
}


def fp32(value):
    return rounded_to(value, 24, -126)


def matmul(a, b, two_chains):
    """Sums of products. a and b: rows of blocks, each (scale code, values). No bias. `two_chains`: even and odd
    blocks are summed separately, then both sums."""
    chains = 2 if two_chains else 1
    result = []
    for row in a:
        line = []
        for column in b:
            sums = [Fraction(0)] * chains
            for index, ((xa, va), (xb, vb)) in enumerate(zip(row, column)):
                exact = sum(p * q for p, q in zip(va, vb)) * power(xa + xb - 254)
                sums[index % chains] = fp32(sums[index % chains] + exact)
            line.append(fp32(sum(sums)))
        result.append(line)
    return result


def pack(codes, bits):
    """Packs codes, the first one in the lowest bits, and fills the last byte with zeros."""
    packed = sum(code << (bits * i) for i, code in enumerate(codes))
    return packed.to_bytes((bits * len(codes) + 7) // 8, "little")


def results(sums, out_format):
    """The rows of bytes of the results and of their scales (empty unless the format is MX)."""
    if out_format == "FP32":
        return [b"".join(struct.pack("<f", v) for v in row) for row in sums], [b""] * len(sums)
    if out_format == "BF16":
        rows = [b"".join(struct.pack("<f", rounded_to(v, 8, -126))[2:] for v in row)
                for row in sums]
        return rows, [b""] * len(sums)
    element = FORMATS[out_format]
    rows, scales = [], []
    for row in sums:
        codes, row_scales = [], []
        for first in range(0, len(row), BLOCK):
            block = row[first:first + BLOCK]
            amax = max(abs(v) for v in block)
            scale = floor_log2(amax) - floor_log2(element.largest) if amax else -127
            scale = max(-127, min(127, scale))
            row_scales.append(scale + 127)
            codes += [element.encode(v / power(scale)) for v in block]
        rows.append(pack(codes, element.bits))
        scales.append(bytes(row_scales))
    return rows, scales
