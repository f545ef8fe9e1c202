# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor

from .elemwise_ops import quantize_elemwise_op
from .mx_ops import to_mx
from .specs import Specs, applied, apply_mx_specs, get_backwards_mx_specs, required

# The functions of torch, which mx_mapping.inject_pyt_ops() replaces.
_linear, _matmul, _bmm, _addmm = torch.nn.functional.linear, torch.matmul, torch.bmm, torch.addmm


def _rounded(x: Tensor, specs: Specs, rounding: str) -> Tensor:
    return quantize_elemwise_op(x, specs, specs[rounding])


def _added(product: Tensor, bias: Optional[Tensor], specs: Specs) -> Tensor:
    """product + bias, rounded after each step."""
    product = _rounded(product, specs, "round_output")
    return product if bias is None else _rounded(product + bias, specs, "round_output")


class LinearFunction(torch.autograd.Function):
    """input [..., K] @ weight^T [N, K] + bias [N]."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, weight: Tensor, bias: Optional[Tensor] = None,
                mx_specs: Optional[Specs] = None, prequantized_weights: bool = False,
                name: Optional[str] = None) -> Tensor:
        specs, prequantized = required(mx_specs), prequantized_weights
        x = _rounded(input, specs, "round_output")
        w, b = weight, bias
        if not prequantized:
            w = _rounded(weight, specs, "round_weight")
            b = None if bias is None else _rounded(bias, specs, "round_weight")
        ctx.specs, ctx.has_bias = get_backwards_mx_specs(specs), bias is not None
        ctx.prequantized = prequantized
        ctx.save_for_backward(*((x, w) if specs["quantize_backprop"] else (input, weight)))
        a = to_mx(x, specs, specs["a_elem_format"], -1, "round_mx_output")
        w = to_mx(w, specs, specs["w_elem_format"], -1, "round_mx_output")
        product = _linear(a, w.to(a.dtype) if prequantized else w)
        return _added(product, b, specs)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Optional[Tensor], ...]:
        if ctx.prequantized:
            raise RuntimeError("prequantized weights are for inference: they have no gradient")
        specs: Specs = ctx.specs
        x, w = ctx.saved_tensors
        grad = _rounded(gradients[0], specs, "round_grad_input")
        along_examples = to_mx(grad, specs, specs["a_elem_format_bp_ex"], -2,
                               "round_mx_grad_output_grad_weight").reshape(-1, w.shape[0])
        stashed = to_mx(x, specs, specs["a_elem_format_bp"], -2,
                        "round_mx_input_grad_weight").reshape(-1, w.shape[1])
        grad_w = _rounded(_matmul(along_examples.transpose(0, 1), stashed), specs,
                          "round_grad_weight")
        weights = to_mx(w, specs, specs["w_elem_format_bp"], 0, "round_mx_weight_grad_input")
        along_outputs = to_mx(grad, specs, specs["a_elem_format_bp_os"], -1,
                              "round_mx_grad_output_grad_input")
        grad_x = _rounded(_matmul(along_outputs, weights), specs, "round_grad_input")
        grad_b = None
        if ctx.has_bias:
            grad_b = _rounded(grad.reshape(-1, w.shape[0]).sum(0), specs, "round_grad_weight")
        return grad_x, grad_w, grad_b, None, None, None


class MatMulFunction(torch.autograd.Function):
    """in1 [..., M, K] @ in2 [..., K, N] + bias."""

    @staticmethod
    def forward(ctx: Any, in1: Tensor, in2: Tensor, bias: Optional[Tensor], mx_specs: Optional[Specs],
                name: Optional[str], mode_config: str = "aa") -> Tensor:
        specs, sides = required(mx_specs), mode_config
        a, b = (_rounded(x, specs, "round_output") for x in (in1, in2))
        added = None if bias is None else _rounded(bias, specs, "round_weight")
        ctx.specs, ctx.sides = get_backwards_mx_specs(specs), sides
        ctx.bias_shape = None if bias is None else bias.shape
        ctx.save_for_backward(*((a, b) if specs["quantize_backprop"] else (in1, in2)))
        product = _matmul(
            to_mx(a, specs, specs[f"{sides[0]}_elem_format"], -1, "round_mx_output"),
            to_mx(b, specs, specs[f"{sides[1]}_elem_format"], -2, "round_mx_output"))
        return _added(product, added, specs)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Optional[Tensor], ...]:
        specs: Specs = ctx.specs
        sides: str = ctx.sides
        a, b = ctx.saved_tensors
        grad = _rounded(gradients[0], specs, "round_grad_input")
        stashed_a = to_mx(a, specs, specs[f"{sides[0]}_elem_format_bp"], -2,
                          "round_mx_input_grad_input")
        stashed_b = to_mx(b, specs, specs[f"{sides[1]}_elem_format_bp"], -1,
                          "round_mx_input_grad_input")
        columns, rows = (to_mx(grad, specs, specs["a_elem_format_bp_os"], axis,
                               "round_mx_grad_output_grad_input") for axis in (-1, -2))
        grad_a = _matmul(columns, stashed_b.transpose(-1, -2))
        grad_b = _matmul(stashed_a.transpose(-1, -2), rows)
        grad_bias = None
        if ctx.bias_shape is not None:
            summed = grad.reshape(-1, grad.shape[-1]).sum(0).reshape(ctx.bias_shape)
            grad_bias = _rounded(summed, specs, "round_grad_weight")
        return (_rounded(grad_a, specs, "round_grad_input"),
                _rounded(grad_b, specs, "round_grad_input"), grad_bias, None, None, None)


def linear(input: Tensor, weight: Tensor, bias: Optional[Tensor] = None,
           mx_specs: Optional[Specs] = None, prequantized_weights: bool = False,
           name: Optional[str] = None) -> Tensor:
    """torch.nn.functional.linear, quantized by mx_specs unless they are None.

    prequantized_weights: weight and bias are bfloat16 and not rounded again to `bfloat` or `fp`. Raises
    TypeError if they are not bfloat16, and if a name is passed in this position.
    """
    if not isinstance(prequantized_weights, bool):
        raise TypeError("prequantized_weights must be True or False, not "
                        f"{type(prequantized_weights).__name__}")
    if applied(mx_specs) is None or mx_specs is None:
        plain: Tensor = _linear(input, weight, bias)
        return plain
    if prequantized_weights and any(one is not None and one.dtype != torch.bfloat16
                                    for one in (weight, bias)):
        raise TypeError("prequantized weights and their bias must be bfloat16")
    result: Tensor = LinearFunction.apply(input, weight, bias, apply_mx_specs(mx_specs),
                                   prequantized_weights)
    return result


def matmul(in1: Tensor, in2: Tensor, bias: Optional[Tensor] = None,
           mx_specs: Optional[Specs] = None, name: Optional[str] = None,
           mode_config: str = "aa") -> Tensor:
    """torch.matmul (+ bias), quantized by mx_specs unless they are None. mode_config: operands that are
    weights (w) or activations (a): aa, aw or wa."""
    if applied(mx_specs) is None or mx_specs is None:
        plain: Tensor = _matmul(in1, in2) if bias is None else _addmm(bias, in1, in2)
        return plain
    if mode_config not in ("aa", "aw", "wa"):
        raise ValueError(f"unknown mode '{mode_config}' (allowed: aa, aw, wa)")
    result: Tensor = MatMulFunction.apply(in1, in2, bias, apply_mx_specs(mx_specs), None, mode_config)
    return result


def bmm(in1: Tensor, in2: Tensor, mx_specs: Optional[Specs] = None,
        name: Optional[str] = None) -> Tensor:
    """torch.bmm, quantized by mx_specs unless they are None."""
    if applied(mx_specs) is None or mx_specs is None:
        plain: Tensor = _bmm(in1, in2)
        return plain
    result: Tensor = MatMulFunction.apply(in1, in2, None, apply_mx_specs(mx_specs), None)
    return result
