# SPDX-License-Identifier: Apache-2.0
"""The interface of torchmx 0.1.0, with its numbers: `from mxe.compat.torchmx import MXTensor`.

What quantizes is the preset torchmx. Products are torch's of the dequantized numbers, as there.
Unlike torchmx, it works together with today's torchao, and without any.
"""
from __future__ import annotations

from . import dtypes
from .config import MXConfig, QLinearConfig
from .layers import MXInferenceLinear
from .mx_tensor import MXTensor
from .quant_api import quantize_linear_

__all__ = ["MXConfig", "MXInferenceLinear", "MXTensor", "QLinearConfig", "dtypes",
           "quantize_linear_"]
