# SPDX-License-Identifier: Apache-2.0
"""The front end for PyTorch's tensors, whichever backend is set, and pychop's layers."""
from __future__ import annotations

import copy
import functools
from typing import Any, Optional

import torch
from torch import Tensor, nn

from .. import mx_formats as front
from ..mx_formats import MX_FORMATS, FormatLike, MXSpec, compare_mx_formats, create_mx_spec

__all__ = ["MX_FORMATS", "MXAttention", "MXLinear", "MXQuantizeSTE", "MXQuantizerSTE", "MXSpec", "MXTensor_",
           "compare_mx_formats", "convert_linear_to_mx", "create_mx_spec", "mx_quantize"]


class MXTensor_(front.MXTensor_):  # noqa: N801 - a name of pychop
    __init__ = functools.partialmethod(front.MXTensor_.__init__, backend="torch")


mx_quantize = functools.partial(front.mx_quantize, backend="torch")


class MXQuantizeSTE(torch.autograd.Function):
    """apply(input, spec, block_size, scale_exp_bits, scale_sig_bits): `mx_quantize`."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, spec: MXSpec, block_size: int, scale_exp_bits: Optional[int],
                scale_sig_bits: Optional[int]) -> Tensor:
        result: Tensor = mx_quantize(input.detach(), spec, block_size, scale_exp_bits, scale_sig_bits)
        return result

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, ...]:
        return gradients[0], None, None, None, None


class MXQuantizerSTE(nn.Module):
    """`mx_quantize` with fixed arguments."""

    def __init__(self, format: FormatLike = "mxfp8_e4m3", block_size: int = 32,
                 scale_exp_bits: Optional[int] = None, scale_sig_bits: Optional[int] = None) -> None:
        super().__init__()
        self.spec = front._spec_of(format, block_size, scale_exp_bits, scale_sig_bits, "torch")
        self.format_str, self.block_size = front._title(format), block_size
        self.scale_exp_bits, self.scale_sig_bits = scale_exp_bits, scale_sig_bits

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = mx_quantize(x, self.spec)
        return result

    def __repr__(self) -> str:
        return f"MXQuantizerSTE(format={self.format_str}, block_size={self.block_size})"


class MXLinear(nn.Linear):
    """torch.nn.Linear with a quantized weight; input and output are quantized to act_format."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True,
                 weight_format: FormatLike = "mxfp8_e4m3", act_format: Optional[FormatLike] = None,
                 block_size: int = 32, quantize_input: bool = True, quantize_output: bool = False,
                 **keywords: Any) -> None:
        super().__init__(in_features, out_features, bias, **keywords)
        activation = weight_format if act_format is None else act_format
        self.weight_quantizer = MXQuantizerSTE(weight_format, block_size)
        self.input_quantizer, self.output_quantizer = (
            MXQuantizerSTE(activation, block_size) if wanted else None for wanted in (quantize_input, quantize_output))

    def forward(self, x: Tensor) -> Tensor:
        """x [..., in_features] -> [..., out_features]."""
        if self.input_quantizer is not None:
            x = self.input_quantizer(x)
        product = nn.functional.linear(x, self.weight_quantizer(self.weight), self.bias)
        return product if self.output_quantizer is None else self.output_quantizer(product)


class MXAttention(nn.Module):
    """Attention of several heads, with quantized projections and scores."""

    def __init__(self, embed_dim: int, num_heads: int, format: FormatLike = "mxfp8_e4m3", block_size: int = 32,
                 dropout: float = 0.0, bias: bool = True) -> None:
        super().__init__()
        if num_heads < 1 or embed_dim % num_heads:
            raise ValueError(f"embed_dim {embed_dim} is no multiple of num_heads {num_heads}")
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, embed_dim // num_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (
            MXLinear(embed_dim, embed_dim, bias, format, block_size=block_size) for _ in range(4))
        self.dropout = nn.Dropout(dropout)
        self.score_quantizer = MXQuantizerSTE(format, block_size)

    def forward(self, query: Tensor, key: Optional[Tensor] = None, value: Optional[Tensor] = None,
                attn_mask: Optional[Tensor] = None) -> Tensor:
        """query, key, value: [batch, length, embed_dim]; key and value default to query. attn_mask is added to the
        quantized scores."""
        def heads(x: Tensor, projection: MXLinear) -> Tensor:
            return projection(x).view(x.shape[0], -1, self.num_heads, self.head_dim).transpose(1, 2)

        q = heads(query, self.q_proj)
        k = heads(query if key is None else key, self.k_proj)
        v = heads(query if value is None else value, self.v_proj)
        scores = self.score_quantizer(torch.matmul(q, k.transpose(-2, -1)) / self.head_dim ** 0.5)
        if attn_mask is not None:
            scores = scores + attn_mask
        mixed = torch.matmul(self.dropout(torch.softmax(scores, dim=-1)), v)
        joined = mixed.transpose(1, 2).contiguous().view(query.shape[0], -1, self.embed_dim)
        result: Tensor = self.out_proj(joined)
        return result


def convert_linear_to_mx(module: nn.Module, format: FormatLike = "mxfp8_e4m3", block_size: int = 32,
                         quantize_input: bool = True, quantize_output: bool = False,
                         inplace: bool = True) -> nn.Module:
    """Replaces every linear layer inside a module by an MXLinear with copies of its parameters."""
    if not inplace:
        module = copy.deepcopy(module)
    for name, child in module.named_children():
        if not isinstance(child, nn.Linear):
            convert_linear_to_mx(child, format, block_size, quantize_input, quantize_output)
        elif not isinstance(child, MXLinear):
            made = MXLinear(child.in_features, child.out_features, child.bias is not None, format, None, block_size,
                            quantize_input, quantize_output)
            made.weight.data = child.weight.data.clone()
            if child.bias is not None:
                made.bias.data = child.bias.data.clone()
            setattr(module, name, made)
    return module
