# SPDX-License-Identifier: Apache-2.0
"""Matrix products of the examples' networks."""
from __future__ import annotations

import json
import os
from typing import Any, NamedTuple, Optional, Union

# For products of this size one thread is fastest.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import mxe

Floats = np.ndarray[Any, np.dtype[np.float32]]
_TYPES = {"F32": "<f4", "F16": "<f2"}


def safetensors(path: Union[str, os.PathLike[str]]) -> dict[str, Floats]:
    with open(path, "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
        data = file.read()
    return {name: np.frombuffer(data[slice(*one["data_offsets"])], _TYPES[one["dtype"]])
            .astype(np.float32, copy=False).reshape(one["shape"])
            for name, one in header.items() if one.get("dtype") in _TYPES}


class Mix(NamedTuple):
    weights: str
    activations: str

    def __str__(self) -> str:
        if self.weights == self.activations:
            return self.weights
        return f"{self.activations} x {self.weights}"


# Every format with itself, then combinations with narrower weights.
MIXES = (*(Mix(name, name) for name in ("mxint8", "mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3",
                                        "mxfp6_e3m2", "mxfp4_e2m1", "mxfp4_e1m2", "nvfp4")),
         Mix("mxfp4_e2m1", "mxfp8_e4m3"), Mix("mxfp4_e2m1", "mxfp6_e2m3"),
         Mix("mxfp6_e2m3", "mxint8"))
# Without NVFP4, whose scale needs all of a tensor at once.
MX_MIXES = tuple(mix for mix in MIXES if mix.weights != "nvfp4")


class Products:
    """Products by NumPy in float32 (`mix` None), or in MX formats on the reference or an engine. Keeps weights."""

    def __init__(self, mix: Optional[Mix] = None, on: Union[str, mxe.Engine] = "golden") -> None:
        self.mix = mix
        self.on = on
        self._weights: dict[str, mxe.Array] = {}

    def linear(self, name: str, x: Floats, weight: Floats, bias: Optional[Floats] = None) -> Floats:
        """x [..., K] @ weight [N, K] transposed + bias [N]."""
        if self.mix is None:
            return self._float(x, weight.T, bias)
        if name not in self._weights:
            self._weights[name] = mxe.quantize(weight, self.mix.weights)
        return self._quantized(name, x, self._weights[name], True, bias,
                               lambda: self._float(x, weight.T, bias))

    def matmul(self, name: str, a: Floats, b: Floats) -> Floats:
        """a [..., M, K] @ b [..., K, N] of activations."""
        if self.mix is None:
            return self._float(a, b)
        quantized = mxe.quantize(b, self.mix.activations, axis=-2, threads=1)
        return self._quantized(name, a, quantized, False, None, lambda: self._float(a, b))

    def kept(self, name: str, a: Floats, b: mxe.Array, transpose_b: bool) -> Floats:
        """a [..., M, K] @ b, already quantized; [..., N, K] with `transpose_b`."""
        def exact() -> Floats:
            values = b.dequantize()
            return self._float(a, values.swapaxes(-1, -2) if transpose_b else values)
        return self._quantized(name, a, b, transpose_b, None, exact)

    def _quantized(self, name: str, a: Floats, b: mxe.Array, transpose_b: bool,
                   bias: Optional[Floats], exact: Any) -> Floats:
        assert self.mix is not None
        if not isinstance(self.on, mxe.Engine):
            golden: Floats = mxe.matmul(a, b, self.mix.activations, bias=bias,
                                        transpose_b=transpose_b, threads=1, on=self.on)
            return golden
        with mxe.layer(name):
            simulated: Floats = self.on.matmul(a, b, self.mix.activations, bias=bias,
                                               transpose_b=transpose_b, threads=1,
                                               reference=exact).value
        return simulated

    @staticmethod
    def _float(a: Floats, b: Floats, bias: Optional[Floats] = None) -> Floats:
        product: Floats = a @ b
        return product if bias is None else product + bias
