# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor, nn

from ._layers import WithSpecs
from .specs import Specs, applied, get_backwards_mx_specs, required
from .vector_ops import Vector

LN_2_BF16 = 0.69140625  # ln(2) in bfloat16
_softmax = nn.functional.softmax


class SoftmaxFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: Tensor, dim: Optional[int] = None, mx_specs: Optional[Specs] = None,
                name: Optional[str] = None) -> Tensor:
        mx_specs = required(mx_specs)
        if dim is None:
            raise ValueError("dim is missing: the function of softmax needs one")
        v = Vector(mx_specs)
        x = v.q(input)
        x = v.sub(x, x.amax(dim, keepdim=True))
        powers = v.exp2(x) if mx_specs["softmax_exp2"] else v.exp(x)
        output = v.div(powers, v.sum(powers, dim, True))
        ctx.save_for_backward(output)
        ctx.dim, ctx.specs = dim, get_backwards_mx_specs(mx_specs)
        return output

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        v, (output,) = Vector(ctx.specs), ctx.saved_tensors
        gradient = v.q(gradients[0])
        total = v.sum(v.mul(gradient, output), ctx.dim, True)
        found = v.mul(output, v.sub(gradient, total))
        return v.mul(found, LN_2_BF16) if ctx.specs["softmax_exp2"] else found, None, None, None


def softmax(input: Tensor, dim: int = -1, mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> Tensor:
    specs = applied(mx_specs)
    result: Tensor = _softmax(input, dim=dim) if specs is None else SoftmaxFunction.apply(input, dim, specs)
    return result


class Softmax(WithSpecs, nn.Softmax):
    def __init__(self, dim: Optional[int] = None, mx_specs: Optional[Specs] = None,
                 name: Optional[str] = None) -> None:
        super().__init__(dim)
        self._set(mx_specs, name)

    def forward(self, input: Tensor) -> Tensor:
        if self.mx_none:
            return super().forward(input)
        if self.dim is None:
            raise ValueError("Softmax with mx_specs needs a dim")
        return softmax(input, self.dim, self.mx_specs)
