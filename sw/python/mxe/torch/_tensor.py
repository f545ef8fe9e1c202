# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from typing import Any, Optional, Union

import torch
from torch import Tensor

import mxe
from mxe import Quantizer
from mxe._names import PresetLike
from mxe._quantizer import FormatLike

from . import _operators as operators
from ._arrays import array_of, parts_of
from ._text import quantizer_of, text_of

PRODUCTS = ("golden", "torch")


class _ToMX(torch.autograd.Function):
    """Quantizing, with the straight-through gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, cls: type[MXTensor], quantizer: str, axis: int,
                on: str) -> MXTensor:
        codes, scales, whole = operators.quantize(x, quantizer, axis)
        return cls(codes, scales, whole, quantizer, axis, x.dtype, on)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        return gradients[0], None, None, None, None


class _Dequantize(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: MXTensor, dtype: torch.dtype) -> Tensor:
        ctx.dtype = x.dtype
        return x._values(dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        return gradients[0].to(ctx.dtype), None


class MXTensor(Tensor):
    """Element codes and block scales with the interface of the tensor they were quantized from.

    Products (mm, addmm, bmm, linear, matmul of any number of axes) of two tensors quantized along K have the
    bits of `mxe.matmul`. With on="torch", or one quantized operand, torch
    multiplies dequantized numbers. The weight of an `MXLinear` has an `activation`: it first quantizes
    the other operand of a product along K to that format, also outside of the layer. Results are plain
    tensors. Views (t, transpose, view, slices, ...) that do not divide blocks are quantized tensors. All
    other operators raise NotImplementedError: `dequantize` first.
    """

    codes: Tensor  #: uint8 [shape], one a byte, or uint16 for formats of more than 8 bits
    scales: Tensor  #: uint8 codes or float32, [shape] with the blocked axis replaced by its blocks
    whole: Tensor  #: float32 [tensor scale, tensor amax, row amaxes ...]
    axis: int  #: along which blocks run, counted from 0
    on: str  #: "golden" or "torch"
    activation: Optional[str] = None  #: quantizer, as a text, of the other operand in a linear layer
    accumulate: str = "block"  #: in such a product, as in `mxe.matmul`
    _quantizer: str
    _flipped: Optional[MXTensor]

    @staticmethod
    def __new__(cls, codes: Tensor, scales: Tensor, whole: Tensor, quantizer: str, axis: int,
                dtype: torch.dtype, on: str = "golden") -> MXTensor:
        if on not in PRODUCTS:
            raise ValueError(f"unknown product '{on}' (allowed: {', '.join(PRODUCTS)})")
        self: MXTensor = Tensor._make_wrapper_subclass(
            cls, codes.shape, strides=codes.stride(), dtype=dtype, device=codes.device)
        self.codes, self.scales, self.whole = codes, scales, whole
        self._quantizer, self.axis, self.on = quantizer, axis % max(codes.dim(), 1), on
        self._flipped = None
        return self

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__()

    @classmethod
    def to_mx(cls, x: Tensor, format: Union[FormatLike, Quantizer], preset: PresetLike = "ocp", *,
              axis: int = -1, on: str = "golden", **switches: Any) -> MXTensor:
        """Quantizes a tensor; arguments and exceptions as in `mxe.quantize`.

        x: float32, float64, float16 or bfloat16, any shape. The gradient passes through unchanged.
        """
        operators._checked_axis(x, axis)
        result: MXTensor = _ToMX.apply(x, cls, text_of(format, preset, **switches), axis, on)
        return result

    @classmethod
    def from_array(cls, array: mxe.Array, dtype: torch.dtype = torch.float32,
                   on: str = "golden") -> MXTensor:
        """Shares the array's codes and scales."""
        quantizer = array.quantizer
        return cls(*parts_of(array), text_of(quantizer), array.axis, dtype, on)

    @classmethod
    def from_codes(cls, codes: Tensor, scales: Tensor, format: Union[FormatLike, Quantizer],
                   preset: PresetLike = "ocp", *, dtype: torch.dtype = torch.float32, on: str = "golden",
                   **arguments: Any) -> MXTensor:
        """A tensor from existing codes and scales; arguments as in `mxe.Array.from_codes`."""
        return cls.from_array(mxe.Array.from_codes(codes, scales, format, preset, **arguments),
                              dtype, on)

    @property
    def quantizer(self) -> Quantizer:
        """The quantizer that made the tensor."""
        return quantizer_of(self._quantizer)

    @property
    def format(self) -> str:
        """The name of the element format."""
        return self.quantizer.format

    @property
    def array(self) -> mxe.Array:
        """The same codes and scales as an `mxe.Array`."""
        return array_of(self.codes, self.scales, self.whole, self._quantizer, self.axis)

    def dequantize(self, dtype: Optional[torch.dtype] = None) -> Tensor:
        """The numbers, [shape]. dtype: default: that of the tensor that was quantized."""
        result: Tensor = _Dequantize.apply(self, self.dtype if dtype is None else dtype)
        return result

    def _values(self, dtype: torch.dtype) -> Tensor:
        return operators.dequantize(self.codes.contiguous(), self.scales.contiguous(), self.whole,
                                    self._quantizer, self.axis, dtype)

    def _plain(self) -> Tensor:
        """The numbers that torch multiplies."""
        return self._values(self.dtype)

    def _with(self, codes: Tensor, scales: Tensor, axis: Optional[int] = None,
              dtype: Optional[torch.dtype] = None) -> MXTensor:
        made = type(self)(codes, scales, self.whole, self._quantizer,
                          self.axis if axis is None else axis,
                          self.dtype if dtype is None else dtype, self.on)
        made.activation, made.accumulate = self.activation, self.accumulate
        return made

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return (f"{type(self).__name__}(shape={list(self.shape)}, quantizer={self._quantizer!r}, "
                f"axis={self.axis}, dtype={self.dtype})")

    def fsdp_pre_all_gather(self, mesh: Any) -> tuple[tuple[Tensor, ...], tuple[Any, ...]]:
        """Codes and scales of the shard of this rank, for torch.distributed.fsdp.fully_shard."""
        return (self.codes, self.scales), (self.whole, *self.__tensor_flatten__()[1])

    def fsdp_post_all_gather(self, outputs: tuple[Tensor, ...], metadata: tuple[Any, ...], dtype: torch.dtype, *,
                             out: Optional[Tensor] = None) -> Any:
        """The whole tensor of the gathered codes and scales."""
        if len(outputs) != 2:
            raise NotImplementedError("fully_shard over one rank gathers no codes (allowed: two ranks or more)")
        if out is not None:
            return None
        codes, scales = outputs
        parts = {"codes": codes, "scales": scales, "whole": metadata[0]}
        return self.__tensor_unflatten__(parts, metadata[1:], None, None), outputs

    def __tensor_flatten__(self) -> tuple[list[str], tuple[Any, ...]]:
        return ["codes", "scales", "whole"], (self._quantizer, self.axis, self.dtype, self.on,
                                              self.activation, self.accumulate)

    @classmethod
    def __tensor_unflatten__(cls, parts: dict[str, Tensor], meta: tuple[Any, ...],
                             size: Any, stride: Any) -> MXTensor:
        made = cls(parts["codes"], parts["scales"], parts["whole"], *meta[:4])
        made.activation, made.accumulate = meta[4:]
        return made

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.codes, self.scales, self.whole, self._quantizer,
                          self.axis, self.dtype, self.on, self.requires_grad, self.activation,
                          self.accumulate)

    @classmethod
    def __torch_dispatch__(cls, operator: Any, types: Any, arguments: tuple[Any, ...] = (),
                           keywords: Optional[dict[str, Any]] = None) -> Any:
        handler = _HANDLERS.get(operator)
        if handler is None:
            raise NotImplementedError(f"MXTensor has no {operator}: dequantize() first")
        return handler(operator, *arguments, **(keywords or {}))

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, arguments: tuple[Any, ...] = (),
                           keywords: Optional[dict[str, Any]] = None) -> Any:
        """Keeps torch's layers off fast paths for plain tensors (torch's default would not)."""
        if function is Tensor.share_memory_:
            for part in (arguments[0].codes, arguments[0].scales, arguments[0].whole):
                part.share_memory_()
            return arguments[0]
        if function in _OF_MEMORY:
            raise RuntimeError("an MXTensor has no memory of its own: torch.save(model.state_dict()"
                               ", file) keeps it, mxe.save(file, {name: x.array}) its codes and "
                               "scales as safetensors")
        with torch._C.DisableTorchFunctionSubclass():
            return function(*arguments, **(keywords or {}))


_OF_MEMORY = (Tensor.data_ptr, Tensor.storage)


def _rebuilt(cls: type[MXTensor], codes: Tensor, scales: Tensor, whole: Tensor, quantizer: str,
             axis: int, dtype: torch.dtype, on: str, requires_grad: bool,
             activation: Optional[str] = None, accumulate: str = "block") -> MXTensor:
    made = cls(codes, scales, whole, quantizer, axis, dtype, on)
    made.activation, made.accumulate = activation, accumulate
    made.requires_grad_(requires_grad)
    return made


_HANDLERS: dict[Any, Callable[..., Any]] = {}


def handles(*names: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers function(operator, its arguments) for operators of torch."""
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _HANDLERS.update(dict.fromkeys(names, function))
        return function
    return register


torch.serialization.add_safe_globals([MXTensor, _rebuilt])
