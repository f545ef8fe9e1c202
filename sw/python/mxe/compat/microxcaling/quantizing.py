# SPDX-License-Identifier: Apache-2.0
"""Quantizing by mx_specs: to an MX format, or to a narrower float without scales."""
from __future__ import annotations

from .elemwise_ops import quantize_elemwise_op
from .mx_ops import quantize_mx_op, to_mx

__all__ = ["quantize_elemwise_op", "quantize_mx_op", "to_mx"]
