# SPDX-License-Identifier: Apache-2.0
"""Convolutions: blocks run along the channels that are summed, in gradients of weights along the examples."""
from __future__ import annotations

from typing import Any, Optional, Union

import torch
from torch import Tensor, nn
from torch.nn import grad

from ._layers import WithSpecs
from .elemwise_ops import quantize_elemwise_op
from .mx_ops import quantize_mx_op
from .specs import Specs, applied, get_backwards_mx_specs, required

Sizes = Union[int, tuple[int, ...]]

# The functions of torch, which mx_mapping.inject_pyt_ops() replaces.
_forward = {1: nn.functional.conv1d, 2: nn.functional.conv2d, 3: nn.functional.conv3d}
_of_input = {1: grad.conv1d_input, 2: grad.conv2d_input, 3: grad.conv3d_input}
_of_weight = {1: grad.conv1d_weight, 2: grad.conv2d_weight, 3: grad.conv3d_weight}


def rounded(x: Tensor, specs: Specs, rounding: str) -> Tensor:
    return quantize_elemwise_op(x, specs, specs[rounding])


def activations(x: Tensor, specs: Specs, axis: int) -> Tensor:
    return quantize_mx_op(x, specs, specs["a_elem_format"], axes=[axis])


def weights(x: Tensor, specs: Specs, axis: int) -> Tensor:
    return quantize_mx_op(x, specs, specs["w_elem_format"], axes=[axis])


def conv_weight(input: Tensor, weight_shape: Any, grad_output: Tensor, stride: Sizes = 1, padding: Sizes = 0,
                dilation: Sizes = 1, groups: int = 1) -> Tensor:
    """The gradient of a convolution's weight."""
    found: Tensor = _of_weight[input.dim() - 2](input, weight_shape, grad_output, stride, padding, dilation, groups)
    return found


class ConvFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: Tensor, weight: Tensor, bias: Optional[Tensor] = None, stride: Sizes = 1,
                padding: Sizes = 0, dilation: Sizes = 1, groups: int = 1, mx_specs: Optional[Specs] = None,
                name: Optional[str] = None) -> Tensor:
        mx_specs = required(mx_specs)
        x, w = rounded(input, mx_specs, "round_output"), rounded(weight, mx_specs, "round_weight")
        b = None if bias is None else rounded(bias, mx_specs, "round_weight")
        ctx.save_for_backward(*((x, w) if mx_specs["quantize_backprop"] else (input, weight)))
        ctx.arguments, ctx.has_bias = (stride, padding, dilation, groups), bias is not None
        ctx.specs = get_backwards_mx_specs(mx_specs)
        product = _forward[input.dim() - 2](activations(x, mx_specs, 1), weights(w, mx_specs, 1), b, *ctx.arguments)
        return rounded(product, mx_specs, "round_output")

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        specs, (input, weight) = ctx.specs, ctx.saved_tensors
        gradient = rounded(gradients[0], specs, "round_grad_input")
        of_weight = conv_weight(activations(input, specs, 0), weight.shape, activations(gradient, specs, 0),
                                *ctx.arguments)
        of_input = _of_input[input.dim() - 2](input.shape, weights(weight, specs, 0), activations(gradient, specs, 1),
                                              *ctx.arguments)
        return (rounded(of_input, specs, "round_grad_input"), rounded(of_weight, specs, "round_grad_weight"),
                of_bias(gradient, specs) if ctx.has_bias else None, *[None] * 6)


def of_bias(gradient: Tensor, specs: Specs) -> Tensor:
    return rounded(gradient.sum([0, *range(2, gradient.dim())]), specs, "round_grad_weight")


def _conv(axes: int, input: Tensor, weight: Tensor, bias: Optional[Tensor], stride: Sizes, padding: Sizes,
          dilation: Sizes, groups: int, mx_specs: Optional[Specs]) -> Tensor:
    specs = applied(mx_specs)
    if specs is None:
        plain: Tensor = _forward[axes](input, weight, bias, stride, padding, dilation, groups)
        return plain
    if input.dim() != axes + 2:
        raise ValueError(f"conv{axes}d with mx_specs needs {axes + 2} axes, not {input.dim()}")
    result: Tensor = ConvFunction.apply(input, weight, bias, stride, padding, dilation, groups, specs)
    return result


def conv1d(input: Tensor, weight: Tensor, bias: Optional[Tensor] = None, stride: Sizes = 1, padding: Sizes = 0,
           dilation: Sizes = 1, groups: int = 1, mx_specs: Optional[Specs] = None,
           name: Optional[str] = None) -> Tensor:
    return _conv(1, input, weight, bias, stride, padding, dilation, groups, mx_specs)


def conv2d(input: Tensor, weight: Tensor, bias: Optional[Tensor] = None, stride: Sizes = 1, padding: Sizes = 0,
           dilation: Sizes = 1, groups: int = 1, mx_specs: Optional[Specs] = None,
           name: Optional[str] = None) -> Tensor:
    return _conv(2, input, weight, bias, stride, padding, dilation, groups, mx_specs)


def conv3d(input: Tensor, weight: Tensor, bias: Optional[Tensor] = None, stride: Sizes = 1, padding: Sizes = 0,
           dilation: Sizes = 1, groups: int = 1, mx_specs: Optional[Specs] = None,
           name: Optional[str] = None) -> Tensor:
    return _conv(3, input, weight, bias, stride, padding, dilation, groups, mx_specs)


class _ConvNd(WithSpecs):
    """Padding is with zeros."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Sizes, stride: Sizes = 1, padding: Sizes = 0,
                 dilation: Sizes = 1, groups: int = 1, bias: bool = True, mx_specs: Optional[Specs] = None,
                 name: Optional[str] = None) -> None:
        super().__init__(in_channels, out_channels, kernel_size, stride, padding,  # type: ignore[call-arg]
                         dilation, groups, bias)
        self._set(mx_specs, name)

    def forward(self: Any, inputs: Tensor) -> Tensor:
        return _conv(self.weight.dim() - 2, inputs, self.weight, self.bias, self.stride, self.padding, self.dilation,
                     self.groups, self._specs)


class Conv1d(_ConvNd, nn.Conv1d):
    pass


class Conv2d(_ConvNd, nn.Conv2d):
    pass


class Conv3d(_ConvNd, nn.Conv3d):
    pass
