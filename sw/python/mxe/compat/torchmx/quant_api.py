# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from torch import nn

from .config import QLinearConfig
from .layers import MXInferenceLinear


def quantize_linear_(model: nn.Module, qconfig: QLinearConfig) -> None:
    """Replaces every torch.nn.Linear, but no subclass, in place; a layer with several names becomes one layer."""
    made: dict[nn.Module, MXInferenceLinear] = {}
    for module in list(model.modules()):
        for name, child in module._modules.items():
            if type(child) is nn.Linear:
                if child not in made:
                    made[child] = MXInferenceLinear.from_float(child, qconfig)
                setattr(module, name, made[child])
