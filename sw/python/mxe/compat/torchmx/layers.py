# SPDX-License-Identifier: Apache-2.0
"""The linear layer of torchmx."""
from __future__ import annotations

import torch
from torch import Tensor, nn

from .config import MXConfig, QLinearConfig
from .mx_tensor import MXTensor


def _to_mx(x: Tensor, config: MXConfig) -> MXTensor:
    return MXTensor.to_mx(x, config.elem_dtype, config.block_size)


class MXInferenceLinear(nn.Linear):
    """torch.nn.Linear with quantized weights and activations, without gradients."""

    qconfig: QLinearConfig

    @classmethod
    @torch.no_grad()
    def from_float(cls, mod: nn.Linear, qconfig: QLinearConfig) -> MXInferenceLinear:
        """The layer that takes the place of one in bfloat16; raises TypeError for other types."""
        made = cls(mod.in_features, mod.out_features, bias=False, device="meta")
        made.qconfig = qconfig
        made.weight = nn.Parameter(_to_mx(mod.weight.data, qconfig.weights_config),
                                   requires_grad=False)
        made.bias = mod.bias
        return made

    @torch.no_grad()
    def forward(self, input: Tensor) -> Tensor:
        """x [..., in_features] bfloat16 -> [..., out_features] bfloat16."""
        x = _to_mx(input, self.qconfig.activations_config)
        return nn.functional.linear(x, self.weight, self.bias)

    def extra_repr(self) -> str:
        """What `print(model)` shows."""
        return f"{super().extra_repr()}, qconfig={self.qconfig}"
