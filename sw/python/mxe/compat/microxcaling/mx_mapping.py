# SPDX-License-Identifier: Apache-2.0
"""Replaces functions and layers of torch by quantized ones, for models that cannot be changed."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Optional

import torch
from torch import Tensor, nn

from . import activations, convolution, functions, simd_ops
from .adaptive_avg_pooling import AdaptiveAvgPool2d, adaptive_avg_pool2d
from .batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d, batch_norm
from .groupnorm import GroupNorm, group_norm
from .layernorm import LayerNorm, layer_norm
from .layers import Linear
from .rnn import LSTM
from .softmax import Softmax, softmax
from .specs import Specs
from .transpose_convolution import ConvTranspose2d

_addmm = torch.addmm


def addmm_mx(bias: Tensor, in1: Tensor, in2: Tensor, mx_specs: Optional[Specs] = None,
             name: Optional[str] = None) -> Tensor:
    """torch.addmm(bias, in1, in2), quantized by mx_specs unless they are None."""
    plain: Callable[..., Tensor] = _addmm
    return plain(bias, in1, in2) if mx_specs is None else functions.matmul(in1, in2, bias, mx_specs)


MODULE_MAPPING: dict[str, type[nn.Module]] = {kind.__name__: kind for kind in (
    AdaptiveAvgPool2d, BatchNorm1d, BatchNorm2d, BatchNorm3d, convolution.Conv1d, convolution.Conv2d,
    convolution.Conv3d, ConvTranspose2d, activations.GELU, GroupNorm, LSTM, LayerNorm, activations.LeakyReLU, Linear,
    activations.ReLU, activations.ReLU6, activations.SiLU, activations.Sigmoid, Softmax, activations.Tanh)}

FUNCTION_MAPPING: dict[str, Callable[..., Any]] = {
    **{function.__name__: function for function in (
        adaptive_avg_pool2d, batch_norm, convolution.conv1d, convolution.conv2d, convolution.conv3d, activations.gelu,
        group_norm, layer_norm, activations.leaky_relu, functions.linear, activations.relu, activations.relu6,
        activations.sigmoid, activations.silu, softmax, activations.tanh, functions.matmul, functions.bmm)},
    "add": simd_ops.simd_add, "sub": simd_ops.simd_sub, "mul": simd_ops.simd_mul, "div": simd_ops.simd_div,
    "exp": simd_ops.simd_exp, "log": simd_ops.simd_log, "sum": simd_ops.simd_reduce_sum,
    "mean": simd_ops.simd_reduce_mean, "norm": simd_ops.simd_norm, "square": simd_ops.simd_square,
    "mm": functions.matmul, "addmm": addmm_mx}


def tracer_decorator(func: Callable[..., Any], mx_specs: Optional[Specs]) -> Callable[..., Any]:
    """func with these mx_specs, and with torch's argument dtype, the type of the result."""
    @functools.wraps(func)
    def call(*arguments: Any, dtype: Optional[torch.dtype] = None, **keywords: Any) -> Any:
        result = func(*arguments, mx_specs=mx_specs, **keywords)
        return result if dtype is None else result.to(dtype)
    return call


def _injected(kind: type[nn.Module], mx_specs: Optional[Specs]) -> type[nn.Module]:
    def build(self: Any, *arguments: Any, **keywords: Any) -> None:
        kind.__init__(self, *arguments, mx_specs=mx_specs, **keywords)
    return type(f"{kind.__name__}_inj", (kind,), {"__init__": build})


def inject_pyt_ops(mx_specs: Optional[Specs]) -> None:
    """Replaces the functions of torch and torch.nn.functional, and the layers of torch.nn, in this process, until it
    ends or injects others. Call it before the model is built."""
    for name, function in FUNCTION_MAPPING.items():
        for place in (torch, nn.functional):
            if name in vars(place):
                setattr(place, name, tracer_decorator(function, mx_specs))
    for name, kind in MODULE_MAPPING.items():
        setattr(nn, name, _injected(kind, mx_specs))
