# SPDX-License-Identifier: Apache-2.0
"""microsoft/microxcaling's interface: `from mxe.compat.microxcaling import Linear`, not `from mx`.

The presets microxcaling-* quantize; with custom_cuda those of its CUDA kernels, on any machine. torch
multiplies, as in microxcaling.
"""
from __future__ import annotations

from .activations import (
    GELU,
    LeakyReLU,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Tanh,
    gelu,
    leaky_relu,
    relu,
    relu6,
    sigmoid,
    silu,
    tanh,
)
from .adaptive_avg_pooling import AdaptiveAvgPool2d, adaptive_avg_pool2d
from .batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from .bmm import bmm
from .convolution import Conv1d, Conv2d, Conv3d, conv1d, conv2d, conv3d
from .elemwise_ops import quantize_elemwise_op
from .groupnorm import GroupNorm
from .layernorm import LayerNorm, RMSNorm, layer_norm
from .linear import Linear, linear
from .matmul import matmul
from .mx_ops import quantize_mx_op
from .quantize import quantize_bfloat
from .rnn import LSTM
from .simd_ops import (
    simd_add,
    simd_div,
    simd_exp,
    simd_log,
    simd_mul,
    simd_norm,
    simd_reduce_mean,
    simd_reduce_sum,
    simd_split,
    simd_sqrt,
    simd_square,
    simd_sub,
)
from .softmax import Softmax, softmax
from .specs import MxSpecs, add_mx_args, apply_mx_specs, finalize_mx_specs, get_backwards_mx_specs, get_mx_specs
from .transpose_convolution import ConvTranspose2d

__all__ = [
    "GELU", "LSTM", "AdaptiveAvgPool2d", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Conv1d", "Conv2d", "Conv3d",
    "ConvTranspose2d", "GroupNorm", "LayerNorm", "LeakyReLU", "Linear", "MxSpecs", "RMSNorm", "ReLU", "ReLU6", "SiLU",
    "Sigmoid", "Softmax", "Tanh", "adaptive_avg_pool2d", "add_mx_args", "apply_mx_specs", "bmm", "conv1d", "conv2d",
    "conv3d", "finalize_mx_specs", "gelu", "get_backwards_mx_specs", "get_mx_specs", "layer_norm", "leaky_relu",
    "linear", "matmul", "quantize_bfloat", "quantize_elemwise_op", "quantize_mx_op", "relu", "relu6", "sigmoid", "silu",
    "simd_add", "simd_div", "simd_exp", "simd_log", "simd_mul", "simd_norm", "simd_reduce_mean", "simd_reduce_sum",
    "simd_split", "simd_sqrt", "simd_square", "simd_sub", "softmax", "tanh"]
