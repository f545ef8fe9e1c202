# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor

from .elemwise_ops import quantize_elemwise_op
from .specs import Specs, applied, get_backwards_mx_specs


class QuantizeBfloatFunction(torch.autograd.Function):
    """apply(x, mx_specs, round): rounded to `bfloat` or `fp`; so are gradients."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, mx_specs: Specs, round: Optional[str] = None) -> Tensor:
        ctx.round = mx_specs["round"] if round is None else round
        ctx.specs = get_backwards_mx_specs(mx_specs)
        return quantize_elemwise_op(x, mx_specs, ctx.round)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        return quantize_elemwise_op(gradients[0], ctx.specs, ctx.round), None, None


def quantize_bfloat(x: Tensor, mx_specs: Optional[Specs], round: Optional[str] = None) -> Tensor:
    """x rounded to `bfloat` or `fp`, with gradients; x if mx_specs are None."""
    specs = applied(mx_specs)
    if specs is None:
        return x
    result: Tensor = QuantizeBfloatFunction.apply(x, specs, round)
    return result
