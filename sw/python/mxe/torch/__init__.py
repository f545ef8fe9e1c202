# SPDX-License-Identifier: Apache-2.0
"""Microscaling in PyTorch: operators, autograd, compiled and exported graphs, layers.

Unlike mxe.quantize and mxe.matmul, these functions have gradients, and `torch.ops.mxe.*` have fake kernels.
The bits are equal.

>>> import torch, mxe.torch
>>> mxe.torch.quantize_(model, mxe.torch.MXConfig(weight="mxfp4_e2m1", activation="mxfp8_e4m3"))
"""
from __future__ import annotations

from typing import Any, Optional, Union

from torch import Tensor

from mxe import Quantizer
from mxe._names import AccumulateLike, PresetLike
from mxe._quantizer import FormatLike

from . import _operators, _products, _sharding, _transforms, _views  # noqa: F401 - the import registers operators
from ._layers import MXConfig, MXLinear, quantize_
from ._safetensors import flatten_state_dict, unflatten_state_dict
from ._tensor import MXTensor
from ._text import quantizer_of, text_of

__all__ = ["MXConfig", "MXLinear", "MXTensor", "fake_quantize", "flatten_state_dict", "matmul", "quantize",
           "quantize_", "quantizer_of", "text_of", "unflatten_state_dict"]


def quantize(x: Tensor, format: Union[FormatLike, Quantizer], preset: PresetLike = "ocp", *,
             axis: int = -1, **switches: Any) -> MXTensor:
    """Quantizes a tensor: `MXTensor.to_mx`."""
    return MXTensor.to_mx(x, format, preset, axis=axis, **switches)


def fake_quantize(x: Tensor, format: Union[FormatLike, Quantizer], preset: PresetLike = "ocp", *,
                  axis: int = -1, clip: bool = False, **switches: Any) -> Tensor:
    """A tensor quantized and dequantized, of its shape and type; arguments as in `mxe.quantize`.
    The gradient passes through unchanged; with `clip`, it is zero where numbers are clipped."""
    _operators._checked_axis(x, axis)
    return _transforms.fake_quantize(x, text_of(format, preset, **switches), axis, clip)


def matmul(a: Tensor, b: Tensor, format_a: Union[FormatLike, Quantizer],
           format_b: Optional[Union[FormatLike, Quantizer]] = None, *, transpose_b: bool = False,
           bias: Optional[Tensor] = None, accumulate: AccumulateLike = "block", clip: bool = False) -> Tensor:
    """a @ b + bias in float32, with both operands quantized along K, as in `mxe.matmul`.

    a: [..., M, K], b: [..., K, N], or [..., N, K] with transpose_b; leading axes broadcast. format_b:
    default: format_a. The gradient is that of the product of the quantized operands; clip: zero where clipped.
    """
    first = text_of(format_a)
    return _transforms.matmul(a, b if transpose_b else b.transpose(-1, -2), first,
                              first if format_b is None else text_of(format_b), bias, accumulate,
                              clip)
