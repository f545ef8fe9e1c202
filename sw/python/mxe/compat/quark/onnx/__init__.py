# SPDX-License-Identifier: Apache-2.0
"""`ModelQuantizer` and its configurations. Needs the package onnx, but neither onnxruntime nor Quark."""
from __future__ import annotations

from .quantization.api import ModelQuantizer, get_library_path
from .quantization.config import Config, QConfig, QuantizationConfig, get_default_config
from .quantization.config.spec import (
    CalibMethod,
    MXFP4E2M1Spec,
    MXFP6E2M3Spec,
    MXFP6E3M2Spec,
    MXFP8E4M3Spec,
    MXFP8E5M2Spec,
    MXInt8Spec,
    QLayerConfig,
    QTensorConfig,
    QuantGranularity,
    ScaleType,
)
from .quantization.quant_utils import ExtendedQuantFormat, ExtendedQuantType, VitisQuantFormat, VitisQuantType

__all__ = ["CalibMethod", "Config", "ExtendedQuantFormat", "ExtendedQuantType", "MXFP4E2M1Spec", "MXFP6E2M3Spec",
           "MXFP6E3M2Spec", "MXFP8E4M3Spec", "MXFP8E5M2Spec", "MXInt8Spec", "ModelQuantizer", "QConfig", "QLayerConfig",
           "QTensorConfig", "QuantGranularity", "QuantizationConfig", "ScaleType", "VitisQuantFormat", "VitisQuantType",
           "get_default_config", "get_library_path"]
