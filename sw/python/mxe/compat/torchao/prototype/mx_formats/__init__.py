# SPDX-License-Identifier: Apache-2.0
"""MXTensor, NVFP4Tensor, and configurations of `quantize_` for inference."""
from __future__ import annotations

from .config import ScaleCalculationMode
from .inference_workflow import (
    MXDynamicActivationMXWeightConfig,
    NVFP4DynamicActivationNVFP4WeightConfig,
    NVFP4ObservedLinear,
    NVFP4WeightOnlyConfig,
)

__all__ = ["MXDynamicActivationMXWeightConfig", "NVFP4DynamicActivationNVFP4WeightConfig", "NVFP4ObservedLinear",
           "NVFP4WeightOnlyConfig", "ScaleCalculationMode"]
