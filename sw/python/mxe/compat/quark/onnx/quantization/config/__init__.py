# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from .config import Config, QConfig
from .custom_config import DefaultConfigMapping, get_default_config, get_default_config_mapping
from .legacy import QuantizationConfig

__all__ = ["Config", "DefaultConfigMapping", "QConfig", "QuantizationConfig", "get_default_config",
           "get_default_config_mapping"]
