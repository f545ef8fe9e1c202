# SPDX-License-Identifier: Apache-2.0
"""ONNX models: the shapes of their products, and weights and activations in MX formats.

Needs the package onnx. Weights become standard DequantizeLinear nodes with blocks, so that any
runtime that knows these reads them; activations become nodes MXQuantizeDequantize with the
attributes of AMD Quark's operator of that name, which onnxruntime runs with `custom_op_library`.
"""
from ._activations import MXQuantizeDequantize, custom_op_library, quantize_activations
from ._shapes import shapes
from ._weights import quantize_weights
from ._workload import Product

__all__ = ["MXQuantizeDequantize", "Product", "custom_op_library", "quantize_activations",
           "quantize_weights", "shapes"]
