# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import torch
from torch import Tensor, nn

from mxe._autograd import refused

from ..config import MXConfig, QLinearConfig
from ..mx_tensor import MXTensor


def _to_mx(x: Tensor, config: MXConfig) -> MXTensor:
    return MXTensor.to_mx(x, config.elem_dtype, config.block_size)


class MXInferenceLinear(nn.Linear):
    """Quantized weights and activations; backward() through the input raises RuntimeError."""

    qconfig: QLinearConfig

    @classmethod
    @torch.no_grad()
    def from_float(cls, mod: nn.Linear, qconfig: QLinearConfig) -> MXInferenceLinear:
        """A quantized replacement for a bfloat16 layer; raises TypeError for other types."""
        made = cls.__new__(cls)
        made.__dict__.update(mod.__dict__)  # keeps hooks and attributes
        made.__dict__["_parameters"] = dict(mod._parameters)
        made.qconfig = qconfig
        made.weight = nn.Parameter(_to_mx(mod.weight.data, qconfig.weights_config),
                                   requires_grad=False)
        return made

    def forward(self, x: Tensor) -> Tensor:
        """x [..., in_features] bfloat16 -> [..., out_features] bfloat16."""
        with torch.no_grad():
            quantized = _to_mx(x, self.qconfig.activations_config)
            product = nn.functional.linear(quantized, self.weight, self.bias)
        if torch.is_grad_enabled() and x.requires_grad:
            product = refused(product, "MXInferenceLinear has no gradient", x)
        return product

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, qconfig={self.qconfig}"
