# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import html
import json
import os
from collections.abc import Mapping
from typing import Any, Optional, Union

import numpy as np

from . import _core
from ._names import PresetLike, ScaleFormatLike
from ._namespaces import Source, form_of, in_graph, is_tensor, numbers, result, typed, without_gradient
from ._quantizer import FormatLike, Quantizer, as_number, resolve
from ._requests import whole
from ._results import Stats

# Types of ml_dtypes and torch for the codes of formats and scales.
_TYPES = {"mxfp8_e4m3": "float8_e4m3fn", "mxfp8_e5m2": "float8_e5m2",
          "mxfp6_e2m3": "float6_e2m3fn", "mxfp6_e3m2": "float6_e3m2fn",
          "mxfp4_e2m1": "float4_e2m1fn", "nvfp4": "float4_e2m1fn",
          "e8m0": "float8_e8m0fnu", "e4m3": "float8_e4m3fn"}


class Array:
    """Element codes and block scales, as `mxe.quantize` returns them: views of this object's memory, in the
    library of the input. Source: model/numerics/quantize/quantize.h."""

    __slots__ = ("__weakref__", "_core", "_in_graph", "_library")
    # numpy_array @ Array and numpy_array == Array call the methods of Array.
    __array_priority__ = 1000
    __hash__ = object.__hash__

    def __init__(self, core: Any, library: str = "numpy", graph: bool = False) -> None:
        self._core = core
        self._library = library
        self._in_graph = graph  # the quantized tensor requires a gradient

    @classmethod
    def from_codes(cls, codes: Any, scales: Any, format: Union[FormatLike, Quantizer],
                   preset: PresetLike = "ocp", *, axis: int = -1, block: Optional[int] = None,
                   scale_format: Optional[ScaleFormatLike] = None, tensor_scale: Optional[float] = None,
                   tensor_amax: Optional[float] = None, row_amaxes: Any = None,
                   packed: Optional[str] = None, length: int = 0,
                   block_size: Optional[int] = None) -> Array:
        """An Array from copies of codes and scales.

        codes: [shape], uint8 (or a type of ml_dtypes or torch with one code per byte), or uint16 for
            formats of more than 8 bits. With `packed` "low" or "high": packed along the last axis,
            which has `length` elements (0: as many as the bytes hold).
        scales: uint8 codes or float32 numbers, [shape] with the blocked axis replaced by its number of blocks.
        tensor_scale, tensor_amax: one of them for presets with a tensor scale (nvfp4);
            tensor_amax for nvfp4-te. row_amaxes: for presets with a scale for every row.

        Raises ValueError if shapes do not match, a code is too large, a scale of format e4m3 or e5m3 is NaN, or the
        tensor scale is missing, not finite or not positive. Source: model/numerics/quantize/assemble.h.
        """
        quantizer = resolve(format, preset, block, scale_format, block_size=block_size)
        source = Source(codes)
        plain: Any = source.array
        if packed is not None:
            plain = _core.unpack(_bytes("codes", plain), quantizer.bits, packed, length)
        core = _from_parts(plain, Source(scales).array, quantizer, axis, tensor_scale, tensor_amax,
                           row_amaxes, False)
        return cls(core, source.library)

    @property
    def codes(self) -> Any:
        """Element codes [shape]: uint8, one a byte, or uint16 for formats of more than 8 bits."""
        return result(self._core.codes, self._library)

    @property
    def scales(self) -> Any:
        """Scale codes, uint8, or float32 numbers for presets whose scales have no code: [shape] with the blocked
        axis replaced by its number of blocks; [blocks] if blocks straddle rows."""
        return result(self._core.scales, self._library)

    @property
    def scale_values(self) -> Any:
        """The scales as float32 numbers, of the same shape as `scales`."""
        return result(self._core.scale_values, self._library)

    @property
    def tensor_scale(self) -> float:
        """The factor of the whole array for presets with a tensor scale; else 1. For nvfp4-compressed-tensors the
        divisor g."""
        value: float = self._core.tensor_scale
        return value

    @property
    def tensor_amax(self) -> float:
        """The magnitude from which the tensor scale was computed, or that it implies; else 1."""
        value: float = self._core.tensor_amax
        return value

    @property
    def row_amaxes(self) -> Any:
        """The largest magnitude of every row, [shape] without the blocked axis; None without row scales."""
        rows = self._core.row_amaxes
        return None if rows is None else result(rows, self._library)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array that was quantized."""
        value: tuple[int, ...] = self._core.shape
        return value

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.shape)

    @property
    def dtype(self) -> Any:
        """The type of `dequantize()`: float32 of NumPy, or of torch for tensors."""
        return _torch().float32 if self._library == "torch" else np.dtype(np.float32)

    @property
    def axis(self) -> int:
        """The axis that blocks run along, counted from 0."""
        value: int = self._core.axis
        return value

    @property
    def block(self) -> int:
        """The number of elements that share a scale."""
        value: int = self._core.block
        return value

    @property
    def block_size(self) -> int:
        """The same as `block`."""
        return self.block

    @property
    def format(self) -> str:
        """The name of the element format."""
        value: str = self._core.quantizer.format
        return value

    @property
    def preset(self) -> str:
        """The name of the preset."""
        value: str = self._core.quantizer.preset
        return value

    @property
    def scale_format(self) -> str:
        """The type of `scales`: codes of e8m0, e4m3, ..., or float32."""
        value: str = self._core.scale_format
        return value

    @property
    def quantizer(self) -> Quantizer:
        """The quantizer that made the array."""
        core = self._core.quantizer
        return Quantizer(core.format, core.preset, **core.changes)

    def dequantize(self, dtype: Any = "float32", *, threads: Optional[int] = None) -> Any:
        """The numbers that codes and scales represent, [shape].

        dtype: float32, float64, or bfloat16 and float16, both rounded to nearest even.
        """
        form = form_of(dtype)
        values = numbers(self._core.dequantize(form, _threads(threads)), form, self._library)
        if not in_graph(self):
            return values
        return without_gradient(values, "quantize x.detach(), or use mxe.fake_quantize or "
                                "mxe.torch.quantize, which have one")

    def pack(self, order: str = "low") -> Any:
        """The codes packed along the last axis, uint8 [..., ceil(length * bits / 8)].

        order: "low": first element in the low bits (the engine, torchao, ModelOpt, Transformer
        Engine); "high": in the high nibble (4 bits only: torchmx, older torchao). Unused bits are 0.
        Raises ValueError for other orders and codes above 8 bits. Source: model/numerics/formats/layout.h.
        """
        return result(self._core.pack(order), self._library)

    def scales_swizzled(self, layout: str = "32x4x4") -> Any:
        """Scale codes in the layout of cuBLAS and tcgen05, uint8 [bytes].

        All axes before the last are rows. Rows are padded with zeros to a multiple of 128, blocks
        to a multiple of 4: 130 rows of 5 blocks take 256 * 8 bytes. Raises ValueError unless blocks
        run along the last axis and scales have codes. Source: model/numerics/formats/layout.h.
        """
        if layout != "32x4x4":
            raise ValueError(f"unknown layout '{layout}' (allowed: 32x4x4)")
        return result(self._core.scales_swizzled(), self._library)

    def typed(self) -> tuple[Any, Any]:
        """Codes and scale codes, not copied, with types of ml_dtypes (of torch for tensors):
        float8_e4m3fn, float4_e2m1fn (one per byte), int8 for mxint8, float8_e8m0fnu, ... Raises TypeError for formats
        without a type, and if ml_dtypes is needed and missing."""
        def one(array: np.ndarray, name: str) -> Any:
            if name not in _TYPES:
                raise TypeError(f"ml_dtypes has no type for the codes of {name}")
            return typed(array, _TYPES[name], self._library)

        format = _core.format_info(self.format)["name"]
        if format == "mxint8":
            return result(self._core.codes.view(np.int8), self._library), \
                one(self._core.scales, self.scale_format)
        return one(self._core.codes, format), one(self._core.scales, self.scale_format)

    def stats(self, x: Any) -> Stats:
        """The error of quantizing `x` to this array: `mxe quantize --stats`.

        Raises ValueError if x is not the quantized array. Source: model/numerics/quantize/study.h.
        """
        source = Source(x).numbers("x")
        core = self._core
        return Stats(**_core.stats(source.array, source.bits, core.quantizer, core.axis, core,
                                   _threads(None)))

    def save(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes a .safetensors file for `mxe.load`, `mxe dequantize` and other programs."""
        save(path, self)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> np.ndarray:
        """The numbers, as `dequantize()`: np.asarray(q) is a new float32 array."""
        if copy is False:
            raise ValueError("the numbers of an mxe.Array are computed, so they are a new array "
                             "(allowed: copy=None, copy=True)")
        values: np.ndarray = self._core.dequantize(0, _threads(None))
        return values if dtype is None else values.astype(dtype, copy=False)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an Array without axes has no len()")
        return self.shape[0]

    def __getitem__(self, key: Any) -> Array:
        """An Array of copies of the codes and scales that whole numbers and slices select, as in NumPy.

        The blocked axis takes slices that begin and end at blocks. Raises ValueError for others and for blocks
        that do not run along one axis, TypeError for masks, lists and None.
        """
        return _selected(self, key)

    def __eq__(self, other: object) -> Any:
        """Compares numbers, element by element, as arrays of NumPy do; with another Array, the numbers of both."""
        return self.dequantize() == (other.dequantize() if isinstance(other, Array) else other)

    def __ne__(self, other: object) -> Any:
        return self.dequantize() != (other.dequantize() if isinstance(other, Array) else other)

    def __matmul__(self, other: Any) -> Any:
        """mxe.matmul(self, other) of two Arrays."""
        return _product(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return _product(other, self)

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        rows = {"shape": " x ".join(map(str, self.shape)) or "one number", "format": self.format,
                "preset": self.preset, "block": f"{self.block} elements along axis {self.axis}",
                "scales": f"{self.scale_format}, {self._core.scales.size}"}
        if self.tensor_scale != 1:
            rows["tensor scale"] = f"{self.tensor_scale:g}"
        cells = "".join(f"<tr><th>{name}</th><td>{html.escape(str(text))}</td></tr>"
                        for name, text in rows.items())
        return f"<table><caption>mxe.Array</caption>{cells}</table>"

    def __repr__(self) -> str:
        return (f"mxe.Array(shape={list(self.shape)}, format={self.format!r}, "
                f"preset={self.preset!r}, axis={self.axis})")

    def __reduce__(self) -> tuple[Any, ...]:
        core = self._core
        rows = core.row_amaxes
        return stored_array, (np.array(core.codes), np.array(core.scales), self.quantizer,
                              self.axis, core.tensor_scale, core.tensor_amax,
                              None if rows is None else np.array(rows))


def _product(a: Any, b: Any) -> Any:
    for one in (a, b):
        if not isinstance(one, Array):
            raise TypeError(f"@ multiplies two mxe.Arrays, and one operand is of type {type(one).__name__}: "
                            "mxe.matmul(a, b, format_a, format_b) also quantizes numbers")
    from . import matmul
    return matmul(a, b)


def _selected(array: Array, key: Any) -> Array:
    keys = list(key) if isinstance(key, tuple) else [key]
    for one in keys:
        if isinstance(one, (bool, np.bool_)) or not (one is Ellipsis or isinstance(
                one, (slice, int, np.integer))):
            raise TypeError(f"an index of an mxe.Array is a whole number, a slice or ..., not "
                            f"{type(one).__name__}: dequantize() first")
    switches = array._core.quantizer.switches
    if switches["walk"] == "flat" or switches["row_scaled"] or switches["block_rows"] != 1:
        raise ValueError(f"{array!r} has no slices: its blocks do not run along one axis, or its rows have scales of "
                         "their own (allowed: slices of dequantize())")
    if keys.count(Ellipsis) > 1 or len(keys) - keys.count(Ellipsis) > array.ndim:
        raise IndexError(f"{len(keys)} indices of an array with {array.ndim} axes")
    at = keys.index(Ellipsis) if Ellipsis in keys else len(keys)
    rest = keys[at + 1:]
    keys = keys[:at] + [slice(None)] * (array.ndim - at - len(rest)) + rest
    axis, block = array.axis, array.block
    along = keys[axis]
    if not isinstance(along, slice):
        raise ValueError(f"one element of a block of {array!r} is no block (allowed: slices of whole blocks, "
                         "dequantize()[...])")
    first, last, step = along.indices(array.shape[axis])
    if step != 1 or first % block or (last % block and last != array.shape[axis]):
        raise ValueError(f"[{first}:{last}:{step}] cuts blocks of {block} of {array!r} apart (allowed: slices of "
                         "whole blocks, dequantize()[...])")
    core = array._core
    codes = core.codes[tuple(keys)]
    keys[axis] = slice(first // block, -(-last // block))
    made = _from_parts(codes, core.scales[tuple(keys)], core.quantizer,
                       axis - sum(not isinstance(one, slice) for one in keys[:axis]),
                       core.tensor_scale, core.tensor_amax, None, True)
    return Array(made, array._library, array._in_graph)


def _from_parts(codes: Any, scales: Any, quantizer: Any, axis: int, tensor_scale: Optional[float],
                tensor_amax: Optional[float], row_amaxes: Any, is_stored: bool) -> Any:
    """`is_stored`: the tensor scale comes from `mxe.quantize` and may be NaN, Inf or 0."""
    codes, scales = _bytes("codes", codes), _bytes("scales", scales)
    wide = codes.dtype == np.uint16
    coded = scales.dtype == np.uint8
    codes = np.ascontiguousarray(codes)
    scales = np.ascontiguousarray(scales if coded else scales.astype(np.float32, copy=False))
    rows = None if row_amaxes is None else [float(v) for v in np.ravel(np.asarray(row_amaxes))]
    scale, amax = (None if value is None else as_number(name, value) for name, value in (
        ("tensor_scale", tensor_scale), ("tensor_amax", tensor_amax)))
    return _core.from_parts(None if wide else codes, codes if wide else None,
                            scales if coded else None, None if coded else scales, quantizer, axis,
                            scale, amax, rows, is_stored)


def stored_array(codes: Any, scales: Any, quantizer: Quantizer, axis: int, tensor_scale: float,
                 tensor_amax: float, row_amaxes: Any) -> Array:
    source = Source(codes)
    return Array(_from_parts(source.array, Source(scales).array, quantizer._core, axis,
                             tensor_scale, tensor_amax, row_amaxes, True), source.library)


def _threads(threads: Optional[int]) -> int:
    if threads is None:
        return _core.hardware_threads
    if not 1 <= whole("threads", threads) <= 1024:
        raise ValueError(f"threads cannot be {threads} (allowed: 1 to 1024)")
    return threads


def _bytes(name: str, array: Any) -> Any:
    """Codes as uint8 or uint16, scales as uint8 or floats. Raises TypeError for other types."""
    if not isinstance(array, np.ndarray):
        if is_tensor(array) and array.element_size() == 1:
            array = array.view(_torch().uint8)
        array = np.from_dlpack(array)
    if array.dtype.itemsize == 1 and array.dtype.kind not in "bS" and array.dtype != np.uint8:
        array = array.view(np.uint8)
    codes = name == "codes"
    if array.dtype != np.uint8 and not (array.dtype == np.uint16 if codes else
                                        array.dtype.kind == "f"):
        raise TypeError(f"{name} must be {'uint8 or uint16' if codes else 'uint8 or float32'}, not "
                        f"{array.dtype.name}")
    return array


def _torch() -> Any:
    import torch
    return torch


def save(path: Union[str, os.PathLike[str]], arrays: Union[Array, Mapping[str, Array]]) -> None:
    """Writes an array, or several with names, to a .safetensors file.

    One array becomes the tensors `elements` and `scales`, as in `mxe quantize`, with `tensor_scale`
    and `tensor_amax`, or `row_amax`, for presets that have them; named ones are NAME.elements and so
    on. Codes are F8_E4M3, F8_E5M2, F4 or I8, scales F8_E8M0; U8, U16 and F32 if safetensors has no
    such type, or for an odd last axis of F4. Metadata describe format, preset and axis. Raises
    ValueError if the file cannot be written.
    """
    if not isinstance(arrays, (Array, Mapping)):
        raise TypeError(f"arrays must be an mxe.Array or a dictionary of them, not {type(arrays).__name__}")
    named = {"": arrays} if isinstance(arrays, Array) else {f"{name}.": array
                                                            for name, array in arrays.items()}
    for prefix, array in named.items():
        if not isinstance(array, Array):
            raise TypeError(f"'{prefix[:-1]}' must be an mxe.Array, not {type(array).__name__}")
    metadata = {}
    for prefix, array in named.items():
        metadata[prefix + "mxe"] = json.dumps(description_of(array), sort_keys=True)
    _core.save(os.fspath(path), {prefix: array._core for prefix, array in named.items()}, metadata)


def description_of(array: Array) -> dict[str, Any]:
    """The metadata that describe the codes and scales of an array in a file."""
    core = array._core
    return {"format": array.format, "preset": array.preset, "axis": array.axis,
            "tensor_scale": core.tensor_scale, "tensor_amax": core.tensor_amax,
            "switches": dict(core.quantizer.changes)}


def load(path: Union[str, os.PathLike[str]],
         format: Union[FormatLike, Quantizer, None] = None, preset: PresetLike = "ocp", *,
         axis: int = -1, tensor_scale: Optional[float] = None,
         tensor_amax: Optional[float] = None) -> Union[Array, dict[str, Array]]:
    """Reads a file of `mxe.save`: one array, or a dictionary of named arrays. From a checkpoint of another system, a
    dictionary with the weight of every quantized layer, [N, K] or [experts, N, K] (`mxe.load_layer` reads one).

    Files of other programs (and `mxe quantize`) with the tensors `elements` and `scales` have no
    metadata: pass `format`, `preset` and `axis`. tensor_scale, tensor_amax: equal to the file's, if it has them.

    Raises ValueError for damaged files, for a missing `format` without metadata, if the tensor scale is neither in
    the file nor passed, and if a layer of a checkpoint cannot be read; TypeError if `elements` are no codes, or
    `scales` neither codes nor float32.
    """
    name = os.fspath(path)
    if format is None:
        layers = _core.load_layers(name)
        if layers:
            return {layer: Array(weight) for layer, weight in layers}
    tensors, metadata = _core.load(name)

    def said_by(prefix: str) -> Any:
        try:
            return json.loads(metadata[prefix + "mxe"])
        except json.JSONDecodeError:
            raise ValueError(f"{name}: its metadata '{prefix}mxe' are damaged") from None

    def stored(prefix: str, which: str) -> Optional[float]:
        tensor = tensors.get(prefix + which)
        if tensor is not None:
            if tensor.size != 1:
                raise ValueError(f"{name}: tensor '{prefix}{which}' must have one element, but is "
                                 f"{list(tensor.shape)}")
            return float(tensor.reshape(())[()])
        said = said_by(prefix) if prefix + "mxe" in metadata else {}
        number = said.get(which) if isinstance(said, dict) else None
        return float(number) if isinstance(number, (int, float)) else None

    def rebuilt(prefix: str, quantizer: Any, axis: int, given: Mapping[str, Optional[float]]) \
            -> Array:
        missing = [part for part in ("elements", "scales") if tensors.get(prefix + part) is None]
        if missing:
            raise ValueError(f"{name}: there is no tensor '{prefix}{missing[0]}'")
        whole = {which: stored(prefix, which) for which in given}
        for which, number in given.items():
            if None not in (number, whole[which]) and number != whole[which]:
                raise ValueError(f"{which} {number} is not what {name} holds: {whole[which]}")
        by_file = all(number is None for number in given.values())
        numbers = whole if by_file else given
        return Array(_from_parts(tensors[prefix + "elements"], tensors[prefix + "scales"], quantizer,
                                 axis, numbers["tensor_scale"], numbers["tensor_amax"],
                                 tensors.get(prefix + "row_amax"), by_file))

    def stored_quantizer(prefix: str) -> tuple[Quantizer, int]:
        said = said_by(prefix)
        try:
            switches = {switch: tuple(value) if isinstance(value, list) else value
                        for switch, value in said["switches"].items()}
            return Quantizer(said["format"], said["preset"], **switches), said["axis"]
        except (KeyError, TypeError, AttributeError):
            raise ValueError(f"{name}: its metadata '{prefix}mxe' are damaged") from None

    given = {"tensor_scale": tensor_scale, "tensor_amax": tensor_amax}
    if format is not None:
        core = resolve(format, preset)
        if "mxe" in metadata and not core.same(stored_quantizer("")[0]._core):
            raise ValueError(f"{name}: its codes are of {stored_quantizer('')[0]!r}, not of "
                             f"{core.format} {core.preset}")
        return rebuilt("", core, axis, given)
    arrays = {}
    for key in metadata:
        if key != "mxe" and not key.endswith(".mxe"):
            continue
        prefix = key[:-len("mxe")]
        quantizer, along = stored_quantizer(prefix)
        arrays[prefix] = rebuilt(prefix, quantizer._core, along, given)
    if not arrays:
        raise ValueError(f"{name}: no metadata describe its codes: format is needed")
    if "" in arrays:
        return arrays[""]
    return {prefix[:-1]: array for prefix, array in arrays.items()}
