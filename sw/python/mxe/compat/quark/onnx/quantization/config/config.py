# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

from .legacy import QuantizationConfig
from .spec import QLayerConfig


@dataclass
class Config:
    """The configuration of Quark 0.x."""

    global_quant_config: QuantizationConfig


class QConfig:
    """Formats of all layers. kwargs: extra_options, or its members.

    Layers and types with formats of their own, and algorithms, are refused when a model is quantized.
    """

    def __init__(self, global_config: QLayerConfig, specific_layer_config: Optional[dict[Any, list[str]]] = None,
                 layer_type_config: Optional[dict[Any, list[str]]] = None, exclude: Optional[list[Any]] = None,
                 algo_config: Optional[list[Any]] = None, use_external_data_format: bool = False,
                 **kwargs: Any) -> None:
        self.global_config = global_config
        self.specific_layer_config, self.layer_type_config = specific_layer_config or {}, layer_type_config or {}
        self.exclude, self.algo_config = exclude or [], algo_config or []
        self.use_external_data_format, self.extra_options = use_external_data_format, kwargs

    @staticmethod
    def get_default_config(config_name: str) -> Config:
        from .custom_config import get_default_config  # a cycle of imports
        return Config(get_default_config(config_name))
