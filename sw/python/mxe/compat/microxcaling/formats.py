# SPDX-License-Identifier: Apache-2.0
"""Names and properties of element formats."""
from __future__ import annotations

import enum
import math
from typing import Union

FP32_EXPONENT_BIAS = 127
FP32_MIN_NORMAL = 2.0 ** -126


class RoundingMode(enum.IntEnum):
    """Rounding of ties: away from zero, towards zero (all numbers), to even."""

    nearest = 0
    floor = 1
    even = 2

    @staticmethod
    def string_enums() -> list[str]:
        return [mode.name for mode in RoundingMode]


class ElemFormat(enum.Enum):
    int8 = 1
    int4 = 2
    int2 = 3
    fp8_e5m2 = 4
    fp8_e4m3 = 5
    fp6_e3m2 = 6
    fp6_e2m3 = 7
    fp4 = 8
    fp4_e2m1 = fp4
    float16 = 9
    fp16 = float16
    bfloat16 = 10
    bf16 = bfloat16

    @staticmethod
    def from_str(s: str) -> ElemFormat:
        """Raises ValueError for unknown names."""
        found = ElemFormat.__members__.get(s.lower())
        if found is None:
            raise ValueError(f"unknown element format '{s}' (allowed: {', '.join(ElemFormat.__members__)})")
        return found


FormatLike = Union[str, ElemFormat]

# Exponent bits, and mantissa bits with the sign and the implicit one.
_BITS = {ElemFormat.int8: (0, 8), ElemFormat.int4: (0, 4), ElemFormat.int2: (0, 2), ElemFormat.fp8_e5m2: (5, 4),
         ElemFormat.fp8_e4m3: (4, 5), ElemFormat.fp6_e3m2: (3, 4), ElemFormat.fp6_e2m3: (2, 5), ElemFormat.fp4: (2, 3),
         ElemFormat.float16: (5, 12), ElemFormat.bfloat16: (8, 9)}
_WITH_INFINITY = (ElemFormat.fp8_e5m2, ElemFormat.float16, ElemFormat.bfloat16)


def format_of(fmt: FormatLike) -> ElemFormat:
    return fmt if isinstance(fmt, ElemFormat) else ElemFormat.from_str(fmt)


def _get_min_norm(ebits: int) -> float:
    """The smallest normal number; 0 for integers."""
    return math.ldexp(1.0, 2 - 2 ** (ebits - 1)) if ebits else 0.0


def _get_max_norm(ebits: int, mbits: int) -> float:
    """The largest number of a float with codes for NaN and infinity. Raises AssertionError below 5 exponent bits."""
    if ebits < 5:
        raise AssertionError(f"a float of {ebits} exponent bits has no NaN (allowed: 5 and more)")
    return math.ldexp(2 - 2.0 ** (2 - mbits), 2 ** (ebits - 1) - 1)


def _get_format_params(fmt: FormatLike) -> tuple[int, int, int, float, float]:
    """Exponent bits, mantissa bits (with sign and implicit one), exponent of the largest number, largest number,
    smallest normal number."""
    one = format_of(fmt)
    ebits, mbits = _BITS[one]
    emax = 0 if not ebits else 2 ** (ebits - 1) - (one in _WITH_INFINITY)
    largest = 448.0 if one is ElemFormat.fp8_e4m3 else math.ldexp(2 - 2.0 ** (2 - mbits), emax)
    return ebits, mbits, emax, largest, _get_min_norm(ebits)
