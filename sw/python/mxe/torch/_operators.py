# SPDX-License-Identifier: Apache-2.0
"""torch.ops.mxe: the operators in graphs of torch.compile and torch.export.

Each has a fake kernel (shapes, types, no data) and, where possible, a gradient. Quantizers are texts (text_of()).
"""
from __future__ import annotations

import math
from typing import Any, Optional, Union

import torch
from torch import Tensor

import mxe
from mxe import _core
from mxe._namespaces import Source

from ._arrays import array_of, parts_of
from ._text import quantizer_of, switches_of


def _threads_of_torch() -> int:
    threads: int = torch.get_num_threads()
    return min(threads, 1024)


def _quantized(x: Tensor, quantizer: str, axis: int = -1) -> mxe.Array:
    return mxe.quantize(x.detach(), quantizer_of(quantizer), axis=axis,
                        threads=_threads_of_torch())


def _multiplied(a: mxe.Array, b: mxe.Array, bias: Optional[Tensor], accumulate: str) -> Tensor:
    """a [..., M, K] @ b^T [..., N, K] + bias."""
    product: Tensor = mxe.matmul(a, b, bias=None if bias is None else bias.detach(),
                                 transpose_b=True, accumulate=accumulate,
                                 threads=_threads_of_torch())
    return product


def _where_not_clipped(gradient: Tensor, x: Tensor, quantizer: str, axis: int = -1) -> Tensor:
    """The gradient, with zeros where numbers of x are clipped."""
    marks = torch.ops.mxe.clipped(x.detach(), quantizer, axis)
    return torch.where(marks, torch.zeros_like(gradient), gradient)


def _checked_axis(x: Tensor, axis: int) -> int:
    """The axis counted from 0; raises ValueError with the command line's message."""
    if not isinstance(x, Tensor):
        raise TypeError(f"x must be a torch.Tensor, not {type(x).__name__}")
    if not hasattr(axis, "__index__"):
        raise TypeError(f"axis must be a whole number, not {type(axis).__name__}")
    rank: int = max(x.dim(), 1)
    if not -rank <= axis < rank:
        raise ValueError(f"axis {axis} does not exist (allowed: {-rank} to {rank - 1})")
    return axis % rank


@torch.library.custom_op("mxe::quantize", mutates_args=())
def quantize(x: Tensor, quantizer: str, axis: int = -1) -> tuple[Tensor, Tensor, Tensor]:
    """Codes uint8 (uint16), scales uint8 or float32, float32 [tensor scale, amax, row amaxes ...]."""
    return parts_of(_quantized(x, quantizer, axis))


@quantize.register_fake
def _(x: Tensor, quantizer: str, axis: int = -1) -> tuple[Tensor, Tensor, Tensor]:
    switches = switches_of(quantizer)
    along, block = _checked_axis(x, axis), switches["block_size"]
    shape = list(x.shape)
    if switches["walk"] == "flat":
        shape = [(x.numel() + block - 1) // block]
    elif shape:
        shape[along] = (shape[along] + block - 1) // block
    rows = 0
    if switches["row_scaled"]:
        rows = 1
        for i, length in enumerate(x.shape):
            rows *= 1 if i == along else length
    sample = mxe.quantize([0.0], quantizer_of(quantizer))
    wide, coded = sample.codes.dtype.itemsize == 2, sample.scales.dtype.itemsize == 1
    return (x.new_empty(x.shape, dtype=torch.uint16 if wide else torch.uint8),
            x.new_empty(shape, dtype=torch.uint8 if coded else torch.float32),
            x.new_empty([2 + rows], dtype=torch.float32))


@torch.library.custom_op("mxe::dequantize", mutates_args=())
def dequantize(codes: Tensor, scales: Tensor, whole: Tensor, quantizer: str, axis: int,
               dtype: torch.dtype) -> Tensor:
    """The numbers that the results of `quantize` represent, [shape of codes]."""
    values: Tensor = array_of(codes, scales, whole, quantizer, axis).dequantize(
        dtype, threads=_threads_of_torch())
    return values


@dequantize.register_fake
def _(codes: Tensor, scales: Tensor, whole: Tensor, quantizer: str, axis: int,
      dtype: torch.dtype) -> Tensor:
    return codes.new_empty(codes.shape, dtype=dtype)


@torch.library.custom_op("mxe::fake_quantize", mutates_args=())
def fake_quantize(x: Tensor, quantizer: str, axis: int = -1, clip: bool = False) -> Tensor:
    """x quantized and dequantized, of its shape and type. The gradient passes through unchanged; with
    `clip`, it is zero where numbers are clipped."""
    values: Tensor = mxe.fake_quantize(x, quantizer_of(quantizer), axis=axis,
                                       threads=_threads_of_torch())
    return values


@fake_quantize.register_fake
def _(x: Tensor, quantizer: str, axis: int = -1, clip: bool = False) -> Tensor:
    quantizer_of(quantizer)
    _checked_axis(x, axis)
    return x.new_empty(x.shape)


@torch.library.custom_op("mxe::clipped", mutates_args=())
def clipped(x: Tensor, quantizer: str, axis: int = -1) -> Tensor:
    """bool [shape of x]: a finite number exceeds the largest element times its scale."""
    source = Source(x)
    marks = _core.clipped(source.array, source.bits, quantizer_of(quantizer)._core, axis,
                          _threads_of_torch())
    return torch.from_numpy(marks).view(torch.bool)


@clipped.register_fake
def _(x: Tensor, quantizer: str, axis: int = -1) -> Tensor:
    return x.new_empty(x.shape, dtype=torch.bool)


def _remember(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, ctx.quantizer, ctx.axis, ctx.clip = inputs
    ctx.save_for_backward(*([x] if ctx.clip else []))


def _straight_through(ctx: Any, gradient: Tensor) -> tuple[Optional[Tensor], None, None, None]:
    if ctx.clip:
        x, = ctx.saved_tensors
        gradient = _where_not_clipped(gradient, x, ctx.quantizer, ctx.axis)
    return gradient, None, None, None


fake_quantize.register_autograd(_straight_through, setup_context=_remember)


@torch.library.custom_op("mxe::scaled_matmul", mutates_args=())
def scaled_matmul(a: Tensor, a_scales: Tensor, b: Tensor, b_scales: Tensor, quantizer_a: str,
                  quantizer_b: str, bias: Optional[Tensor] = None, accumulate: str = "block",
                  a_whole: Optional[Tensor] = None, b_whole: Optional[Tensor] = None) -> Tensor:
    """a @ b^T + bias in float32 from codes a [..., M, K] and b [..., N, K], as in `mxe.matmul`. Operands with
    a scale of the whole tensor need the third result of `quantize`."""
    return _multiplied(array_of(a, a_scales, a_whole, quantizer_a, -1),
                       array_of(b, b_scales, b_whole, quantizer_b, -1), bias, accumulate)


def _product_shape(a: Tensor, b: Tensor) -> list[Union[int, torch.SymInt]]:
    """Shape of a [..., M, K] @ b^T [..., N, K]; raises ValueError if the operands do not match."""
    if a.dim() < 2 or b.dim() < 2:
        raise ValueError("both operands must have at least two axes")
    torch._check(a.shape[-1] == b.shape[-1],
                 lambda: f"the columns of A must be as many as the columns of B, but are "
                         f"{a.shape[-1]} and {b.shape[-1]}")
    return [*torch.broadcast_shapes(a.shape[:-2], b.shape[:-2]), a.shape[-2], b.shape[-2]]


@scaled_matmul.register_fake
def _(a: Tensor, a_scales: Tensor, b: Tensor, b_scales: Tensor, quantizer_a: str, quantizer_b: str,
      bias: Optional[Tensor] = None, accumulate: str = "block",
      a_whole: Optional[Tensor] = None, b_whole: Optional[Tensor] = None) -> Tensor:
    return a.new_empty(_product_shape(a, b), dtype=torch.float32)


_BiasKind = Optional[tuple[torch.Size, torch.dtype]]


def _kind(bias: Optional[Tensor]) -> _BiasKind:
    return None if bias is None else (bias.shape, bias.dtype)


def _of_bias(bias: _BiasKind, gradient: Tensor) -> Optional[Tensor]:
    return None if bias is None else gradient.sum_to_size(bias[0]).to(bias[1])


def _bias_gradient(ctx: Any, gradient: Tensor) -> tuple[Optional[Tensor], ...]:
    return (None, None, None, None, None, None, _of_bias(ctx.bias, gradient), None, None, None)


def _remember_bias(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.bias = _kind(inputs[6])


scaled_matmul.register_autograd(_bias_gradient, setup_context=_remember_bias)


@torch.library.custom_op("mxe::linear", mutates_args=())
def linear(x: Tensor, codes: Tensor, scales: Tensor, bias: Optional[Tensor], quantizer: str,
           weight_quantizer: str, accumulate: str = "block", clip: bool = False,
           whole: Optional[Tensor] = None) -> Tensor:
    """x [..., K], quantized along K, @ weights^T [N, K], passed as codes, + bias: [..., N] of the type of
    x. Gradients are as in `matmul`; the weights have none. whole: of the weights, as in `scaled_matmul`."""
    # reshape(-1, 0) is ambiguous.
    rows = _quantized(x.reshape(math.prod(x.shape[:-1]), x.shape[-1]), quantizer)
    product = _multiplied(rows, array_of(codes, scales, whole, weight_quantizer, -1), bias,
                          accumulate)
    return product.reshape(*x.shape[:-1], codes.shape[0]).to(x.dtype)


@linear.register_fake
def _(x: Tensor, codes: Tensor, scales: Tensor, bias: Optional[Tensor], quantizer: str,
      weight_quantizer: str, accumulate: str = "block", clip: bool = False,
      whole: Optional[Tensor] = None) -> Tensor:
    return x.new_empty([*x.shape[:-1], codes.shape[0]])


def _remember_linear(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    x, codes, scales, bias, ctx.quantizer, ctx.weight_quantizer, _, ctx.clip, whole = inputs
    ctx.save_for_backward(x, codes, scales, whole)
    ctx.bias = _kind(bias)


def _linear_gradient(ctx: Any, gradient: Tensor) -> tuple[Optional[Tensor], ...]:
    x, codes, scales, whole = ctx.saved_tensors
    whole = torch.ones(2) if whole is None else whole
    weights = torch.ops.mxe.dequantize(codes, scales, whole, ctx.weight_quantizer, -1,
                                       torch.float32)
    found = torch.matmul(gradient.to(torch.float32), weights).to(x.dtype)
    if ctx.clip:
        found = _where_not_clipped(found, x, ctx.quantizer)
    return found, None, None, _of_bias(ctx.bias, gradient), None, None, None, None, None


linear.register_autograd(_linear_gradient, setup_context=_remember_linear)


@torch.library.custom_op("mxe::matmul", mutates_args=())
def matmul(a: Tensor, b: Tensor, quantizer_a: str, quantizer_b: str,
           bias: Optional[Tensor] = None, accumulate: str = "block", clip: bool = False) -> Tensor:
    """a @ b^T + bias in float32, from numbers a [..., M, K] and b [..., N, K], quantized along K. The
    gradient is that of the product of the quantized operands, then as in `fake_quantize`."""
    return _multiplied(_quantized(a, quantizer_a), _quantized(b, quantizer_b), bias, accumulate)


@matmul.register_fake
def _(a: Tensor, b: Tensor, quantizer_a: str, quantizer_b: str, bias: Optional[Tensor] = None,
      accumulate: str = "block", clip: bool = False) -> Tensor:
    quantizer_of(quantizer_a), quantizer_of(quantizer_b)
    return a.new_empty(_product_shape(a, b), dtype=torch.float32)


def _remember_product(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    a, b, ctx.quantizer_a, ctx.quantizer_b, bias, _, ctx.clip = inputs
    ctx.save_for_backward(a, b)
    ctx.bias = _kind(bias)


def _summed(gradient: Tensor, like: Tensor) -> Tensor:
    """Sums a gradient over the axes along which its operand was broadcast."""
    return gradient.sum_to_size(like.shape).to(like.dtype)


def _product_gradient(ctx: Any, gradient: Tensor) -> tuple[Optional[Tensor], ...]:
    from . import _transforms as transforms  # a cycle of imports
    a, b = ctx.saved_tensors
    result: list[Optional[Tensor]] = [None, None]
    for i, (one, other, quantizer, of_other, grown) in enumerate(
            ((a, b, ctx.quantizer_a, ctx.quantizer_b, gradient),
             (b, a, ctx.quantizer_b, ctx.quantizer_a, gradient.transpose(-1, -2)))):
        if not ctx.needs_input_grad[i]:
            continue
        values = transforms.fake_quantize(other, of_other).to(torch.float32)
        found = _summed(torch.matmul(grown, values), one)
        if ctx.clip:
            found = _where_not_clipped(found, one, quantizer)
        result[i] = found
    return (*result, None, None, _of_bias(ctx.bias, gradient), None, None)


matmul.register_autograd(_product_gradient, setup_context=_remember_product)
