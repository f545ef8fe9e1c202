# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from .kernel_preference import KernelPreference
from .quantization_step import QuantizationStep
from .quantize_tensor_kwargs import QuantizeTensorKwargs

__all__ = ["KernelPreference", "QuantizationStep", "QuantizeTensorKwargs"]
