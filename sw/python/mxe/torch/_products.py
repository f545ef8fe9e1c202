# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from typing import Any, Optional

import torch
from torch import Tensor

from . import _operators as operators
from ._tensor import MXTensor, handles

_aten = torch.ops.aten


def _plain(x: Any) -> Any:
    return x._plain() if isinstance(x, MXTensor) else x


def _activated(x: Any, weight: Any, axis: int, along: int) -> Any:
    """x quantized along `axis` to the activation format of `weight`'s layer, if blocks of `weight` run along
    K, its axis `along` (in gradients they do not)."""
    if isinstance(x, MXTensor) or not isinstance(weight, MXTensor) or weight.activation is None or \
            weight.axis != weight.dim() + along:
        return x
    if weight.on == "torch":
        return operators.fake_quantize(x, weight.activation, axis)
    parts = operators.quantize(x, weight.activation, axis)
    return MXTensor(*parts, weight.activation, axis, x.dtype)


def _product(a: Any, b: Any, bias: Optional[Tensor], otherwise: Callable[..., Tensor]) -> Tensor:
    """a [..., M, K] @ b [..., K, N] + bias."""
    accumulate = next((one.accumulate for one in (a, b) if isinstance(one, MXTensor) and
                       one.activation is not None), "block")
    a, b = _activated(a, b, -1, -2), _activated(b, a, -2, -1)
    if not isinstance(a, MXTensor) or not isinstance(b, MXTensor) or "torch" in (a.on, b.on):
        return otherwise(_plain(a), _plain(b))
    if a.axis != a.dim() - 1 or b.axis != b.dim() - 2:
        raise ValueError("blocks of both operands must run along K: the last axis of a, the one "
                         f"before of b, but run along axes {a.axis} and {b.axis}")
    # _known in _arrays.py may hold the array of these codes, but not of a view of them.
    columns = b.transpose(-1, -2) if b._flipped is None else b._flipped
    product = operators.scaled_matmul(a.codes, a.scales, columns.codes, columns.scales,
                                      a._quantizer, b._quantizer, bias, accumulate, a.whole, columns.whole)
    return product.to(a.dtype)


@handles(_aten.mm.default, _aten.bmm.default)
def _mm(operator: Any, a: Any, b: Any) -> Tensor:
    return _product(a, b, None, operator)


@handles(_aten.addmm.default)
def _addmm(operator: Any, bias: Tensor, a: Any, b: Any, *, beta: float = 1,
           alpha: float = 1) -> Tensor:
    bias = _plain(bias)
    if beta != 1 or alpha != 1:
        product = _product(a, b, None, torch.mm)
        return torch.add(bias * beta, product, alpha=alpha)
    return _product(a, b, bias, lambda x, y: operator(bias, x, y))


@handles(_aten.linear.default)
def _linear(operator: Any, x: Any, weight: Any, bias: Optional[Tensor] = None) -> Tensor:
    if not isinstance(weight, MXTensor):
        return operator(_plain(x), weight, bias)
    return _product(x, weight.t(), bias, lambda a, _: operator(a, _plain(weight), bias))


@handles(_aten.matmul.default)
def _matmul(operator: Any, a: Any, b: Any) -> Tensor:
    return _product(a, b, None, operator)
