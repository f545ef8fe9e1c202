# SPDX-License-Identifier: Apache-2.0
"""Putting torchmx's layers into a model."""
from __future__ import annotations

from torch import nn

from .config import QLinearConfig
from .layers import MXInferenceLinear


def quantize_linear_(model: nn.Module, qconfig: QLinearConfig) -> None:
    """Replaces every torch.nn.Linear below a model, in place."""
    for name, child in list(model.named_children()):
        if type(child) is nn.Linear:
            setattr(model, name, MXInferenceLinear.from_float(child, qconfig))
        else:
            quantize_linear_(child, qconfig)
