# SPDX-License-Identifier: Apache-2.0
"""microsoft/microxcaling's interface: `from mxe.compat.microxcaling import Linear`, not `from mx`.

The presets microxcaling-* quantize; with custom_cuda those of its CUDA kernels, on any machine. torch
multiplies, as in microxcaling. Not supported: convolutions, and layers without products (norms, activations).
"""
from __future__ import annotations

from .functions import bmm, linear, matmul
from .layers import Linear
from .quantizing import quantize_elemwise_op, quantize_mx_op
from .specs import MxSpecs, add_mx_args, apply_mx_specs, finalize_mx_specs, get_backwards_mx_specs, get_mx_specs

__all__ = ["Linear", "MxSpecs", "add_mx_args", "apply_mx_specs", "bmm", "finalize_mx_specs",
           "get_backwards_mx_specs", "get_mx_specs", "linear", "matmul", "quantize_elemwise_op",
           "quantize_mx_op"]
