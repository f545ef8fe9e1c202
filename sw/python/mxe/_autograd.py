# SPDX-License-Identifier: Apache-2.0
"""Gradients of results that `mxe` returns for PyTorch tensors that require a gradient.

Imports torch; `mxe` imports this module only when such a tensor arrives.
"""
from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor


class _StraightThrough(torch.autograd.Function):
    """`values`; the gradient is passed to x unchanged."""

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
    """backward() raises RuntimeError. anchor: a tensor that requires a gradient."""
    if anchor is None:
        anchor = torch.zeros((), requires_grad=True)
    result: Tensor = _Refused.apply(anchor, values, sentence)
    return result
