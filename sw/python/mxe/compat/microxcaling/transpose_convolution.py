# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor, nn

from ._layers import WithSpecs
from .convolution import Sizes, activations, conv_weight, of_bias, rounded, weights
from .specs import Specs, get_backwards_mx_specs, required

_conv_transpose2d, _conv2d = nn.functional.conv_transpose2d, torch.conv2d


class ConvTranspose2dFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: Tensor, weight: Tensor, bias: Optional[Tensor] = None, stride: Sizes = 1,
                padding: Sizes = 0, output_padding: Sizes = 0, groups: int = 1, dilation: Sizes = 1,
                mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> Tensor:
        mx_specs = required(mx_specs)
        x, w = rounded(input, mx_specs, "round_output"), rounded(weight, mx_specs, "round_weight")
        b = None if bias is None else rounded(bias, mx_specs, "round_weight")
        ctx.save_for_backward(*((x, w) if mx_specs["quantize_backprop"] else (input, weight)))
        ctx.arguments, ctx.has_bias = (stride, padding, dilation, groups), bias is not None
        ctx.specs = get_backwards_mx_specs(mx_specs)
        product = _conv_transpose2d(activations(x, mx_specs, 1), weights(w, mx_specs, 0), b, stride, padding,
                                    output_padding, groups, dilation)
        return rounded(product, mx_specs, "round_output")

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        specs, (input, weight) = ctx.specs, ctx.saved_tensors
        gradient = rounded(gradients[0], specs, "round_grad_input")
        of_weight = conv_weight(activations(gradient, specs, 0), weight.shape, activations(input, specs, 0),
                                *ctx.arguments)
        of_input = _conv2d(activations(gradient, specs, 1), weights(weight, specs, 1), None, *ctx.arguments)
        return (rounded(of_input, specs, "round_grad_input"), rounded(of_weight, specs, "round_grad_weight"),
                of_bias(gradient, specs) if ctx.has_bias else None, *[None] * 7)


class ConvTranspose2d(WithSpecs, nn.ConvTranspose2d):
    """Padding is with zeros."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Sizes, stride: Sizes = 1, padding: Sizes = 0,
                 output_padding: Sizes = 0, dilation: Sizes = 1, groups: int = 1, bias: bool = True,
                 mx_specs: Optional[Specs] = None, name: Optional[str] = None) -> None:
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias,
                         dilation)
        self._set(mx_specs, name)

    def forward(self, inputs: Tensor, output_size: Optional[list[int]] = None) -> Tensor:
        if self.mx_none:
            return super().forward(inputs, output_size)
        padding = self._output_padding(inputs, output_size, self.stride, self.padding, self.kernel_size, 2,
                                       self.dilation)
        result: Tensor = ConvTranspose2dFunction.apply(inputs, self.weight, self.bias, self.stride, self.padding,
                                                       padding, self.groups, self.dilation, self.mx_specs)
        return result
