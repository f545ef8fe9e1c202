# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, Optional

from torch import nn

from ...core.config import AOBaseConfig
from ..transform_module import _QUANTIZE_CONFIG_HANDLER, register_quantize_module_handler
from .fake_quantize_config import FakeQuantizeConfigBase


class QATStep(str, enum.Enum):
    """Steps of quantization-aware training."""

    PREPARE = "prepare"
    CONVERT = "convert"


@dataclass
class QATConfig(AOBaseConfig):
    """Quantization-aware training: `quantize_` with step="prepare" before, and step="convert" after the training.

    base_config: for inference; its formats are those of the training. Or, for "prepare", the formats themselves:
    activation_config and weight_config. "convert" without base_config restores linear layers.

    Raises ValueError for other combinations.
    """

    base_config: Optional[AOBaseConfig]
    activation_config: Optional[FakeQuantizeConfigBase]
    weight_config: Optional[FakeQuantizeConfigBase]
    step: QATStep

    def __init__(self, base_config: Optional[AOBaseConfig] = None,
                 activation_config: Optional[FakeQuantizeConfigBase] = None,
                 weight_config: Optional[FakeQuantizeConfigBase] = None, *, step: QATStep = QATStep.PREPARE) -> None:
        self.base_config, self.activation_config, self.weight_config = base_config, activation_config, weight_config
        allowed = [one.value for one in QATStep]
        if str(getattr(step, "value", step)).lower() not in allowed:
            raise ValueError(f"`step` must be one of {allowed}")
        self.step = QATStep(str(getattr(step, "value", step)).lower())
        self.__post_init__()

    def __post_init__(self) -> None:
        configs = (self.activation_config, self.weight_config)
        for name, config in zip(("activation_config", "weight_config"), configs):
            if self.base_config is not None and config is not None:
                raise ValueError(f"Cannot specify both `base_config` and `{name}`")
        if self.step == QATStep.PREPARE and not any((self.base_config, *configs)):
            raise ValueError("Must specify `base_config`, `activation_config`, or `weight_config` in the prepare step")
        if self.step == QATStep.CONVERT and any(configs):
            raise ValueError("Cannot specify `weight_config` or `activation_config` in the convert step")
        if isinstance(self.base_config, FakeQuantizeConfigBase):
            kind = type(self.base_config).__name__
            raise ValueError(f"{kind} was passed as `base_config` (allowed: activation_config={kind}(...), "
                             f"weight_config={kind}(...))")


def _infer_fake_quantize_configs(base_config: Any) -> tuple[Any, Any]:
    """The formats of activations and weights of a configuration for inference."""
    from ...prototype.mx_formats import MXDynamicActivationMXWeightConfig, NVFP4DynamicActivationNVFP4WeightConfig
    from ...prototype.qat import MXFakeQuantizeConfig, NVFP4FakeQuantizeConfig
    if isinstance(base_config, NVFP4DynamicActivationNVFP4WeightConfig):
        is_scaled = base_config.use_dynamic_per_tensor_scale
        return (NVFP4FakeQuantizeConfig(is_scaled, False, False),
                NVFP4FakeQuantizeConfig(is_scaled, True, base_config.use_triton_kernel))
    if isinstance(base_config, MXDynamicActivationMXWeightConfig):
        activations, weights = (MXFakeQuantizeConfig(dtype, base_config.block_size, base_config.scaling_mode,
                                                     base_config.kernel_preference)
                                for dtype in (base_config.activation_dtype, base_config.weight_dtype))
        return activations, weights
    raise ValueError(f"there is no training for {type(base_config).__name__} (allowed: "
                     "MXDynamicActivationMXWeightConfig, NVFP4DynamicActivationNVFP4WeightConfig)")


@register_quantize_module_handler(QATConfig)
def _qat_config_transform(module: Any, config: QATConfig) -> nn.Module:
    from ...prototype.qat import (
        MXFakeQuantizeConfig,
        MXFakeQuantizedLinear,
        NVFP4FakeQuantizeConfig,
        NVFP4FakeQuantizedLinear,
    )
    layers: dict[Any, Any] = {MXFakeQuantizeConfig: MXFakeQuantizedLinear,
                              NVFP4FakeQuantizeConfig: NVFP4FakeQuantizedLinear}
    if config.step == QATStep.CONVERT:
        base, restored = config.base_config, module
        if type(module) in layers.values():
            restored = module.to_linear()
            restored = restored if base is None else _QUANTIZE_CONFIG_HANDLER[type(base)](restored, base)
        changed: nn.Module = restored
        return changed
    activation, weight = (config.activation_config, config.weight_config) if config.base_config is None else \
        _infer_fake_quantize_configs(config.base_config)
    if not isinstance(module, nn.Linear):
        raise ValueError(f"Module of type '{type(module)}' does not have QAT support")
    if type(weight) not in layers or (activation is not None and type(activation) is not type(weight)):
        raise ValueError(f"there is no training with {type(weight).__name__} for weights and "
                         f"{type(activation).__name__} for activations (allowed: MXFakeQuantizeConfig or "
                         "NVFP4FakeQuantizeConfig, for both)")
    made: nn.Module = layers[type(weight)].from_linear(module, activation, weight)
    return made
