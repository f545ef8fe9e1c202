# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from . import dtypes
from .config import QAttentionConfig, QLinearConfig
from .layers import MXInferenceLinear
from .mx_tensor import MXTensor, _text

_Replacement = Callable[[nn.Module], nn.Module]


def _replace(model: nn.Module, replacements: dict[type[nn.Module], _Replacement]) -> None:
    """Replaces modules of exactly these types; a module with several names becomes one module."""
    made: dict[nn.Module, nn.Module] = {}
    for module in list(model.modules()):
        for name, child in module._modules.items():
            replacement = replacements.get(type(child))
            if child is not None and replacement is not None:
                if child not in made:
                    made[child] = replacement(child)
                setattr(module, name, made[child])


def quantize_linear_(model: nn.Module, qconfig: QLinearConfig) -> None:
    """Replaces every torch.nn.Linear, but no subclass, in place; a layer with several names becomes one layer."""
    _replace(model, {nn.Linear: lambda linear: MXInferenceLinear.from_float(linear, qconfig)})


def quantize_llm_(model: nn.Module, qattention_config: QAttentionConfig, qmlp_config: QLinearConfig) -> None:
    """Replaces attention and MLP layers of Llama and Qwen2 in place, and all other linear layers by qmlp_config.

    Raises ImportError without the package transformers.
    """
    try:
        from transformers.models.llama.modeling_llama import LlamaAttention, LlamaMLP
        from transformers.models.qwen2.modeling_qwen2 import Qwen2Attention, Qwen2MLP

        from .layers import mx_llama_attention as llama
        from .layers import mx_qwen2_attention as qwen2
    except ImportError as error:
        raise ImportError("quantize_llm_ needs the layers of Llama and Qwen2 in transformers: pip install "
                          "transformers==4.44.2") from error
    _replace(model, {
        LlamaAttention: lambda layer: llama.MXInferenceLlamaAttention.from_float(layer, qattention_config),
        LlamaMLP: lambda layer: llama.MXInferenceLlamaMLP.from_float(layer, qmlp_config),
        Qwen2Attention: lambda layer: qwen2.MXInferenceQwen2Attention.from_float(layer, qattention_config),
        Qwen2MLP: lambda layer: qwen2.MXInferenceQwen2MLP.from_float(layer, qmlp_config)})
    quantize_linear_(model, qmlp_config)


def mx_dynamic_activation_mx_weights(weight_elem_dtype: dtypes.DType = dtypes.float6_e3m2, weight_block_size: int = 32,
                                     activation_elem_dtype: dtypes.DType = dtypes.float8_e4m3,
                                     activation_block_size: int = 32) -> Callable[[nn.Linear], nn.Linear]:
    """A function that gives a linear layer a quantized weight, which quantizes the layer's input. Raises ValueError if
    the weight has no whole blocks."""
    activation = _text(activation_elem_dtype, activation_block_size)

    @torch.no_grad()
    def with_weight(linear: nn.Linear) -> nn.Linear:
        if linear.weight.shape[-1] % weight_block_size:
            raise ValueError(f"rows of {linear.weight.shape[-1]} elements have no whole blocks of {weight_block_size}")
        weight: Any = MXTensor.to_mx(linear.weight.detach(), weight_elem_dtype, weight_block_size)
        weight.activation = activation
        linear.weight = nn.Parameter(weight, requires_grad=False)
        return linear

    made: Callable[[nn.Linear], nn.Linear] = with_weight
    return made
