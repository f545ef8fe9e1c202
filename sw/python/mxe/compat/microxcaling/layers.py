# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor, nn

from mxe.torch._layers import keep_off_fast_paths

from ._layers import WithSpecs
from .elemwise_ops import quantize_elemwise_op
from .functions import linear
from .specs import Specs


class Linear(WithSpecs, nn.Linear):
    """torch.nn.Linear, quantized by mx_specs unless they are None."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True,
                 mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> None:
        super().__init__(in_features, out_features, bias)
        self.prequantized_weights = False
        self._set(mx_specs, name)
        self.register_forward_pre_hook(keep_off_fast_paths)

    @torch.no_grad()
    def prequantize_weights(self) -> None:
        """Rounds weight and bias to bfloat16, for inference. Raises ValueError unless mx_specs have bfloat 16 with
        subnormals and round "even"."""
        if self.mx_none:
            return
        if (self.mx_specs["round"], self.mx_specs["bfloat"], self.mx_specs["bfloat_subnorms"]) != ("even", 16, True):
            raise ValueError("prequantized weights need bfloat=16, bfloat_subnorms=True and round='even'")
        for one in (self.weight, self.bias):
            if one is not None:
                rounded = quantize_elemwise_op(one.data, self.mx_specs, self.mx_specs["round_weight"])
                one.data = rounded.to(torch.bfloat16)
        self.prequantized_weights = True

    def forward(self, inputs: Tensor) -> Tensor:
        """inputs [..., in_features] -> [..., out_features]. Raises RuntimeError if prequantized weights are trained."""
        if self.prequantized_weights and self.training:
            raise RuntimeError("prequantized weights are for inference: call eval()")
        return linear(inputs, self.weight, self.bias, self._specs, self.prequantized_weights, self.name)
