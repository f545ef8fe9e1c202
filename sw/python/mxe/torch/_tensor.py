# SPDX-License-Identifier: Apache-2.0
"""A tensor that is quantized, as a subclass of torch.Tensor."""
from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Union

import torch
from torch import Tensor

import mxe
from mxe import Quantizer
from mxe._quantizer import FormatLike

from . import _operators as operators
from ._arrays import array_of, parts_of
from ._text import quantizer_of, text_of

#: What computes products of two quantized tensors.
PRODUCTS = ("golden", "torch")


class _ToMX(torch.autograd.Function):
    """Quantizing, whose gradient is that of the identity."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, cls: type[MXTensor], quantizer: str, axis: int,
                on: str) -> MXTensor:
        codes, scales, whole = operators.quantize(x, quantizer, axis)
        return cls(codes, scales, whole, quantizer, axis, x.dtype, on)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        return gradients[0], None, None, None, None


class _Dequantize(torch.autograd.Function):
    """The way back, with the same gradient."""

    @staticmethod
    def forward(ctx: Any, x: MXTensor, dtype: torch.dtype) -> Tensor:
        ctx.dtype = x.dtype
        return x._values(dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        return gradients[0].to(ctx.dtype), None


class MXTensor(Tensor):
    """Element codes and block scales that look like the tensor they were quantized from.

    Products of two of them (mm, addmm, bmm, linear, matmul of any number of axes) are the engine's,
    bit for bit, if both are quantized along K in blocks of 32 with E8M0 scales; with on="torch",
    and if only one operand is quantized, they are torch's of the dequantized numbers. Results are
    plain tensors. Views (t, transpose, view, slices, ...) are quantized tensors as long as they
    leave blocks whole; everything else raises NotImplementedError: `dequantize` first.
    """

    codes: Tensor  #: uint8 [shape], one a byte, or uint16 for formats of more than 8 bits
    scales: Tensor  #: uint8 codes or float32, [shape] with the blocked axis replaced by its blocks
    whole: Tensor  #: float32 [tensor scale, tensor amax, row amaxes ...]
    axis: int  #: that blocks run along, counted from 0
    on: str  #: "golden" or "torch"
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
    def to_mx(cls, x: Tensor, format: Union[FormatLike, Quantizer], preset: str = "ocp", *,
              axis: int = -1, on: str = "golden", **switches: Any) -> MXTensor:
        """Quantizes a tensor of any shape; arguments as `mxe.quantize` has them.

        x: float32, float64, float16 or bfloat16. Its gradient is that of the identity. Raises
        ValueError and TypeError as `mxe.quantize` does.
        """
        operators._checked_axis(x, axis)
        result: MXTensor = _ToMX.apply(x, cls, text_of(format, preset, **switches), axis, on)
        return result

    @classmethod
    def from_array(cls, array: mxe.Array, dtype: torch.dtype = torch.float32,
                   on: str = "golden") -> MXTensor:
        """The same codes and scales, of an array that was quantized from tensors."""
        quantizer = array.quantizer
        return cls(*parts_of(array), text_of(quantizer), array.axis, dtype, on)

    @classmethod
    def from_codes(cls, codes: Tensor, scales: Tensor, format: Union[FormatLike, Quantizer],
                   preset: str = "ocp", *, dtype: torch.dtype = torch.float32, on: str = "golden",
                   **arguments: Any) -> MXTensor:
        """Codes and scales that others have made; arguments as `mxe.Array.from_codes` has them."""
        return cls.from_array(mxe.Array.from_codes(codes, scales, format, preset, **arguments),
                              dtype, on)

    @property
    def quantizer(self) -> Quantizer:
        """The quantizer that made it."""
        return quantizer_of(self._quantizer)

    @property
    def format(self) -> str:
        """The name of the element format."""
        return self.quantizer.format

    @property
    def array(self) -> mxe.Array:
        """The same codes and scales as an array of `mxe`."""
        return array_of(self.codes, self.scales, self.whole, self._quantizer, self.axis)

    def dequantize(self, dtype: Optional[torch.dtype] = None) -> Tensor:
        """The numbers, [shape]; dtype: default that of the tensor that was quantized."""
        result: Tensor = _Dequantize.apply(self, self.dtype if dtype is None else dtype)
        return result

    def _values(self, dtype: torch.dtype) -> Tensor:
        return operators.dequantize(self.codes.contiguous(), self.scales.contiguous(), self.whole,
                                    self._quantizer, self.axis, dtype)

    def _with(self, codes: Tensor, scales: Tensor, axis: Optional[int] = None,
              dtype: Optional[torch.dtype] = None) -> MXTensor:
        """The same with other codes and scales."""
        return type(self)(codes, scales, self.whole, self._quantizer,
                          self.axis if axis is None else axis,
                          self.dtype if dtype is None else dtype, self.on)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return (f"{type(self).__name__}(shape={list(self.shape)}, quantizer={self._quantizer!r}, "
                f"axis={self.axis}, dtype={self.dtype})")

    def __tensor_flatten__(self) -> tuple[list[str], tuple[Any, ...]]:
        return ["codes", "scales", "whole"], (self._quantizer, self.axis, self.dtype, self.on)

    @classmethod
    def __tensor_unflatten__(cls, parts: dict[str, Tensor], meta: tuple[Any, ...],
                             size: Any, stride: Any) -> MXTensor:
        return cls(parts["codes"], parts["scales"], parts["whole"], *meta)

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return _rebuilt, (type(self), self.codes, self.scales, self.whole, self._quantizer,
                          self.axis, self.dtype, self.on, self.requires_grad)

    @classmethod
    def __torch_dispatch__(cls, operator: Any, types: Any, arguments: tuple[Any, ...] = (),
                           keywords: Optional[dict[str, Any]] = None) -> Any:
        handler = _HANDLERS.get(operator)
        if handler is None:
            raise NotImplementedError(f"MXTensor has no {operator}: dequantize() first")
        return handler(operator, *arguments, **(keywords or {}))

    # Functions of torch are not wrapped: their results are what handlers return.
    __torch_function__ = torch._C._disabled_torch_function_impl


def _rebuilt(cls: type[MXTensor], codes: Tensor, scales: Tensor, whole: Tensor, quantizer: str,
             axis: int, dtype: torch.dtype, on: str, requires_grad: bool) -> MXTensor:
    made = cls(codes, scales, whole, quantizer, axis, dtype, on)
    made.requires_grad_(requires_grad)
    return made


_HANDLERS: dict[Any, Callable[..., Any]] = {}
_aten = torch.ops.aten


def _handles(*names: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _HANDLERS.update(dict.fromkeys(names, function))
        return function
    return register


def _plain(x: Any) -> Any:
    return x._values(x.dtype) if isinstance(x, MXTensor) else x


def _product(a: Any, b: Any, bias: Optional[Tensor], otherwise: Callable[..., Tensor]) -> Tensor:
    """a [..., M, K] @ b [..., K, N] + bias."""
    if not isinstance(a, MXTensor) or not isinstance(b, MXTensor) or "torch" in (a.on, b.on):
        return otherwise(_plain(a), _plain(b))
    if a.axis != a.dim() - 1 or b.axis != b.dim() - 2:
        raise ValueError("blocks of both operands must run along K: the last axis of a, the one "
                         f"before of b, but run along axes {a.axis} and {b.axis}")
    # Codes that were multiplied before are known, those of a view are not.
    columns = b.transpose(-1, -2) if b._flipped is None else b._flipped
    product = operators.scaled_matmul(a.codes, a.scales, columns.codes, columns.scales,
                                      a._quantizer, b._quantizer, bias)
    return product.to(a.dtype)


@_handles(_aten.mm.default, _aten.bmm.default)
def _mm(operator: Any, a: Any, b: Any) -> Tensor:
    return _product(a, b, None, operator)


@_handles(_aten.addmm.default)
def _addmm(operator: Any, bias: Tensor, a: Any, b: Any, *, beta: float = 1,
           alpha: float = 1) -> Tensor:
    bias = _plain(bias)
    if beta != 1 or alpha != 1:
        product = _product(a, b, None, torch.mm)
        return torch.add(bias * beta, product, alpha=alpha)
    return _product(a, b, bias, lambda x, y: operator(bias, x, y))


@_handles(_aten.linear.default)
def _linear(operator: Any, x: Any, weight: Any, bias: Optional[Tensor] = None) -> Tensor:
    if not isinstance(weight, MXTensor):
        return operator(_plain(x), weight, bias)
    return _product(x, weight.t(), bias, lambda a, _: operator(a, _plain(weight), bias))


@_handles(_aten.matmul.default)
def _matmul(operator: Any, a: Any, b: Any) -> Tensor:
    return _product(a, b, None, operator)


@_handles(_aten.detach.default, _aten.alias.default)
def _detach(operator: Any, x: MXTensor) -> MXTensor:
    made = x._with(operator(x.codes), operator(x.scales))
    made._flipped = x._flipped
    return made


@_handles(_aten.clone.default)
def _clone(operator: Any, x: MXTensor, **keywords: Any) -> MXTensor:
    return x._with(operator(x.codes, **keywords), operator(x.scales, **keywords))


@_handles(_aten._to_copy.default)
def _to_copy(operator: Any, x: MXTensor, *, dtype: Optional[torch.dtype] = None,
             device: Any = None, **keywords: Any) -> MXTensor:
    """Another type to dequantize to; codes stay what they are."""
    if device is not None and torch.device(device).type != "cpu":
        raise NotImplementedError("MXTensor is in the CPU's memory")
    return x._with(x.codes.clone(), x.scales.clone(), dtype=dtype)


def _movable(x: MXTensor) -> None:
    """Raises where scales do not move along with codes."""
    switches = x.quantizer.switches
    if switches["walk"] == "flat" or switches["row_scaled"] or switches["block_rows"] != 1:
        raise NotImplementedError(f"{x!r} has no views: its blocks do not run along one axis, or "
                                  "its rows have scales of their own")


@_handles(_aten.transpose.int)
def _transpose(operator: Any, x: MXTensor, first: int, second: int) -> MXTensor:
    _movable(x)
    first, second = first % x.dim(), second % x.dim()
    axis = {first: second, second: first}.get(x.axis, x.axis)
    made = x._with(operator(x.codes, first, second), operator(x.scales, first, second), axis)
    if {first, second} == {x.dim() - 1, x.dim() - 2}:
        made._flipped = x
    return made


@_handles(_aten.t.default)
def _t(operator: Any, x: MXTensor) -> MXTensor:
    made: MXTensor = _transpose(_aten.transpose.int, x, 0, 1) if x.dim() == 2 else x
    return made


@_handles(_aten.permute.default)
def _permute(operator: Any, x: MXTensor, order: Sequence[int]) -> MXTensor:
    _movable(x)
    positive = [axis % x.dim() for axis in order]
    return x._with(operator(x.codes, order), operator(x.scales, order), positive.index(x.axis))


@_handles(_aten.view.default, _aten._unsafe_view.default, _aten.reshape.default)
def _view(operator: Any, x: MXTensor, size: Sequence[int]) -> MXTensor:
    """The blocked axis, and what comes after it, stays; axes before it may be merged and split."""
    _movable(x)
    codes = x.codes.reshape(size)
    after = list(x.shape[x.axis:])
    if list(codes.shape[codes.dim() - len(after):]) != after or codes.dim() < len(after):
        raise NotImplementedError(f"a view of {x!r} as {list(size)} tears its blocks apart: "
                                  "dequantize() first")
    axis = codes.dim() - len(after)
    scales = x.scales.reshape([*codes.shape[:axis], *x.scales.shape[x.axis:]])
    return x._with(codes, scales, axis)


@_handles(_aten.expand.default)
def _expand(operator: Any, x: MXTensor, size: Sequence[int], *, implicit: bool = False) -> MXTensor:
    _movable(x)
    codes = operator(x.codes, size)
    axis = x.axis + codes.dim() - x.dim()
    if codes.shape[axis] != x.shape[x.axis]:
        raise NotImplementedError(f"{x!r} cannot grow along the axis of its blocks")
    blocks = list(codes.shape)
    blocks[axis] = x.scales.shape[x.axis]
    return x._with(codes, operator(x.scales, blocks), axis)


@_handles(_aten.unsqueeze.default)
def _unsqueeze(operator: Any, x: MXTensor, at: int) -> MXTensor:
    _movable(x)
    at %= x.dim() + 1
    return x._with(operator(x.codes, at), operator(x.scales, at), x.axis + (at <= x.axis))


@_handles(_aten.select.int)
def _select(operator: Any, x: MXTensor, axis: int, index: int) -> MXTensor:
    _movable(x)
    axis %= x.dim()
    if axis == x.axis:
        raise NotImplementedError(f"one element of a block of {x!r} is no block: dequantize() first")
    return x._with(operator(x.codes, axis, index), operator(x.scales, axis, index),
                   x.axis - (axis < x.axis))


@_handles(_aten.slice.Tensor)
def _slice(operator: Any, x: MXTensor, axis: int = 0, start: Optional[int] = None,
           end: Optional[int] = None, step: int = 1) -> MXTensor:
    """Along the blocked axis, slices begin and end with blocks."""
    _movable(x)
    axis %= x.dim()
    first, last, _ = slice(start, end).indices(x.shape[axis])
    codes = operator(x.codes, axis, first, last, step)
    if axis != x.axis:
        return x._with(codes, operator(x.scales, axis, first, last, step))
    block = x.quantizer.switches["block_size"]
    if step != 1 or first % block or (last % block and last != x.shape[axis]):
        raise NotImplementedError(f"[{first}:{last}:{step}] cuts blocks of {block} of {x!r} apart: "
                                  "dequantize() first")
    return x._with(codes, operator(x.scales, axis, first // block, -(-last // block)))


torch.serialization.add_safe_globals([MXTensor, _rebuilt])
