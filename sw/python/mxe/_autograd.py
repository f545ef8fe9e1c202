# SPDX-License-Identifier: Apache-2.0
"""Gradients of results for PyTorch tensors. `mxe` imports this module, and torch, only for these."""
from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor


class _StraightThrough(torch.autograd.Function):
    """Returns `values`; the gradient passes to x unchanged."""

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
    result: Tensor = _StraightThrough.apply(x, values)
    return result


def refused(values: Tensor, sentence: str, anchor: Optional[Tensor] = None) -> Tensor:
    """`values`, whose backward() raises RuntimeError. anchor: a tensor that requires a gradient."""
    if anchor is None:
        anchor = torch.zeros((), requires_grad=True)
    result: Tensor = _Refused.apply(anchor, values, sentence)
    return result
