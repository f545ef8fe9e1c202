# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from typing import Any, Optional

import torch
from torch import Tensor, nn
from transformers.models.llama.modeling_llama import repeat_kv

from ..config import MXConfig, QAttentionConfig, QLinearConfig
from ..mx_tensor import MXTensor
from .mx_linear import MXInferenceLinear


def instance_of(module: nn.Module, kind: type[nn.Module]) -> None:
    if not isinstance(module, kind):
        raise AssertionError(f"the layer must be a {kind.__name__}, but is a {type(module).__name__}")


def quantized_layers(made: nn.Module, source: nn.Module, names: tuple[str, ...], config: QLinearConfig) -> None:
    """Sets the linear layers of these names of `made` to quantized ones of `source`."""
    for name in names:
        setattr(made, name, MXInferenceLinear.from_float(getattr(source, name), config))


def _to_mx(x: Tensor, config: Optional[MXConfig]) -> MXTensor:
    assert config is not None  # QAttentionConfig has all or none
    return MXTensor.to_mx(x.contiguous(), config.elem_dtype, config.block_size)


def _heads(x: Tensor, count: int, size: int) -> Tensor:
    """[batch, length, count * size] -> [batch, count, length, size]."""
    return x.view(x.shape[0], x.shape[1], count, size).transpose(1, 2)


def projected(layer: Any, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Query, key and value of x [batch, length, hidden size], each [batch, heads, length, size]."""
    return (_heads(layer.q_proj(x), layer.num_heads, layer.head_dim),
            _heads(layer.k_proj(x), layer.num_key_value_heads, layer.head_dim),
            _heads(layer.v_proj(x), layer.num_key_value_heads, layer.head_dim))


def attention(layer: Any, query: Tensor, key: Tensor, value: Tensor, rotary: tuple[Tensor, Tensor],
              mask: Optional[Tensor], past_key_value: Any, cache_position: Optional[Tensor],
              output_attentions: bool) -> tuple[Any, ...]:
    """The results of the layer's forward(), from query and key after their rotation by `rotary`, (cos, sin)."""
    if past_key_value is not None:
        cos, sin = rotary
        known = {"sin": sin, "cos": cos, "cache_position": cache_position}
        key, value = past_key_value.update(key, value, layer.layer_idx, known)
    key, value = (repeat_kv(x, layer.num_key_value_groups) for x in (key, value))
    output, weights = _attend(layer, query, key, value, mask, layer.qconfig)
    return layer.o_proj(output), weights if output_attentions else None, past_key_value


def _attend(layer: Any, query: Tensor, key: Tensor, value: Tensor, mask: Optional[Tensor],
           config: QAttentionConfig) -> tuple[Tensor, Any]:
    """The output [batch, length, heads * size] of attention, and its weights. All operands are [batch, heads, length,
    size]; with `config`, those of both products are quantized along their sums."""
    q: Any = query
    k: Any = key
    v: Any = value
    if config.is_qkv_quantization_enabled:
        q, k = _to_mx(query, config.query_config), _to_mx(key, config.key_config)
        v = _to_mx(value.transpose(2, 3), config.value_config).transpose(2, 3)
    weights: Any = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(layer.head_dim)
    if mask is not None:
        weights = weights + mask[:, :, :, :key.shape[-2]]
    weights = nn.functional.softmax(weights, dim=-1, dtype=torch.float32).to(query.dtype)
    weights = nn.functional.dropout(weights, p=layer.attention_dropout, training=layer.training)
    if config.is_qkv_quantization_enabled:
        weights = _to_mx(weights, config.attention_weights_config)
    output = torch.matmul(weights, v)
    batch, length = query.shape[0], query.shape[2]
    return output.transpose(1, 2).contiguous().reshape(batch, length, -1), weights
