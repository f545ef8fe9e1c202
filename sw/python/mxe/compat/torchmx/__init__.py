# SPDX-License-Identifier: Apache-2.0
"""torchmx 0.1.0's interface, with its numbers: `from mxe.compat.torchmx import MXTensor`.

torch multiplies the dequantized numbers, as in torchmx. Needs no torchao.
"""
from __future__ import annotations

from . import dtypes
from .config import MXConfig, QLinearConfig
from .layers import MXInferenceLinear
from .mx_tensor import MXTensor
from .quant_api import quantize_linear_

__all__ = ["MXConfig", "MXInferenceLinear", "MXTensor", "QLinearConfig", "dtypes",
           "quantize_linear_"]
