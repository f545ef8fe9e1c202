# SPDX-License-Identifier: Apache-2.0
"""Arithmetic rounded to `bfloat` or `fp`, forward and backward."""
from __future__ import annotations

import math
from typing import Any, Optional, Union

import torch
from torch import Tensor

from .specs import Specs, applied, get_backwards_mx_specs, required
from .vector_ops import Vector

# The functions of torch, which mx_mapping.inject_pyt_ops() replaces.
_sum, _mean, _sqrt, _exp, _log, _square, _norm = (torch.sum, torch.mean, torch.sqrt, torch.exp, torch.log,
                                                   torch.square, torch.linalg.norm)

Axes = Union[None, int, list[int]]


def _reduced(v: Vector, gradient: Tensor, shape: Any) -> Tensor:
    """The gradient, summed over the axes along which an operand of this shape was broadcast."""
    if gradient.shape == shape:
        return gradient
    missing = gradient.dim() - len(shape)
    axes = [at for at in range(gradient.dim()) if at < missing or (
        shape[at - missing] == 1 and gradient.shape[at] != 1)]
    return v.q(_sum(v.q(gradient), axes)).view(shape) if axes else gradient.view(shape)


class _Binary(torch.autograd.Function):
    """in1 OP in2, a tensor or a number; saves both operands, rounded unless quantize_backprop is False."""

    operation: str

    @classmethod
    def forward(cls, ctx: Any, in1: Tensor, in2: Any, mx_specs: Specs) -> Tensor:
        v = Vector(mx_specs)
        is_tensor = isinstance(in2, Tensor)
        a, b = v.q(in1), v.q(in2) if is_tensor else in2
        output: Tensor = getattr(v, cls.operation)(a, b)
        kept = (a, b) if mx_specs["quantize_backprop"] else (in1, in2)
        ctx.number = None if is_tensor else in2
        ctx.save_for_backward(kept[0], output, *([kept[1]] if is_tensor else []))
        ctx.shapes = (in1.shape, in2.shape if is_tensor else None)
        ctx.specs = get_backwards_mx_specs(mx_specs)
        return output

    @classmethod
    def gradients(cls, v: Vector, gradient: Tensor, a: Tensor, b: Any, output: Tensor) -> tuple[Tensor, Any]:
        raise NotImplementedError

    @classmethod
    def backward(cls, ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        v, (a, output, *rest) = Vector(ctx.specs), ctx.saved_tensors
        b = rest[0] if rest else ctx.number
        first, second = cls.gradients(v, gradients[0], a, b, output)
        if not rest:
            return first, None, None
        return _reduced(v, first, ctx.shapes[0]), _reduced(v, second, ctx.shapes[1]), None


class SIMDAdd(_Binary):
    operation = "add"

    @classmethod
    def gradients(cls, v: Vector, gradient: Tensor, a: Tensor, b: Any, output: Tensor) -> tuple[Tensor, Any]:
        gradient = v.q(gradient)
        return gradient, gradient


class SIMDSub(_Binary):
    operation = "sub"

    @classmethod
    def gradients(cls, v: Vector, gradient: Tensor, a: Tensor, b: Any, output: Tensor) -> tuple[Tensor, Any]:
        return gradient, v.q(-gradient)


class SIMDMul(_Binary):
    operation = "mul"

    @classmethod
    def gradients(cls, v: Vector, gradient: Tensor, a: Tensor, b: Any, output: Tensor) -> tuple[Tensor, Any]:
        gradient = v.q(gradient)
        return v.mul(gradient, b), v.mul(gradient, a) if isinstance(b, Tensor) else None


class SIMDDiv(_Binary):
    operation = "div"

    @classmethod
    def gradients(cls, v: Vector, gradient: Tensor, a: Tensor, b: Any, output: Tensor) -> tuple[Tensor, Any]:
        gradient = v.q(gradient)
        second = v.mul(gradient, v.div(-output, b)) if isinstance(b, Tensor) else None
        return v.div(gradient, b), second


class SIMDSplit(torch.autograd.Function):
    """Two copies, whose gradients are added."""

    @staticmethod
    def forward(ctx: Any, in1: Tensor, mx_specs: Optional[Specs] = None) -> tuple[Tensor, Tensor]:
        mx_specs = required(mx_specs)
        ctx.specs = get_backwards_mx_specs(mx_specs)
        ctx.set_materialize_grads(False)
        return in1.clone(), in1.clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        known = [one for one in gradients if one is not None]
        if len(known) < 2:
            return known[0] if known else None, None
        v = Vector(ctx.specs)
        return v.add(v.q(known[0]), v.q(known[1])), None


class SIMDSquare(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, in1: Tensor, mx_specs: Optional[Specs] = None) -> Tensor:
        mx_specs = required(mx_specs)
        v = Vector(mx_specs)
        x = v.q(in1)
        ctx.save_for_backward(x if mx_specs["quantize_backprop"] else in1)
        ctx.specs = get_backwards_mx_specs(mx_specs)
        return v.q(x ** 2)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        v, (x,) = Vector(ctx.specs), ctx.saved_tensors
        return v.mul(v.q(gradients[0]), v.mul(x, 2)), None


class SIMDSqrt(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, in1: Tensor, mx_specs: Optional[Specs] = None) -> Tensor:
        mx_specs = required(mx_specs)
        v = Vector(mx_specs)
        output = v.sqrt(v.q(in1))
        ctx.save_for_backward(output)
        ctx.specs = get_backwards_mx_specs(mx_specs)
        return output

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        v, (root,) = Vector(ctx.specs), ctx.saved_tensors
        return v.div(v.mul(v.q(gradients[0]), 0.5), root), None


class SIMDExp(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, in1: Tensor, mx_specs: Optional[Specs] = None) -> Tensor:
        mx_specs = required(mx_specs)
        v = Vector(mx_specs)
        output = v.exp(v.q(in1))
        ctx.save_for_backward(output)
        ctx.specs = get_backwards_mx_specs(mx_specs)
        return output

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        v, (power,) = Vector(ctx.specs), ctx.saved_tensors
        return v.mul(v.q(gradients[0]), power), None


class SIMDLog(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, in1: Tensor, mx_specs: Optional[Specs] = None) -> Tensor:
        mx_specs = required(mx_specs)
        v = Vector(mx_specs)
        x = v.q(in1)
        ctx.save_for_backward(x if mx_specs["quantize_backprop"] else in1)
        ctx.specs = get_backwards_mx_specs(mx_specs)
        return v.q(_log(x))

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        v, (x,) = Vector(ctx.specs), ctx.saved_tensors
        return v.div(v.q(gradients[0]), x), None


class SIMDReduceSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, in1: Tensor, dim: Axes, keepdim: bool = False,
                mx_specs: Optional[Specs] = None) -> Tensor:
        mx_specs = required(mx_specs)
        v, axes = Vector(mx_specs), _axes(in1, dim)
        ctx.axes, ctx.keepdim, ctx.shape = [axis % in1.dim() for axis in axes], keepdim, in1.shape
        ctx.specs = get_backwards_mx_specs(mx_specs)
        return v.sum(v.q(in1), axes, keepdim)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        gradient = Vector(ctx.specs).q(gradients[0])
        if not ctx.keepdim:
            for axis in sorted(ctx.axes):
                gradient = gradient.unsqueeze(axis)
        return gradient.expand(ctx.shape), None, None, None


def _axes(x: Tensor, dim: Axes) -> list[int]:
    return list(range(x.dim())) if dim is None else [dim] if isinstance(dim, int) else list(dim)


def simd_add(in1: Tensor, in2: Union[Tensor, float], mx_specs: Optional[Specs] = None) -> Tensor:
    specs = applied(mx_specs)
    result: Tensor = in1 + in2 if specs is None else SIMDAdd.apply(in1, in2, specs)
    return result


def simd_sub(in1: Tensor, in2: Union[Tensor, float], mx_specs: Optional[Specs] = None) -> Tensor:
    specs = applied(mx_specs)
    result: Tensor = in1 - in2 if specs is None else SIMDSub.apply(in1, in2, specs)
    return result


def simd_mul(in1: Tensor, in2: Union[Tensor, float], mx_specs: Optional[Specs] = None) -> Tensor:
    specs = applied(mx_specs)
    result: Tensor = in1 * in2 if specs is None else SIMDMul.apply(in1, in2, specs)
    return result


def simd_div(in1: Tensor, in2: Union[Tensor, float], mx_specs: Optional[Specs] = None) -> Tensor:
    specs = applied(mx_specs)
    result: Tensor = in1 / in2 if specs is None else SIMDDiv.apply(in1, in2, specs)
    return result


def simd_split(in1: Tensor, mx_specs: Optional[Specs] = None) -> tuple[Tensor, Tensor]:
    """in1 twice."""
    specs = applied(mx_specs)
    result: tuple[Tensor, Tensor] = (in1, in1) if specs is None else SIMDSplit.apply(in1, specs)
    return result


def simd_square(in1: Tensor, mx_specs: Optional[Specs] = None) -> Tensor:
    specs = applied(mx_specs)
    result: Tensor = _square(in1) if specs is None else SIMDSquare.apply(in1, specs)
    return result


def simd_sqrt(in1: Tensor, mx_specs: Optional[Specs] = None) -> Tensor:
    specs = applied(mx_specs)
    result: Tensor = _sqrt(in1) if specs is None else SIMDSqrt.apply(in1, specs)
    return result


def simd_exp(in1: Tensor, mx_specs: Optional[Specs] = None) -> Tensor:
    specs = applied(mx_specs)
    result: Tensor = _exp(in1) if specs is None else SIMDExp.apply(in1, specs)
    return result


def simd_log(in1: Tensor, mx_specs: Optional[Specs] = None) -> Tensor:
    specs = applied(mx_specs)
    result: Tensor = _log(in1) if specs is None else SIMDLog.apply(in1, specs)
    return result


def simd_reduce_sum(in1: Tensor, dim: Axes = None, keepdim: bool = False,
                    mx_specs: Optional[Specs] = None) -> Tensor:
    specs, axes = applied(mx_specs), _axes(in1, dim)
    result: Tensor = _sum(in1, axes, keepdim=keepdim) if specs is None else \
        SIMDReduceSum.apply(in1, axes, keepdim, specs)
    return result


def simd_reduce_mean(in1: Tensor, dim: Axes = None, keepdim: bool = False,
                     mx_specs: Optional[Specs] = None) -> Tensor:
    specs, axes = applied(mx_specs), _axes(in1, dim)
    if specs is None:
        plain: Tensor = _mean(in1, axes, keepdim=keepdim)
        return plain
    count = math.prod(in1.shape[axis] for axis in axes)
    result: Tensor = SIMDMul.apply(SIMDReduceSum.apply(in1, axes, keepdim, specs), 1 / count, specs)
    return result


def simd_norm(in1: Tensor, keepdim: bool = False, mx_specs: Optional[Specs] = None) -> Tensor:
    """The root of the sum of all squares."""
    specs = applied(mx_specs)
    if specs is None:
        plain: Tensor = _norm(in1, keepdim=keepdim)
        return plain
    squares = SIMDReduceSum.apply(SIMDSquare.apply(in1, specs), None, keepdim, specs)
    result: Tensor = SIMDSqrt.apply(squares, specs)
    return result
