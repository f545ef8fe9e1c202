# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Optional

from torch import Tensor, nn

from mxe.torch._layers import keep_off_fast_paths

from .functions import linear
from .specs import MxSpecs, Specs, apply_mx_specs


class Linear(nn.Linear):
    """torch.nn.Linear, quantized by mx_specs unless they are None."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True,
                 mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> None:
        super().__init__(in_features, out_features, bias)
        self.name = name
        self.apply_mx_specs(mx_specs)
        self.register_forward_pre_hook(keep_off_fast_paths)

    def apply_mx_specs(self, mx_specs: Optional[Specs]) -> None:
        self.mx_specs: Optional[MxSpecs] = None if mx_specs is None else apply_mx_specs(mx_specs)

    def forward(self, input: Tensor) -> Tensor:
        """input [..., in_features] -> [..., out_features]."""
        return linear(input, self.weight, self.bias, self.mx_specs,
                      name=self.name)
