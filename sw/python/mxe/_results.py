# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
from typing import NamedTuple, Optional


@dataclasses.dataclass(frozen=True)
class Stats:
    """The error of quantizing an array, over elements that are finite before and after."""

    elements: int
    blocks: int
    sqnr_db: float  #: 10 log10(sum x^2 / sum (x - q)^2); inf without error, nan without data
    max_error: float  #: of |x - q|
    mean_error: float
    clipped: int  #: finite inputs beyond the largest element times their scale
    flushed: int  #: nonzero inputs that became zero
    nans: int  #: elements quantized to NaN
    nan_scales: int  #: blocks whose scale is NaN
    bits_per_element: float  #: bits of codes and scales, divided by elements
    scale_histogram: dict[int, int]  #: floor(log2 scale) -> number of blocks


@dataclasses.dataclass(frozen=True)
class Comparison(Stats):
    """The error for one format and preset."""

    format: str
    preset: str


class Side(NamedTuple):
    """One quantizer's result for an element."""

    scale: float
    code: int
    value: float


class Differing(NamedTuple):
    """An element for which two quantizers differ."""

    at: int  #: index in row-major order
    input: float
    cause: str  #: the switch that causes the difference alone, or several switches
    a: Side
    b: Side


class Cause(NamedTuple):
    """A switch with different values in two quantizers."""

    switch: str
    elements: int  #: elements that equal b's if a takes over this one switch from b


@dataclasses.dataclass(frozen=True)
class Difference:
    """The differences of two quantizers over an array."""

    elements: int
    differing: int
    scales: int  #: elements whose scale differs
    codes: int
    values: int
    causes: list[Cause]  #: the switch that explains most elements first
    shown: list[Differing]  #: the first differing elements


@dataclasses.dataclass(frozen=True)
class Explanation:
    """How one number was quantized, step by step."""

    input: float
    value: float  #: the quantized value
    block: int  #: index of its scale
    amax: float  #: largest finite magnitude of the block
    scale: float
    scale_code: Optional[int]
    tensor_scale: float
    quotient: float  #: the number divided by its scales
    below: float  #: magnitudes of the neighbouring codes
    above: float
    tie: bool
    code: int
    code_value: float  #: without scales
    fate: str  #: exact, rounded up, rounded down, clipped, flushed to zero, special
