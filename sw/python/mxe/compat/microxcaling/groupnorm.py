# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor, nn

from . import norm_utils
from ._layers import WithSpecs
from .specs import Specs, applied, get_backwards_mx_specs, required
from .vector_ops import Vector

_group_norm = nn.functional.group_norm


class GroupNormFunction(torch.autograd.Function):
    """Channels are axis 1."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, num_groups: int, weight: Tensor, bias: Tensor, eps: float,
                mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> Tensor:
        mx_specs = required(mx_specs)
        v = Vector(mx_specs)
        w = v.q(weight)
        made = norm_utils.forward(v, v.q(x), list(range(1, x.dim())), w, v.q(bias), eps, num_groups, 1)
        ctx.save_for_backward(made.shifted, made.normal, made.inverse,
                              w if mx_specs["quantize_backprop"] else weight)
        ctx.groups, ctx.specs = num_groups, get_backwards_mx_specs(mx_specs)
        return made.output

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        v, (shifted, normal, inverse, weight) = Vector(ctx.specs), ctx.saved_tensors
        gradient = v.q(gradients[0])
        axes = [0, *range(2, gradient.dim())]
        of_bias = v.sum(gradient, axes)
        of_weight = v.sum(v.mul(gradient, normal), axes)
        of_x = norm_utils.backward(v, gradient, list(range(1, gradient.dim())), weight, shifted, inverse, ctx.groups, 1)
        return of_x, None, of_weight, of_bias, None, None, None


def group_norm(x: Tensor, num_groups: int, weight: Tensor, bias: Tensor, eps: float = 1e-5,
               mx_specs: Optional[Specs] = None) -> Tensor:
    specs = applied(mx_specs)
    result: Tensor = _group_norm(x, num_groups, weight=weight, bias=bias, eps=eps) if specs is None else \
        GroupNormFunction.apply(x, num_groups, weight, bias, eps, specs)
    return result


class GroupNorm(WithSpecs, nn.GroupNorm):
    def __init__(self, num_groups: int, num_channels: int, mx_specs: Optional[Specs] = None,
                 name: Optional[str] = None, **keywords: Any) -> None:
        super().__init__(num_groups, num_channels, **keywords)
        self._set(mx_specs, name)

    def forward(self, input: Tensor) -> Tensor:
        return group_norm(input, self.num_groups, self.weight, self.bias, self.eps, self._specs)
