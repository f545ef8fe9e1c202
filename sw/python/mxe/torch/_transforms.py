# SPDX-License-Identifier: Apache-2.0
"""Autograd functions of the operators, because torch.func (grad, vjp, jacrev) ignores gradients registered
with torch.library."""
from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor

from . import _operators as operators


def _transformed() -> bool:
    """True while torch.func is active; False while compiling, so that graphs show the operators."""
    return not torch.compiler.is_compiling() and torch._C._are_functorch_transforms_active()


class _FakeQuantize(torch.autograd.Function):
    generate_vmap_rule = True
    setup_context = staticmethod(operators._remember)
    backward = staticmethod(operators._straight_through)

    @staticmethod
    def forward(x: Tensor, quantizer: str, axis: int, clip: bool) -> Tensor:
        return operators.fake_quantize(x, quantizer, axis, clip)


class _Matmul(torch.autograd.Function):
    generate_vmap_rule = True
    setup_context = staticmethod(operators._remember_product)
    backward = staticmethod(operators._product_gradient)

    @staticmethod
    def forward(a: Tensor, b: Tensor, quantizer_a: str, quantizer_b: str, bias: Optional[Tensor],
                accumulate: str, clip: bool) -> Tensor:
        return operators.matmul(a, b, quantizer_a, quantizer_b, bias, accumulate, clip)


class _Linear(torch.autograd.Function):
    generate_vmap_rule = True
    setup_context = staticmethod(operators._remember_linear)
    backward = staticmethod(operators._linear_gradient)

    @staticmethod
    def forward(x: Tensor, codes: Tensor, scales: Tensor, bias: Optional[Tensor], quantizer: str,
                weight_quantizer: str, accumulate: str, clip: bool, whole: Tensor) -> Tensor:
        return operators.linear(x, codes, scales, bias, quantizer, weight_quantizer, accumulate,
                                clip, whole)


def fake_quantize(x: Tensor, quantizer: str, axis: int = -1, clip: bool = False) -> Tensor:
    function: Any = _FakeQuantize.apply if _transformed() else operators.fake_quantize
    result: Tensor = function(x, quantizer, axis, clip)
    return result


def matmul(a: Tensor, b: Tensor, quantizer_a: str, quantizer_b: str,
           bias: Optional[Tensor] = None, accumulate: str = "block", clip: bool = False) -> Tensor:
    function: Any = _Matmul.apply if _transformed() else operators.matmul
    result: Tensor = function(a, b, quantizer_a, quantizer_b, bias, accumulate, clip)
    return result


def linear(x: Tensor, codes: Tensor, scales: Tensor, bias: Optional[Tensor], quantizer: str,
           weight_quantizer: str, accumulate: str, clip: bool, whole: Tensor) -> Tensor:
    function: Any = _Linear.apply if _transformed() else operators.linear
    result: Tensor = function(x, codes, scales, bias, quantizer, weight_quantizer, accumulate, clip,
                              whole)
    return result
