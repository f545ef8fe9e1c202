# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import enum


class QuantizationStep(str, enum.Enum):
    """Steps of quantization with observers. MX formats have PREPARE and CONVERT."""

    PREPARE = "prepare"
    CONVERT = "convert"
    PREPARE_FOR_LOADING = "prepare_for_loading"
    PREPARE_FOR_SMOOTHQUANT_SMOOTHING_FACTOR = "prepare_for_smoothquant_smoothing_factor"
    PREPARE_FOR_SMOOTHQUANT_ACTIVATION_SCALES = "prepare_for_smoothquant_activation_scales"
