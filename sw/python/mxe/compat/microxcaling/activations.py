# SPDX-License-Identifier: Apache-2.0
"""Activations in steps that are rounded to `bfloat` or `fp`, forward and backward."""
from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor, nn

from ._layers import WithSpecs
from .specs import Specs, applied, apply_mx_specs, get_backwards_mx_specs, required
from .vector_ops import Vector

# The functions of torch, which mx_mapping.inject_pyt_ops() replaces.
_sigmoid, _tanh, _relu, _relu6 = torch.sigmoid, torch.tanh, nn.functional.relu, nn.functional.relu6
_plain_relu = torch.relu  # nn.functional.relu calls it
_leaky_relu, _silu, _gelu = nn.functional.leaky_relu, nn.functional.silu, nn.functional.gelu

# Coefficients of GELU, in bfloat16.
_FIRST, _CUBIC, _OUTER, _SLOPE = 1.703125, 0.044677734, 1.59375, 0.21386719


def _logistic(v: Vector, x: Tensor) -> Tensor:
    result: Tensor = v.recip(v.add(v.exp(-x), 1.0))
    return result


def _stored(ctx: Any, input: Tensor, output: Tensor, inplace: bool) -> Tensor:
    if not inplace:
        return output
    ctx.mark_dirty(input)
    return input.copy_(output)


class SigmoidFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: Tensor, mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> Tensor:
        mx_specs = required(mx_specs)
        v = Vector(mx_specs)
        output = _logistic(v, v.q(input))
        ctx.save_for_backward(output)
        ctx.specs = get_backwards_mx_specs(mx_specs)
        return output

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        v, (output,) = Vector(ctx.specs), ctx.saved_tensors
        slope = v.mul(output, v.sub(1, output))
        return v.mul(slope, v.q(gradients[0])), None, None


class TanhFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: Tensor, mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> Tensor:
        mx_specs = required(mx_specs)
        v = Vector(mx_specs)
        output = v.tanh(v.q(input))
        ctx.save_for_backward(output)
        ctx.specs = get_backwards_mx_specs(mx_specs)
        return output

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        v, (output,) = Vector(ctx.specs), ctx.saved_tensors
        slope = v.sub(1, v.mul(output, output))
        return v.mul(slope, v.q(gradients[0])), None, None


class _Masked(torch.autograd.Function):
    """relu, or relu6: its gradient passes where the rounded output is inside."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, inplace: bool, mx_specs: Specs, top: float) -> Tensor:
        clipped = _plain_relu(input) if top == float("inf") else _relu6(input)
        output = _stored(ctx, input, Vector(mx_specs).q(clipped), inplace)
        ctx.save_for_backward((output > 0) & (output < top) if top != float("inf") else output > 0)
        ctx.specs = get_backwards_mx_specs(mx_specs)
        return output

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        mask, = ctx.saved_tensors
        passed = torch.where(mask, gradients[0], torch.zeros_like(gradients[0]))
        return Vector(ctx.specs).q(passed), None, None, None


class LeakyReLUFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: Tensor, negative_slope: float = 0.01, inplace: bool = False,
                mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> Tensor:
        mx_specs = required(mx_specs)
        v = Vector(mx_specs)
        output = _stored(ctx, input, v.q(_leaky_relu(v.q(input), negative_slope)), inplace)
        ctx.save_for_backward(output > 0)
        ctx.slope, ctx.specs = negative_slope, get_backwards_mx_specs(mx_specs)
        return output

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        v, (mask,) = Vector(ctx.specs), ctx.saved_tensors
        gradient = v.q(gradients[0])
        return torch.where(mask, gradient, v.mul(gradient, ctx.slope)), None, None, None, None


class SiLUFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: Tensor, inplace: bool = False, mx_specs: Optional[Specs] = None,
                name: Optional[str] = None) -> Tensor:
        mx_specs = required(mx_specs)
        v = Vector(mx_specs)
        x = v.q(input)
        logistic = _logistic(v, x)
        output = _stored(ctx, input, v.mul(x, logistic), inplace)
        ctx.save_for_backward(output, logistic)
        ctx.specs = get_backwards_mx_specs(mx_specs)
        return output

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        v, (output, logistic) = Vector(ctx.specs), ctx.saved_tensors
        gradient = v.q(gradients[0])
        slope = v.add(logistic, v.mul(output, v.sub(1.0, logistic)))
        return v.mul(slope, gradient), None, None, None


class GELUFunction(torch.autograd.Function):
    """x * sigmoid(1.59375 (x + 0.044677734 x^3)), or x * sigmoid(1.703125 x) of first order."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, mx_specs: Optional[Specs] = None, first_order_gelu: bool = False,
                name: Optional[str] = None) -> Tensor:
        mx_specs = required(mx_specs)
        v = Vector(mx_specs)
        x = v.q(input)
        if first_order_gelu:
            inner = v.mul(_FIRST, x)
        else:
            cubic = v.mul(_CUBIC, v.mul(v.mul(x, x), x))
            inner = v.mul(_OUTER, v.add(cubic, x))
        phi = _logistic(v, inner)
        ctx.save_for_backward(x if mx_specs["quantize_backprop"] else input, phi)
        ctx.specs, ctx.first = get_backwards_mx_specs(mx_specs), first_order_gelu
        return v.mul(x, phi)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        v, (x, phi) = Vector(ctx.specs), ctx.saved_tensors
        gradient = v.q(gradients[0])
        slope = v.mul(phi, v.sub(1, phi))
        if ctx.first:
            slope = v.mul(_FIRST, slope)
        else:
            inner = v.add(_OUTER, v.mul(_SLOPE, v.mul(x, x)))
            slope = v.mul(inner, slope)
        return v.mul(v.add(phi, v.mul(x, slope)), gradient), None, None, None


def sigmoid(input: Tensor, mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> Tensor:
    specs = applied(mx_specs)
    result: Tensor = _sigmoid(input) if specs is None else SigmoidFunction.apply(input, specs)
    return result


def tanh(input: Tensor, mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> Tensor:
    specs = applied(mx_specs)
    result: Tensor = _tanh(input) if specs is None else TanhFunction.apply(input, specs)
    return result


def relu(input: Tensor, inplace: bool = False, mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> Tensor:
    specs = applied(mx_specs)
    result: Tensor = _relu(input, inplace=inplace) if specs is None else \
        _Masked.apply(input, inplace, specs, float("inf"))
    return result


def relu6(input: Tensor, inplace: bool = False, mx_specs: Optional[Specs] = None,
          name: Optional[str] = None) -> Tensor:
    specs = applied(mx_specs)
    result: Tensor = _relu6(input, inplace=inplace) if specs is None else _Masked.apply(input, inplace, specs, 6.0)
    return result


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False, mx_specs: Optional[Specs] = None,
               name: Optional[str] = None) -> Tensor:
    specs = applied(mx_specs)
    result: Tensor = _leaky_relu(input, negative_slope, inplace) if specs is None else \
        LeakyReLUFunction.apply(input, negative_slope, inplace, specs)
    return result


def silu(input: Tensor, inplace: bool = False, mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> Tensor:
    specs = applied(mx_specs)
    result: Tensor = _silu(input, inplace=inplace) if specs is None else SiLUFunction.apply(input, inplace, specs)
    return result


def gelu(input: Tensor, mx_specs: Optional[Specs] = None, first_order_gelu: bool = False,
         approximate: Optional[str] = None, name: Optional[str] = None) -> Tensor:
    """torch's approximation "tanh" if mx_specs are None; `approximate` is ignored, as in microxcaling."""
    specs = applied(mx_specs)
    if specs is None and not first_order_gelu:
        plain: Tensor = _gelu(input, approximate="tanh")
        return plain
    result: Tensor = GELUFunction.apply(input, apply_mx_specs(specs), first_order_gelu)
    return result


class Sigmoid(WithSpecs, nn.Sigmoid):
    def __init__(self, mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> None:
        super().__init__()
        self._set(mx_specs, name)

    def forward(self, input: Tensor) -> Tensor:
        return sigmoid(input, self._specs)


class Tanh(WithSpecs, nn.Tanh):
    def __init__(self, mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> None:
        super().__init__()
        self._set(mx_specs, name)

    def forward(self, input: Tensor) -> Tensor:
        return tanh(input, self._specs)


class ReLU(WithSpecs, nn.ReLU):
    def __init__(self, inplace: bool = False, mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> None:
        super().__init__(inplace)
        self._set(mx_specs, name)

    def forward(self, input: Tensor) -> Tensor:
        return relu(input, self.inplace, self._specs)


class ReLU6(WithSpecs, nn.ReLU6):
    def __init__(self, inplace: bool = False, mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> None:
        super().__init__(inplace)
        self._set(mx_specs, name)

    def forward(self, input: Tensor) -> Tensor:
        return relu6(input, self.inplace, self._specs)


class LeakyReLU(WithSpecs, nn.LeakyReLU):
    def __init__(self, negative_slope: float = 0.01, inplace: bool = False, mx_specs: Optional[Specs] = None,
                 name: Optional[str] = None) -> None:
        super().__init__(negative_slope, inplace)
        self._set(mx_specs, name)

    def forward(self, input: Tensor) -> Tensor:
        return leaky_relu(input, self.negative_slope, self.inplace, self._specs)


class SiLU(WithSpecs, nn.SiLU):
    def __init__(self, inplace: bool = False, mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> None:
        super().__init__(inplace)
        self._set(mx_specs, name)

    def forward(self, input: Tensor) -> Tensor:
        return silu(input, self.inplace, self._specs)


class GELU(WithSpecs, nn.GELU):
    def __init__(self, mx_specs: Optional[Specs] = None, first_order_gelu: bool = False,
                 approximate: Optional[str] = None, name: Optional[str] = None) -> None:
        super().__init__("tanh")
        self._set(mx_specs, name)
        self.first_order_gelu = first_order_gelu

    def forward(self, input: Tensor) -> Tensor:
        return gelu(input, self._specs, self.first_order_gelu)
