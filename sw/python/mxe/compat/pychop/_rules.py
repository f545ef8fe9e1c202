# SPDX-License-Identifier: Apache-2.0
"""pychop's rule for the elements of single blocks, also of formats that the C++ reference does not have."""
from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np


@dataclasses.dataclass
class Blocks:
    """Elements [blocks, block size], float32, and the scales [blocks] that multiply them, float64."""

    elements: np.ndarray
    scales: np.ndarray

    def values(self, like: np.ndarray) -> np.ndarray:
        """The numbers, of the shape and type of `like`."""
        with np.errstate(all="ignore"):
            numbers = (self.elements * self.scales[:, None]).astype(np.float32)
        found: np.ndarray = numbers.reshape(-1)[:like.size].reshape(like.shape).astype(like.dtype)
        return found


def _largest(spec: Any) -> float:
    """The largest element. Only the formats of these names have codes for NaN or infinity."""
    exponent, significand = 2 ** spec.exp_bits - 1, 2 ** spec.sig_bits - 1
    if spec.name.upper() == "MXFP8_E5M2":
        exponent -= 1
    elif spec.name.upper() == "MXFP8_E4M3":
        significand -= 1
    bias = 2 ** (spec.exp_bits - 1) - 1
    return math.ldexp(1 + significand * 2.0 ** -spec.sig_bits, exponent - bias)


def _integers(x: np.ndarray, spec: Any) -> np.ndarray:
    one, top = 2.0 ** (spec.element_bits - 2), 2.0 ** (spec.element_bits - 1)
    found: np.ndarray = np.clip(np.rint(x * one), -top, top - 1) / one
    return found


def _floats(x: np.ndarray, spec: Any) -> np.ndarray:
    magnitude, largest = np.abs(x), _largest(spec)
    smallest = 2 - 2 ** (spec.exp_bits - 1)  # exponent of normal elements
    exponent = np.maximum(np.frexp(magnitude)[1] - 1, smallest)
    step = np.ldexp(1.0, exponent - spec.sig_bits)
    rounded = np.where(magnitude >= largest, largest, np.minimum(np.rint(magnitude / step) * step, largest))
    return np.where(np.isnan(x), x, np.where(rounded == 0, 0.0, np.copysign(rounded, x)))


def quantized(data: np.ndarray, spec: Any) -> Blocks:
    """Blocks of the array in row-major order, after rounding to float32; zeros fill the last block."""
    with np.errstate(all="ignore"):
        flat = data.astype(np.float32).reshape(-1)
        x = np.pad(flat, (0, -flat.size % spec.block_size)).reshape(-1, spec.block_size)
        bias = 2 ** (spec.scale_exp_bits - 1) - 1
        emax = math.floor(math.log2(_largest(spec))) if spec.exp_bits else 0
        top = np.fmax.reduce(np.abs(x), axis=1)  # NaN only where all are
        exponent = np.clip(np.floor(np.log2(top)) - np.float32(emax), -bias, bias)
        # float64, because callbacks of JAX flush float32's subnormal scales to zero.
        powers = np.ldexp(1.0, np.nan_to_num(exponent).astype(np.int32))
        scales = np.where(np.isnan(exponent), np.nan, powers)
        scaled = (x / scales[:, None]).astype(np.float32).astype(np.float64)
        elements = _floats(scaled, spec) if spec.exp_bits else _integers(scaled, spec)
        elements = np.where(top[:, None] == 0, 0.0, elements)  # also NaN, if all other numbers are 0
        return Blocks(elements.astype(np.float32), scales)
