# SPDX-License-Identifier: Apache-2.0
"""The interface of microsoft/microxcaling, with its numbers: `from mxe.compat.microxcaling import
Linear` instead of `from mx import Linear`.

What quantizes are the presets microxcaling-* (with custom_cuda, on any machine, those of its CUDA
kernels); products are torch's of the quantized numbers, as there. Layers without matrix products
(norms, activations, ...) and convolutions are not here.
"""
from __future__ import annotations

from .functions import bmm, linear, matmul
from .layers import Linear
from .quantizing import quantize_elemwise_op, quantize_mx_op
from .specs import (MxSpecs, add_mx_args, apply_mx_specs, finalize_mx_specs,
                    get_backwards_mx_specs, get_mx_specs)

__all__ = ["Linear", "MxSpecs", "add_mx_args", "apply_mx_specs", "bmm", "finalize_mx_specs",
           "get_backwards_mx_specs", "get_mx_specs", "linear", "matmul", "quantize_elemwise_op",
           "quantize_mx_op"]
