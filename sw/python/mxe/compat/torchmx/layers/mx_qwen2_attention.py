# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor
from transformers.models.qwen2.configuration_qwen2 import Qwen2Config
from transformers.models.qwen2.modeling_qwen2 import (
    Qwen2Attention,
    Qwen2MLP,
    Qwen2RotaryEmbedding,
    apply_rotary_pos_emb,
)

from ..config import QAttentionConfig, QLinearConfig
from ._attention import attention, instance_of, projected, quantized_layers


class MXInferenceQwen2MLP(Qwen2MLP):
    """Qwen2MLP with quantized linear layers."""

    qconfig: QLinearConfig

    @classmethod
    @torch.no_grad()
    def from_float(cls, mod: Qwen2MLP, qconfig: QLinearConfig) -> MXInferenceQwen2MLP:
        """Raises AssertionError for other layers."""
        instance_of(mod, Qwen2MLP)
        with torch.device("meta"):
            made = cls(config=Qwen2Config(hidden_size=mod.hidden_size, intermediate_size=mod.intermediate_size))
        made.act_fn = mod.act_fn
        made.qconfig = qconfig
        quantized_layers(made, mod, ("gate_proj", "up_proj", "down_proj"), qconfig)
        return made


class MXInferenceQwen2Attention(Qwen2Attention):
    """Qwen2Attention with quantized projections, and quantized products if the config has their formats."""

    qconfig: QAttentionConfig

    @classmethod
    @torch.no_grad()
    def from_float(cls, mod: Qwen2Attention, qconfig: QAttentionConfig) -> MXInferenceQwen2Attention:
        """Raises AssertionError for other layers."""
        instance_of(mod, Qwen2Attention)
        with torch.device("meta"):
            made = cls(config=mod.config, layer_idx=mod.layer_idx)
        made.qconfig = qconfig
        quantized_layers(made, mod, ("q_proj", "k_proj", "v_proj", "o_proj"), qconfig.projection_config)
        made.rotary_emb = Qwen2RotaryEmbedding(made.head_dim, max_position_embeddings=made.max_position_embeddings,
                                               base=made.rope_theta, device=mod.q_proj.weight.device)
        return made

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, qconfig={self.qconfig}"

    def forward(self, hidden_states: Tensor, attention_mask: Optional[Tensor] = None,
                position_ids: Optional[Tensor] = None, past_key_value: Any = None, output_attentions: bool = False,
                use_cache: bool = False, cache_position: Optional[Tensor] = None) -> tuple[Any, ...]:
        """As MXInferenceLlamaAttention. Raises ValueError for a cache without layer_idx."""
        query, key, value = projected(self, hidden_states)
        length = key.shape[-2]
        if past_key_value is not None:
            if self.layer_idx is None:
                raise ValueError(f"a cache needs a layer_idx, which this {type(self).__name__} lacks")
            length += past_key_value.get_usable_length(length, self.layer_idx)
        cos, sin = self.rotary_emb(value, seq_len=length)
        query, key = apply_rotary_pos_emb(query, key, cos, sin, position_ids)
        return attention(self, query, key, value, (cos, sin), attention_mask, past_key_value, cache_position,
                         output_attentions)
