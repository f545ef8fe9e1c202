# SPDX-License-Identifier: Apache-2.0
"""pychop's front end: formats, tensors, functions for arrays of every library."""
from __future__ import annotations

import dataclasses
import functools
import importlib
import math
import os
import sys
from typing import Any, Optional, Union

import numpy as np

import mxe
from mxe._namespaces import Source, is_tensor

from ._rules import Blocks, quantized

__all__ = ["MX_FORMATS", "MXBlock_", "MXSpec", "MXTensor", "MXTensor_", "backend", "compare_mx_formats",
           "create_mx_spec", "mx_quantize", "print_mx_format_table"]

_BACKENDS = ("numpy", "torch", "jax", "tensorflow")
_LINE = "=" * 100
_VARIABLE = "chop_backend"  # of the environment


@dataclasses.dataclass
class MXSpec:
    """An element format, and the bits of its blocks."""

    name: str
    exp_bits: int  #: 0 for integers
    sig_bits: int
    block_size: int = 32
    scale_exp_bits: int = 8
    scale_sig_bits: int = 0  #: counted in sizes, although scales are always powers of two

    @property
    def element_bits(self) -> int:
        return 1 + self.exp_bits + self.sig_bits

    @property
    def total_bits_per_block(self) -> int:
        return self.element_bits * self.block_size + self.scale_exp_bits + self.scale_sig_bits

    @property
    def compression_vs_fp32(self) -> float:
        return 32 * self.block_size / self.total_bits_per_block

    @property
    def compression_vs_fp16(self) -> float:
        return 16 * self.block_size / self.total_bits_per_block

    def quantizer(self) -> mxe.Quantizer:
        """Raises ValueError for formats that MXE does not have."""
        name = self.name.lower()
        known = MX_FORMATS.get(name)
        if known is None or (known.exp_bits, known.sig_bits) != (self.exp_bits, self.sig_bits):
            name = f"e{self.exp_bits}m{self.sig_bits}" if self.exp_bits else \
                f"int{self.element_bits}"
        return mxe.Quantizer(name, "pychop", block_size=self.block_size,
                             scale_format=f"e{self.scale_exp_bits}m0")

    def __repr__(self) -> str:
        return (f"MXSpec(name='{self.name}', E{self.exp_bits}M{self.sig_bits}, "
                f"block_size={self.block_size})")


MX_FORMATS = {spec.name.lower(): spec for spec in (
    MXSpec("MXFP8_E5M2", 5, 2), MXSpec("MXFP8_E4M3", 4, 3), MXSpec("MXFP6_E3M2", 3, 2),
    MXSpec("MXFP6_E2M3", 2, 3), MXSpec("MXFP4_E2M1", 2, 1), MXSpec("MXINT8", 0, 7))}

FormatLike = Union[str, MXSpec, tuple[int, int]]


def create_mx_spec(exp_bits: int, sig_bits: int, block_size: int = 32, scale_exp_bits: int = 8,
                   name: Optional[str] = None) -> MXSpec:
    """A format with these numbers of bits, without codes for NaN or infinity."""
    own = f"CUSTOM_MX{1 + exp_bits + sig_bits}_E{exp_bits}M{sig_bits}"
    return MXSpec(own if name is None else name, exp_bits, sig_bits, block_size, scale_exp_bits)


def backend(lib: str = "auto", verbose: Union[bool, int] = 0) -> None:
    """Sets the environment variable chop_backend: the library of all results, or auto for that of the input.

    Raises ValueError for other names, ImportError if the library is missing.
    """
    name = _named(lib)
    if name != "auto":
        _imported(name)
    os.environ[_VARIABLE] = name
    if verbose:
        print(f"Load {name} backend.")


def _named(backend: Optional[str]) -> str:
    name = "tensorflow" if backend == "tf" else backend
    if name not in ("auto", *_BACKENDS):
        raise ValueError(f"unknown backend '{backend}' (allowed: auto, {', '.join(_BACKENDS)}, tf)")
    return str(name)


def _imported(backend: str) -> Any:
    try:
        return importlib.import_module(backend)
    except ImportError:
        raise ImportError(f"the backend {backend} is not installed: pip install {backend}") from None


def _backend_of(data: Any, backend: Optional[str]) -> str:
    name = _named(os.environ.get(_VARIABLE, "auto") if backend is None else backend)
    if name != "auto":
        return name
    root = type(data).__module__.partition(".")[0]
    return {"torch": "torch", "jax": "jax", "jaxlib": "jax", "tensorflow": "tensorflow"}.get(
        "torch" if is_tensor(data) else root, "numpy")


def _as_numpy(data: Any) -> Any:
    if is_tensor(data):
        plain = data.detach().cpu()
        return plain.float().numpy() if str(plain.dtype) == "torch.bfloat16" else plain.numpy()
    source = Source(data)
    values: np.ndarray = np.asarray(data if source.bits else source.array)
    return values


def _in_backend(data: Any, backend: str) -> Any:
    """`data` as an array of the backend, which may have been in another library."""
    if backend == "numpy":
        # Arrays of other libraries keep their library unless a backend is requested.
        foreign = type(data).__module__.partition(".")[0] in ("torch", "jax", "jaxlib", "tensorflow")
        return _as_numpy(data) if foreign or is_tensor(data) else data
    library = _imported(backend)
    if backend == "torch":
        return data if is_tensor(data) else library.as_tensor(_as_numpy(data))
    if backend == "jax":
        return importlib.import_module("jax.numpy").asarray(data)
    return library.convert_to_tensor(data)


def _spec_of(format: FormatLike, block_size: int, scale_exp_bits: Optional[int],
             scale_sig_bits: Optional[int], backend: str = "numpy") -> MXSpec:
    if isinstance(format, str):
        if format.lower() not in MX_FORMATS:
            raise ValueError(f"unknown format '{format}' (allowed: {', '.join(MX_FORMATS)})")
        spec = MX_FORMATS[format.lower()]
        if backend not in ("torch", "jax"):  # as in pychop, these keep the format's 32
            spec = dataclasses.replace(spec, block_size=block_size)
    elif isinstance(format, tuple):
        if len(format) != 2 or not all(isinstance(bits, int) for bits in format):
            raise ValueError(f"a pair (exponent bits, significand bits) is needed, not {format!r}")
        spec = create_mx_spec(*format, block_size)
    elif isinstance(format, MXSpec):
        spec = format
    else:
        raise TypeError(f"a format is a name, a pair (exponent bits, significand bits) or an "
                        f"MXSpec, not {type(format).__name__}")
    if not 0 <= spec.exp_bits <= 10 or not (spec.exp_bits == 0) <= spec.sig_bits <= 52:
        raise ValueError(f"{spec.exp_bits} exponent and {spec.sig_bits} significand bits are no format (allowed: 0 to "
                         "10 and 0 to 52, at least one of them)")
    given: dict[str, Any] = {"scale_exp_bits": scale_exp_bits,
                             "scale_sig_bits": scale_sig_bits}
    return dataclasses.replace(spec, **{name: value for name, value in given.items()
                                        if value is not None})


def _title(format: FormatLike) -> str:
    if isinstance(format, tuple):
        return f"E{format[0]}M{format[1]}"
    return format if isinstance(format, str) else format.name


def _in_core(spec: MXSpec) -> bool:
    """True if the C++ reference has the elements. Raises ValueError for other reasons."""
    try:
        spec.quantizer()
    except ValueError:
        plain = dataclasses.replace(spec, exp_bits=2, sig_bits=1, name="")
        plain.quantizer()  # block size and scale
        return False
    return True


class MXBlock_:  # noqa: N801 - a name of pychop
    """One block: `size` elements [size] and the scale that multiplies them."""

    shared_scale: float
    quantized_elements: np.ndarray

    def __init__(self, data: Any, spec: MXSpec, scale_exp_bits: Optional[int] = None,
                 scale_sig_bits: Optional[int] = None) -> None:
        values = np.asarray(data)
        if values.ndim != 1 or values.size == 0:
            raise ValueError(f"a block has one axis with elements, not {list(values.shape)}")
        whole = MXTensor_(values, dataclasses.replace(spec, block_size=values.size), values.size,
                          scale_exp_bits, scale_sig_bits)
        self._set(spec, whole.spec, whole._parts(), 0)

    def _set(self, spec: MXSpec, used: MXSpec, parts: Blocks, at: int) -> MXBlock_:
        self.spec, self.size = spec, used.block_size
        self.scale_exp_bits, self.scale_sig_bits = used.scale_exp_bits, used.scale_sig_bits
        self.shared_scale = float(parts.scales[at])
        self.quantized_elements = parts.elements[at]
        return self

    def dequantize(self) -> np.ndarray:
        """The numbers, [size], float32."""
        numbers: np.ndarray = self.quantized_elements * np.float32(self.shared_scale)
        return numbers

    def statistics(self) -> dict[str, Any]:
        scale = self.shared_scale
        return {"size": self.size, "shared_scale": scale,
                "shared_scale_exp": math.log2(scale) if scale > 0 else 0,
                "element_range": (self.quantized_elements.min(), self.quantized_elements.max()),
                "bits_per_element": self.spec.element_bits,
                "total_bits": self.spec.element_bits * self.size + self.scale_exp_bits +
                self.scale_sig_bits}


class MXTensor_:  # noqa: N801 - a name of pychop
    """An array with blocks that run over it in row-major order.

    data: rounded to float32 first. backend: library of the results, default: that of the data. Raises
    ValueError for unknown formats and backends, TypeError for other elements.
    """

    def __init__(self, data: Any, format: FormatLike = "mxfp8_e4m3", block_size: int = 32,
                 scale_exp_bits: Optional[int] = None, scale_sig_bits: Optional[int] = None,
                 backend: Optional[str] = None) -> None:
        self.backend = _backend_of(data, backend)
        self.spec = _spec_of(format, block_size, scale_exp_bits, scale_sig_bits, self.backend)
        self.scale_exp_bits, self.scale_sig_bits = self.spec.scale_exp_bits, \
            self.spec.scale_sig_bits
        self._data = _in_backend(data, self.backend)
        # Unlike codes, these keep NaNs of the input.
        self._values = _quantized(self._data, self.spec, self.backend)
        self.original_shape = self._values.shape
        if self.backend == "torch":
            self.device, self.dtype = self._values.device, self._values.dtype

    @functools.cached_property
    def array(self) -> mxe.Array:
        """Codes and scales. Raises ValueError for formats that MXE does not have."""
        data = _as_numpy(self._data) if self.backend == "tensorflow" else self._data
        return mxe.quantize(data, self.spec.quantizer())

    def _parts(self) -> Blocks:
        return quantized(np.asarray(_as_numpy(self._data)), self.spec)

    @functools.cached_property
    def blocks(self) -> list[MXBlock_]:
        """The blocks, the last one with zeros behind the data."""
        parts = self._parts()
        return [MXBlock_.__new__(MXBlock_)._set(self.spec, self.spec, parts, at)
                for at in range(len(parts.scales))]

    def dequantize(self) -> Any:
        """The numbers, of the shape and type of the data."""
        return self._values

    def statistics(self) -> dict[str, Any]:
        elements = math.prod(self.original_shape)
        blocks = -(-elements // self.spec.block_size)
        bits = blocks * self.spec.total_bits_per_block
        return {"format": self.spec.name, "exp_bits": self.spec.exp_bits,
                "sig_bits": self.spec.sig_bits, "block_size": self.spec.block_size,
                "scale_exp_bits": self.spec.scale_exp_bits, "original_shape": self.original_shape,
                "num_blocks": blocks, "total_elements": elements,
                "compression_ratio_fp32": elements * 32 / bits if bits else math.nan,
                "compression_ratio_fp16": elements * 16 / bits if bits else math.nan,
                "bits_per_element": bits / elements if elements else math.nan}

    def __repr__(self) -> str:
        said = (f"MXTensor_(backend={self.backend}, shape={self.original_shape}, "
                f"format={self.spec.name}")
        if self.backend != "numpy":
            return said + (f", device={self.device})" if self.backend == "torch" else ")")
        stats = self.statistics()
        return said + (f", blocks={stats['num_blocks']}, "
                       f"compression={stats['compression_ratio_fp16']:.2f}x vs FP16)")


class MXTensor(MXTensor_):
    """MXTensor_ under the name of pychop's front end."""

    def __repr__(self) -> str:
        return f"MXTensor(backend={self.backend}, impl={super().__repr__()})"


def _quantized(data: Any, spec: MXSpec, backend: str) -> Any:
    """The dequantized numbers, in the library of `data`; gradients pass through unchanged."""
    known = _in_core(spec)
    if backend == "numpy" and known:
        return mxe.fake_quantize(data, spec.quantizer())
    if backend == "torch" and known:
        return mxe.fake_quantize(data, spec.quantizer())
    if backend == "jax" and known:
        return importlib.import_module("mxe.jax").fake_quantize(data, spec.quantizer())

    def numbers(values: Any) -> Any:
        plain = np.asarray(values)
        if known:
            return mxe.fake_quantize(plain, spec.quantizer())
        Source(plain).numbers("data")
        return quantized(plain, spec).values(plain)

    if backend == "numpy":
        return numbers(_as_numpy(data))
    if backend == "torch":
        torch = sys.modules["torch"]
        found = torch.from_numpy(numbers(_as_numpy(data))).to(data.dtype)
        if not (data.requires_grad and torch.is_grad_enabled()):
            return found
        return importlib.import_module("mxe._autograd").straight_through(data, found)
    if backend == "jax":
        return importlib.import_module("mxe.compat.pychop._jax").straight_through(data, numbers)
    return _in_tensorflow(data, numbers)


def _in_tensorflow(data: Any, numbers: Any) -> Any:
    tensorflow = sys.modules["tensorflow"]

    @tensorflow.custom_gradient
    def straight_through(x: Any) -> Any:
        found = tensorflow.numpy_function(numbers, [x], x.dtype)
        found.set_shape(x.shape)
        return found, lambda gradient: gradient

    return straight_through(data)


def mx_quantize(data: Any, format: FormatLike = "mxfp8_e4m3", block_size: int = 32,
                scale_exp_bits: Optional[int] = None, scale_sig_bits: Optional[int] = None,
                backend: Optional[str] = None) -> Any:
    """The dequantized numbers of an array, with straight-through gradients in PyTorch, JAX and TensorFlow.

    Arguments and exceptions as in MXTensor_. Tracers of jax.jit and jax.grad are arrays, too.
    """
    library = _backend_of(data, backend)
    spec = _spec_of(format, block_size, scale_exp_bits, scale_sig_bits, library)
    return _quantized(_in_backend(data, library), spec, library)


def compare_mx_formats(data: Any, formats: Optional[list[str]] = None, block_size: int = 32) -> None:
    """Prints compression and errors of formats (default: all) for an array."""
    _named(os.environ.get(_VARIABLE, "auto"))
    values = _as_numpy(data)
    print(_LINE, "MX Format Comparison (NumPy Backend)", _LINE,
          f"Input shape: {values.shape}, Total elements: {values.size:,}", _LINE,
          f"{'Format':<15} {'Element':<10} {'Block':<8} {'Compress':<12} {'MSE':<12} {'MAE':<12}",
          "-" * 100, sep="\n")
    for name in list(MX_FORMATS) if formats is None else formats:
        try:
            made = MXTensor_(values, name, block_size, backend="numpy")
        except (TypeError, ValueError) as error:
            print(f"{name:<15} ERROR: {error}")
            continue
        with np.errstate(all="ignore"):
            errors = values - made.dequantize()
            squares, magnitudes = np.mean(errors ** 2), np.mean(np.abs(errors))
        stats = made.statistics()
        element = f"E{made.spec.exp_bits}M{made.spec.sig_bits}"
        print(f"{made.spec.name:<15} {element:<10} {made.spec.block_size:<8} "
              f"{stats['compression_ratio_fp16']:.2f}x{'':>8} {squares:.2e}{'':>6} {magnitudes:.2e}")
    print(_LINE)


def print_mx_format_table() -> None:
    """Prints the table of the six formats."""
    print(_LINE, "OCP Microscaling (MX) Formats", _LINE,
          f"{'Name':<15} {'Element':<12} {'Block':<8} {'Scale':<10} {'Compress FP16':<15} {'Total Bits':<12}",
          "-" * 100, sep="\n")
    for spec in MX_FORMATS.values():
        element = f"E{spec.exp_bits}M{spec.sig_bits}"
        print(f"{spec.name:<15} {element:<12} {spec.block_size:<8} {spec.scale_exp_bits}b{'':>6} "
              f"{spec.compression_vs_fp16:.2f}x{'':>11} {spec.total_bits_per_block}")
    print(_LINE)
