# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor, nn


class QuantizedForward(torch.autograd.Function):
    """The product of quantized operands, with the gradients of the product of dequantized numbers."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Optional[Tensor], layer: Any) -> Tensor:
        rows = layer._quantized(x.reshape(-1, x.shape[-1]).contiguous(), layer.activation_config)
        columns = layer._quantized(weight.contiguous(), layer.weight_config)
        ctx.save_for_backward(rows, columns)
        product: Tensor = layer._product(rows, columns.t(), bias)
        return product.view(*x.shape[:-1], product.shape[-1])

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Optional[Tensor], ...]:
        """Like torchao's, it has no gradient of the bias."""
        gradient, = gradients
        rows, columns = (one.dequantize(one.orig_dtype) for one in ctx.saved_tensors)
        flat = gradient.reshape(-1, gradient.shape[-1])
        return torch.mm(flat, columns).view(*gradient.shape[:-1], -1), torch.mm(flat.t(), rows), None, None


class FakeQuantizedLinear(nn.Linear):
    """Base of the layers for one family of formats."""

    _family: str

    def __init__(self, in_features: int, out_features: int, bias: bool = False, activation_config: Any = None,
                 weight_config: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(in_features, out_features, bias, *args, **kwargs)
        if weight_config is None:
            raise ValueError("Must specify `weight_config`")
        if activation_config is None:
            raise ValueError(f"Weight only {self._family} QAT not supported yet")
        self.activation_config, self.weight_config = activation_config, weight_config

    @staticmethod
    def _quantized(x: Tensor, config: Any) -> Any:
        raise NotImplementedError

    @staticmethod
    def _product(a: Any, b: Any, bias: Optional[Tensor]) -> Tensor:
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        product: Tensor = QuantizedForward.apply(x, self.weight, self.bias, self)
        if product.dtype != x.dtype:
            raise AssertionError(f"the product is {product.dtype}, but x is {x.dtype}")
        return product

    def to_linear(self) -> nn.Linear:
        """A linear layer with the same parameters."""
        made = nn.Linear(self.in_features, self.out_features, self.bias is not None, "meta", self.weight.dtype)
        made.weight, made.bias = self.weight, self.bias
        return made

    @classmethod
    def from_linear(cls, mod: nn.Linear, activation_config: Any = None, weight_config: Any = None) -> Any:
        """A layer with the parameters of a linear layer."""
        made = cls(mod.in_features, mod.out_features, mod.bias is not None, activation_config=activation_config,
                   weight_config=weight_config, device="meta", dtype=mod.weight.dtype)
        made.weight, made.bias = mod.weight, mod.bias
        return made
