# SPDX-License-Identifier: Apache-2.0
"""Operations whose results are rounded to `bfloat` or `fp`. None of them has a gradient."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Optional, Union

import torch
from torch import Tensor

from .elemwise_ops import quantize_elemwise_op
from .specs import Specs

LOG2_E_BF16 = 1.4453125  # 1 / ln(2) in bfloat16

Operand = Union[Tensor, float]
Axes = Union[int, Sequence[int]]

# The functions of torch, which mx_mapping.inject_pyt_ops() replaces.
_exp, _exp2, _sqrt, _tanh = torch.exp, torch.exp2, torch.sqrt, torch.tanh


class Vector:
    """Operations with the rounding of these specs; None: unrounded."""

    def __init__(self, specs: Optional[Specs], round: Optional[str] = None) -> None:
        self.specs, self.round = specs, round

    def q(self, x: Tensor) -> Tensor:
        return quantize_elemwise_op(x, self.specs, self.round)

    def add(self, a: Any, b: Operand) -> Tensor:
        return self.q(a + b)

    def sub(self, a: Any, b: Operand) -> Tensor:
        return self.q(a - b)

    def mul(self, a: Any, b: Operand) -> Tensor:
        return self.q(a * b)

    def div(self, a: Any, b: Operand) -> Tensor:
        if self.specs and self.specs["vec_use_recip"]:
            return self.mul(a, self.recip(b))
        return self.q(a / b)

    def recip(self, x: Any) -> Tensor:
        return self.q(1.0 / torch.as_tensor(x, dtype=torch.get_default_dtype())
                      if isinstance(x, (int, float)) else 1.0 / x)

    def exp(self, x: Tensor) -> Tensor:
        if self.specs and self.specs["vec_use_exp2"]:
            return self.exp2(self.q(LOG2_E_BF16 * x))
        return self.q(_exp(x))

    def exp2(self, x: Tensor) -> Tensor:
        return self.q(_exp2(x))

    def sqrt(self, x: Tensor) -> Tensor:
        return self.q(_sqrt(x))

    def tanh(self, x: Tensor) -> Tensor:
        return self.q(_tanh(x))

    def sum(self, x: Tensor, axes: Axes, keepdim: bool = False) -> Tensor:
        return self.q(x.sum(axes, keepdim=keepdim))

    def mean(self, x: Tensor, axes: Axes, keepdim: bool = False) -> Tensor:
        count = math.prod(x.shape[axis] for axis in ([axes] if isinstance(axes, int) else axes))
        return self.div(self.sum(x, axes, keepdim), count)


def vec_quantize(input: Tensor, mx_specs: Optional[Specs] = None, round: Optional[str] = None) -> Tensor:
    return Vector(mx_specs, round).q(input)


def vec_add(a: Operand, b: Operand, mx_specs: Optional[Specs] = None, round: Optional[str] = None) -> Tensor:
    return Vector(mx_specs, round).add(a, b)


def vec_sub(a: Operand, b: Operand, mx_specs: Optional[Specs] = None, round: Optional[str] = None) -> Tensor:
    return Vector(mx_specs, round).sub(a, b)


def vec_mul(a: Operand, b: Operand, mx_specs: Optional[Specs] = None, round: Optional[str] = None) -> Tensor:
    return Vector(mx_specs, round).mul(a, b)


def vec_div(a: Operand, b: Operand, mx_specs: Optional[Specs] = None, round: Optional[str] = None) -> Tensor:
    return Vector(mx_specs, round).div(a, b)


def vec_exp(input: Tensor, mx_specs: Optional[Specs] = None, round: Optional[str] = None) -> Tensor:
    return Vector(mx_specs, round).exp(input)


def vec_exp2(input: Tensor, mx_specs: Optional[Specs] = None, round: Optional[str] = None) -> Tensor:
    return Vector(mx_specs, round).exp2(input)


def vec_recip(input: Tensor, mx_specs: Optional[Specs] = None, round: Optional[str] = None) -> Tensor:
    return Vector(mx_specs, round).recip(input)


def vec_sqrt(input: Tensor, mx_specs: Optional[Specs] = None, round: Optional[str] = None) -> Tensor:
    return Vector(mx_specs, round).sqrt(input)


def vec_tanh(input: Tensor, mx_specs: Optional[Specs] = None, round: Optional[str] = None) -> Tensor:
    return Vector(mx_specs, round).tanh(input)


def vec_reduce_sum(input: Tensor, dim: Axes, keepdim: bool = False, mx_specs: Optional[Specs] = None,
                   round: Optional[str] = None) -> Tensor:
    return Vector(mx_specs, round).sum(input, dim, keepdim)


def vec_reduce_mean(input: Tensor, dim: Axes, keepdim: bool = False, mx_specs: Optional[Specs] = None,
                    round: Optional[str] = None) -> Tensor:
    return Vector(mx_specs, round).mean(input, dim, keepdim)
