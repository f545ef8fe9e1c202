# SPDX-License-Identifier: Apache-2.0
"""Quantized layers. Those of Llama and Qwen2 need the package transformers (4.44)."""
from __future__ import annotations

from .mx_linear import MXInferenceLinear

__all__ = ["MXInferenceLinear"]
