# SPDX-License-Identifier: Apache-2.0
"""torchmx 0.1.0's interface, with its numbers: `from mxe.compat.torchmx.mx_tensor import MXTensor`.

torch multiplies the dequantized numbers, as in torchmx. Needs no torchao.
"""
from __future__ import annotations

from . import config, custom_float_cast, dtypes, env_variables, layers, mx_tensor, quant_api, utils
from .config import MXConfig, QAttentionConfig, QLinearConfig
from .layers import MXInferenceLinear
from .mx_tensor import MXTensor
from .quant_api import mx_dynamic_activation_mx_weights, quantize_linear_, quantize_llm_

__all__ = ["MXConfig", "MXInferenceLinear", "MXTensor", "QAttentionConfig", "QLinearConfig", "config",
           "custom_float_cast", "dtypes", "env_variables", "layers", "mx_dynamic_activation_mx_weights", "mx_tensor",
           "quant_api", "quantize_linear_", "quantize_llm_", "utils"]
