# SPDX-License-Identifier: Apache-2.0
"""ONNX models: shapes of their products, and weights and activations in MX formats.

Needs the package onnx. Weights become standard DequantizeLinear nodes with blocks. Activations become
MXQuantizeDequantize nodes, as in AMD Quark; onnxruntime runs them with `custom_op_library`.
"""
from ._activations import MXQuantizeDequantize, custom_op_library, quantize_activations
from ._shapes import shapes
from ._weights import quantize_weights
from ._workload import Product

__all__ = ["MXQuantizeDequantize", "Product", "custom_op_library", "quantize_activations",
           "quantize_weights", "shapes"]
