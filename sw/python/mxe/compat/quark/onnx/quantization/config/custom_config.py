# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import copy
from typing import Any

from .legacy import QuantizationConfig

DEFAULT_MICROSCALING_PARAMS = {"element_dtype": "int8", "axis": 1, "block_size": 32, "rounding_mode": 2}

_ELEMENTS = {"MXFP8E5M2": "fp8_e5m2", "MXFP8E4M3": "fp8_e4m3", "MXFP6E3M2": "fp6_e3m2", "MXFP6E2M3": "fp6_e2m3",
             "MXFP4E2M1": "fp4_e2m1", "MXINT8": "int8"}

DefaultConfigMapping = {
    name: QuantizationConfig(extra_options={"MXAttributes": {**DEFAULT_MICROSCALING_PARAMS, "element_dtype": element}})
    for name, element in _ELEMENTS.items()}


def get_default_config_mapping() -> dict[str, QuantizationConfig]:
    return DefaultConfigMapping


def get_default_config(config_name: str) -> Any:
    """A copy of the configuration of this name."""
    if config_name not in DefaultConfigMapping:
        raise ValueError(f"Unexpected config name: {config_name} (allowed: {', '.join(DefaultConfigMapping)})")
    return copy.deepcopy(DefaultConfigMapping[config_name])
