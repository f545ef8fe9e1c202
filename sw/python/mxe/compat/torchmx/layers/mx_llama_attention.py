# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor
from transformers.models.llama.modeling_llama import LlamaAttention, LlamaMLP, apply_rotary_pos_emb

from ..config import QAttentionConfig, QLinearConfig
from ._attention import attention, instance_of, projected, quantized_layers


class MXInferenceLlamaMLP(LlamaMLP):
    """LlamaMLP with quantized linear layers."""

    qconfig: QLinearConfig

    @classmethod
    @torch.no_grad()
    def from_float(cls, mod: LlamaMLP, qconfig: QLinearConfig) -> MXInferenceLlamaMLP:
        """Raises AssertionError for other layers."""
        instance_of(mod, LlamaMLP)
        with torch.device("meta"):
            made = cls(config=mod.config)
        made.qconfig = qconfig
        quantized_layers(made, mod, ("gate_proj", "up_proj", "down_proj"), qconfig)
        return made


class MXInferenceLlamaAttention(LlamaAttention):
    """LlamaAttention with quantized projections, and quantized products if the config has their formats."""

    qconfig: QAttentionConfig

    @classmethod
    @torch.no_grad()
    def from_float(cls, mod: LlamaAttention, qconfig: QAttentionConfig) -> MXInferenceLlamaAttention:
        """Raises AssertionError for other layers."""
        instance_of(mod, LlamaAttention)
        with torch.device("meta"):
            made = cls(config=mod.config, layer_idx=mod.layer_idx)
        made.qconfig = qconfig
        if hasattr(mod, "rotary_emb"):
            made.rotary_emb = mod.rotary_emb
        quantized_layers(made, mod, ("q_proj", "k_proj", "v_proj", "o_proj"), qconfig.projection_config)
        return made

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, qconfig={self.qconfig}"

    def forward(self, hidden_states: Tensor, attention_mask: Optional[Tensor] = None,
                position_ids: Optional[Tensor] = None, past_key_value: Any = None, output_attentions: bool = False,
                use_cache: bool = False, cache_position: Optional[Tensor] = None, position_embeddings: Any = None,
                **keywords: Any) -> tuple[Any, ...]:
        """The output [batch, length, hidden size], the weights (None unless output_attentions), and the cache, which
        holds unquantized numbers."""
        if self.config.pretraining_tp > 1:
            raise NotImplementedError("pretraining_tp must be 1")
        query, key, value = projected(self, hidden_states)
        cos, sin = self.rotary_emb(value, position_ids) if position_embeddings is None else position_embeddings
        query, key = apply_rotary_pos_emb(query, key, cos, sin)
        return attention(self, query, key, value, (cos, sin), attention_mask, past_key_value, cache_position,
                         output_attentions)
