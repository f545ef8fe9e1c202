# SPDX-License-Identifier: Apache-2.0
"""The gradients of what `mxe` returns for tensors of PyTorch that require one.

Imports torch: the functions of `mxe` import this when such a tensor arrives.
"""
from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor


class _StraightThrough(torch.autograd.Function):
    """`values`, whose gradient is that of x."""

    @staticmethod
    def forward(x: Tensor, values: Tensor) -> Tensor:
        return values.view_as(values)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.dtype = inputs[0].dtype

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Optional[Tensor], ...]:
        return gradients[0].to(ctx.dtype), None


class _Refused(torch.autograd.Function):
    """`values`, of which backward() raises."""

    @staticmethod
    def forward(anchor: Tensor, values: Tensor, sentence: str) -> Tensor:
        return values.view_as(values)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.sentence = inputs[2]

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Optional[Tensor], ...]:
        raise RuntimeError(ctx.sentence)


def straight_through(x: Tensor, values: Tensor) -> Tensor:
    """`values` as a function of x with the gradient of the identity."""
    result: Tensor = _StraightThrough.apply(x, values)
    return result


def refused(values: Tensor, sentence: str, anchor: Optional[Tensor] = None) -> Tensor:
    """`values` for whose gradient PyTorch raises RuntimeError with this sentence. anchor: a tensor
    that requires a gradient; default: one that stands for those that are not known."""
    if anchor is None:
        anchor = torch.zeros((), requires_grad=True)
    result: Tensor = _Refused.apply(anchor, values, sentence)
    return result
