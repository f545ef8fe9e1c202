# SPDX-License-Identifier: Apache-2.0
"""The products of a model's linear layers without data."""
from __future__ import annotations

import math
from typing import Any, NamedTuple, Optional

import torch
from torch import Tensor, nn

from mxe._quantizer import FormatLike, Quantizer

from ._layers import MXLinear


class Product(NamedTuple):
    """[m, k] @ [k, n] (+ bias) of a layer, and its formats if it has some."""

    name: str
    m: int
    n: int
    k: int
    format_a: Optional[FormatLike]
    format_b: Optional[FormatLike]
    bias: bool  # whether a row is added


def products(model: nn.Module, inputs: Any) -> list[Product]:
    """The products that the model's linear layers compute in one forward pass, in their order.

    inputs: the shape of the model's input, float32, or a list of such shapes and of tensors, whose
        shapes and types count.

    Nothing is computed: tensors are on the device "meta", and linear layers are left out. Raises
    what the model raises for such inputs, and ValueError for shapes that are none.
    """
    found: list[Product] = []
    layers = {name: module for name, module in model.named_modules()
              if isinstance(module, nn.Linear)}
    own = {f"{name}.{parameter}" if name else parameter for name, layer in layers.items()
           for parameter, _ in layer.named_parameters(recurse=False)}
    meta = {name: tensor.detach().to("meta")
            for name, tensor in [*model.named_parameters(), *model.named_buffers()]
            if name not in own}
    try:
        for name, layer in layers.items():
            layer.forward = _counted(layer, name, found)
        with torch.no_grad():
            torch.func.functional_call(model, meta, tuple(map(_meta, _listed(inputs))))
    finally:
        for layer in layers.values():
            vars(layer).pop("forward", None)
    return found


def _counted(layer: nn.Linear, name: str, found: list[Product]) -> Any:
    """What takes the place of a layer's forward()."""
    def forward(x: Tensor) -> Tensor:
        title = layer._name if isinstance(layer, MXLinear) else name or "linear"
        formats: tuple[Any, Any] = (None, None)
        if isinstance(layer, MXLinear):
            formats = (layer.config.activation, layer.config.weight)
        if isinstance(layer, MXLinear) and formats[0] is None:
            raise ValueError(f"layer '{title}' has weights in {_name(formats[1])} but no "
                             "activation: an engine has no such product")
        found.append(Product(title, math.prod(x.shape[:-1]), layer.out_features,
                             layer.in_features, _name(formats[0]), _name(formats[1]),
                             layer.bias is not None))
        return x.new_empty([*x.shape[:-1], layer.out_features])
    return forward


def _name(format: Any) -> Any:
    return format.format if isinstance(format, Quantizer) else format


def _listed(inputs: Any) -> list[Any]:
    """One shape or tensor, or several."""
    if isinstance(inputs, Tensor):
        return [inputs]
    if all(isinstance(size, int) for size in inputs):
        return [tuple(inputs)]
    return list(inputs)


def _meta(one: Any) -> Tensor:
    if isinstance(one, Tensor):
        return torch.empty_like(one, device="meta")
    if not all(isinstance(size, int) and size > 0 for size in one):
        raise ValueError(f"an input is a shape of numbers of at least 1 or a tensor, not {one!r}")
    return torch.empty(tuple(one), device="meta")
