# SPDX-License-Identifier: Apache-2.0
"""Converts arrays of other libraries to the core's, and results back. Imports only NumPy."""
from __future__ import annotations

import importlib
import sys
from typing import Any

import numpy as np

# The core's element types; its argument `form` is an index into them.
DTYPES = ("float32", "bfloat16", "float16", "float64")


class Source:
    """An array for the core. `bits`: the elements are uint16 bits of bfloat16."""

    __slots__ = ("array", "bits", "library")

    def __init__(self, x: Any) -> None:
        self.bits = False
        self.library = "numpy"
        if type(x) is not np.ndarray:
            x = self._from_others(x)
        if isinstance(x, np.ndarray):
            dtype = x.dtype
            if dtype.name == "bfloat16":  # of ml_dtypes; DLPack and buffers lack it
                x = x.view(np.uint16)
                self.bits = True
            elif not dtype.isnative:
                x = x.astype(dtype.newbyteorder("="))
        self.array = x

    def _from_others(self, x: Any) -> Any:
        root = type(x).__module__.partition(".")[0]
        if isinstance(x, np.ma.MaskedArray):
            raise TypeError("a masked array would lose its mask: x.filled(0.0) has a number for "
                            "every masked element")
        if hasattr(x, "_in_graph"):
            raise TypeError("an mxe.Array is quantized already: pass x.dequantize() for its numbers")
        if is_tensor(x):
            self.library = "torch"
            if type(x).__torch_dispatch__ is not sys.modules["torch"].Tensor.__torch_dispatch__:
                raise TypeError(f"a {type(x).__name__} is not a plain tensor; for an MXTensor, "
                                "pass x.dequantize()")
            if x.device.type != "cpu" or str(x.layout) != "torch.strided":
                raise TypeError("the array must be dense and in the CPU's memory, not "
                                f"{str(x.layout).rpartition('.')[2]} on {x.device.type}")
            if x.is_neg():  # negated on access, which DLPack cannot express
                x = x.resolve_neg()
            return x.detach() if x.requires_grad else x
        if root in ("jax", "jaxlib"):
            self.library = "jax"
            return np.asarray(x)  # a view of the array's memory
        if isinstance(x, np.generic) or hasattr(x, "__array_interface__"):
            return np.asarray(x)
        if hasattr(x, "__dlpack__"):
            self.library = root if hasattr(x, "__array_namespace__") else "numpy"
            return x
        if isinstance(x, (list, tuple, int, float)):
            return _numbers_of(x)
        if hasattr(x, "__array__"):
            return np.asarray(x)
        if hasattr(x, "__buffer__") or isinstance(x, (memoryview, bytearray)) or root == "array":
            return np.asarray(x)
        raise TypeError(f"an array is needed (DLPack, the buffer protocol or a list of numbers), "
                        f"not {type(x).__name__}")

    def numbers(self, name: str) -> Source:
        """Returns self, or raises TypeError with the argument's name for NumPy elements not in DTYPES."""
        dtype = getattr(self.array, "dtype", None)
        if isinstance(dtype, np.dtype) and not self.bits and dtype.name not in DTYPES:
            raise TypeError(f"{name}: the elements must be float32, float64, float16 or bfloat16, "
                            f"but are {dtype.name}")
        return self

    @property
    def dtype(self) -> str:
        """float32, bfloat16, float16 or float64; float32 for others, which the core rejects."""
        if self.bits:
            return "bfloat16"
        name = str(getattr(self.array, "dtype", "float32")).rpartition(".")[2]
        return name if name in DTYPES else "float32"


def _numbers_of(values: Any) -> np.ndarray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)("a list must hold numbers, or lists of equal lengths of them "
                          f"({str(error).partition('. ')[0]})") from None


def is_tensor(x: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def in_graph(*values: Any) -> bool:
    torch = sys.modules.get("torch")
    if torch is None or not torch.is_grad_enabled():
        return False
    return any(value._in_graph if hasattr(value, "_in_graph") else
               is_tensor(value) and value.requires_grad for value in values)


def without_gradient(value: Any, remedy: str) -> Any:
    """A tensor whose backward() raises RuntimeError: no gradient is silently missing."""
    if not is_tensor(value):
        return value
    from ._autograd import refused
    return refused(value, f"this result of mxe has no gradient: {remedy}")


def result(array: np.ndarray, library: str) -> Any:
    if library == "numpy":
        return array
    if library == "torch":
        return sys.modules["torch"].from_numpy(array)
    if library == "jax":
        return sys.modules["jax"].numpy.asarray(array)
    return importlib.import_module(library).from_dlpack(array)


def numbers(array: np.ndarray, form: int, library: str) -> Any:
    """Converts numbers of this `form` as `result` does; bfloat16 arrives as uint16."""
    if form != 1:
        return result(array, library)
    if library == "torch":
        torch = sys.modules["torch"]
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    try:
        from ml_dtypes import bfloat16
    except ImportError:
        raise TypeError("NumPy has no bfloat16 without the package ml_dtypes; use float32") \
            from None
    return result(array.view(bfloat16), library)


def form_of(dtype: Any) -> int:
    name = dtype if isinstance(dtype, str) else getattr(dtype, "name", None)
    if name is None:
        name = getattr(dtype, "__name__", None) or str(dtype)
    name = name.rpartition(".")[2]
    if name not in DTYPES:
        raise ValueError(f"unknown dtype '{name}' (allowed: {', '.join(DTYPES)})")
    return DTYPES.index(name)


def typed(array: np.ndarray, name: str, library: str) -> Any:
    if library == "torch":
        torch = sys.modules["torch"]
        if not hasattr(torch, name):
            raise TypeError(f"torch has no {name}, one a byte")
        return torch.from_numpy(array).view(getattr(torch, name))
    try:
        module = importlib.import_module("ml_dtypes")
    except ImportError:
        raise TypeError("NumPy has no types for codes without the package ml_dtypes") from None
    return result(array.view(getattr(module, name)), library)
