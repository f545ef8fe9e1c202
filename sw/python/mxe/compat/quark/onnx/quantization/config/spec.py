# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import enum
from typing import Optional


class CalibMethod(enum.Enum):
    """Has no effect: MX formats need no calibration."""

    MinMax = 0
    MinMSE = 1
    Percentile = 2
    Entropy = 3
    LayerwisePercentile = 4
    Distribution = 5


class ScaleType(enum.Enum):
    """Has no effect: the scales of MX formats are powers of two."""

    Float32 = 0
    PowerOf2 = 1
    Int16 = 2


class QuantGranularity(enum.Enum):
    """Tensor is the only one for MX formats."""

    Tensor = 0
    Channel = 1
    Group = 2


class QTensorConfig:
    """The format of tensors. `element_dtype` is the name in MXAttributes."""

    element_dtype: Optional[str] = None

    def __init__(self, symmetric: bool = True, scale_type: ScaleType = ScaleType.Float32,
                 calibration_method: CalibMethod = CalibMethod.MinMax,
                 quant_granularity: QuantGranularity = QuantGranularity.Tensor) -> None:
        self.symmetric, self.scale_type = symmetric, scale_type
        self.calibration_method, self.quant_granularity = calibration_method, quant_granularity


class MXInt8Spec(QTensorConfig):
    element_dtype = "int8"


class MXFP4E2M1Spec(QTensorConfig):
    element_dtype = "fp4_e2m1"


class MXFP6E2M3Spec(QTensorConfig):
    element_dtype = "fp6_e2m3"


class MXFP6E3M2Spec(QTensorConfig):
    element_dtype = "fp6_e3m2"


class MXFP8E4M3Spec(QTensorConfig):
    element_dtype = "fp8_e4m3"


class MXFP8E5M2Spec(QTensorConfig):
    element_dtype = "fp8_e5m2"


class QLayerConfig:
    """Formats of the tensors of a layer. `activation` is the old name of `input_tensors`."""

    def __init__(self, input_tensors: Optional[QTensorConfig] = None, activation: Optional[QTensorConfig] = None,
                 weight: Optional[QTensorConfig] = None, bias: Optional[QTensorConfig] = None,
                 output_tensors: Optional[QTensorConfig] = None) -> None:
        self.input_tensors, self.activation, self.weight = input_tensors, activation, weight
        self.bias, self.output_tensors = bias, output_tensors
