# SPDX-License-Identifier: Apache-2.0
"""What studies of quantization find, as values."""
from __future__ import annotations

import dataclasses
from typing import NamedTuple, Optional


@dataclasses.dataclass(frozen=True)
class Stats:
    """What quantizing an array lost; errors count elements that are finite before and after."""

    elements: int
    blocks: int
    sqnr_db: float  #: 10 log10(sum x^2 / sum (x - q)^2); inf without error, nan without data
    max_error: float  #: of |x - q|
    mean_error: float  #: of |x - q|
    clipped: int  #: finite inputs beyond the largest element times their scale
    flushed: int  #: nonzero inputs that became zero
    nans: int  #: values that are NaN
    nan_scales: int  #: blocks without a number for a scale
    bits_per_element: float  #: codes and scales over elements
    scale_histogram: dict[int, int]  #: floor(log2 scale) to blocks


@dataclasses.dataclass(frozen=True)
class Comparison(Stats):
    """The same for one format and preset of several."""

    format: str
    preset: str


class Side(NamedTuple):
    """What one of two quantizers makes of an element."""

    scale: float  #: of its block
    code: int
    value: float


class Differing(NamedTuple):
    """An element that two quantizers disagree about."""

    at: int  #: counted in row-major order
    input: float
    cause: str  #: the switch that makes this difference alone, or several of them
    a: Side
    b: Side


class Cause(NamedTuple):
    """A switch in which two quantizers differ."""

    switch: str
    elements: int  #: that agree with b if a has only this switch of b


@dataclasses.dataclass(frozen=True)
class Difference:
    """What two quantizers disagree about in an array."""

    elements: int  #: compared
    differing: int
    scales: int  #: elements whose scale differs
    codes: int
    values: int
    causes: list[Cause]  #: those that explain most first
    shown: list[Differing]  #: the first ones


@dataclasses.dataclass(frozen=True)
class Explanation:
    """What became of one number, step by step."""

    input: float
    value: float  #: what it is quantized as
    block: int  #: index of its scale
    amax: float  #: largest finite magnitude of the block
    scale: float
    scale_code: Optional[int]
    tensor_scale: float
    quotient: float  #: the number over its scales
    below: float  #: magnitudes of the codes next to it
    above: float
    tie: bool
    code: int
    code_value: float  #: without scales
    fate: str  #: exact, rounded up, rounded down, clipped, flushed to zero, special
