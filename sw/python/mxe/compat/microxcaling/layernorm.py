# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor, nn

from . import norm_utils
from ._layers import WithSpecs
from .specs import Specs, applied, get_backwards_mx_specs, required
from .vector_ops import Vector

_layer_norm = nn.functional.layer_norm


class LayerNormFunction(torch.autograd.Function):
    """Along the last axis."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, eps: float,
                mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> Tensor:
        mx_specs = required(mx_specs)
        v = Vector(mx_specs)
        w = v.q(weight)
        made = norm_utils.forward(v, v.q(x), [-1], w, v.q(bias), eps)
        ctx.save_for_backward(made.normal, made.variance, w if mx_specs["quantize_backprop"] else weight)
        ctx.specs = get_backwards_mx_specs(mx_specs)
        return made.output

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        v, (normal, variance, weight) = Vector(ctx.specs), ctx.saved_tensors
        gradient = v.q(gradients[0])
        of_weight, of_bias = _of_parameters(v, gradient, normal)
        return norm_utils.backward_of_layer(v, gradient, weight, normal, variance), of_weight, of_bias, None, None, None


def _of_parameters(v: Vector, gradient: Tensor, normal: Tensor) -> tuple[Tensor, Tensor]:
    axes = list(range(gradient.dim() - 1))
    return v.sum(v.mul(gradient, normal), axes), v.sum(gradient, axes)


class RMSNormFunction(torch.autograd.Function):
    """x / sqrt(mean(x^2) + eps) * weight + bias along the last axis."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, eps: float,
                mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> Tensor:
        mx_specs = required(mx_specs)
        v = Vector(mx_specs)
        x, w = v.q(x), v.q(weight)
        inverse = v.recip(v.sqrt(v.add(v.mean(v.mul(x, x), [-1], True), eps)))
        normal = v.mul(x, inverse)
        ctx.save_for_backward(normal, inverse, w if mx_specs["quantize_backprop"] else weight)
        ctx.specs = get_backwards_mx_specs(mx_specs)
        return v.add(v.mul(w, normal), v.q(bias))

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        v, (normal, inverse, weight) = Vector(ctx.specs), ctx.saved_tensors
        gradient = v.q(gradients[0])
        of_weight, of_bias = _of_parameters(v, gradient, normal)
        direct = v.mul(v.mul(gradient, weight), inverse)
        of_scale = v.mul(normal, v.mean(v.mul(direct, normal), [-1], True))
        return direct - of_scale, of_weight, of_bias, None, None, None  # microxcaling does not round this difference


def layer_norm(input: Tensor, normalized_shape: Any, weight: Tensor, bias: Tensor, eps: float = 1e-12,
               mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> Tensor:
    """With mx_specs, along the last axis. Raises AssertionError if normalized_shape is not that of the weight."""
    specs = applied(mx_specs)
    if specs is None:
        plain: Tensor = _layer_norm(input, normalized_shape, weight, bias, eps)
        return plain
    if tuple(normalized_shape) != tuple(weight.shape):
        raise AssertionError(f"normalized_shape {list(normalized_shape)} is not that of the weight, "
                             f"{list(weight.shape)}")
    result: Tensor = LayerNormFunction.apply(input, weight, bias, eps, specs)
    return result


class LayerNorm(WithSpecs, nn.LayerNorm):
    def __init__(self, hidden_size: Any, eps: float = 1e-12, mx_specs: Optional[Specs] = None,
                 name: Optional[str] = None) -> None:
        super().__init__(hidden_size, eps)
        self._set(mx_specs, name)

    def forward(self, x: Tensor) -> Tensor:
        if self.mx_none:
            return super().forward(x)
        result: Tensor = LayerNormFunction.apply(x, self.weight, self.bias, self.eps, self.mx_specs)
        return result


class RMSNorm(WithSpecs, nn.LayerNorm):
    """Also without mx_specs in single steps."""

    def __init__(self, hidden_size: Any, eps: float = 1e-12, mx_specs: Optional[Specs] = None,
                 name: Optional[str] = None) -> None:
        super().__init__(hidden_size, eps)
        self._set(mx_specs, name)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = RMSNormFunction.apply(x, self.weight, self.bias, self.eps, self.mx_specs)
        return result
