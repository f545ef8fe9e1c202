# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from typing import Any, NamedTuple, Optional

import torch
from torch import Tensor, nn

from mxe._quantizer import FormatLike, Quantizer

from ._layers import MXLinear
from ._tensor import MXTensor
from ._text import quantizer_of


class Product(NamedTuple):
    """[m, k] @ [k, n] (+ bias) of a layer, and its formats if it is quantized."""

    name: str
    m: int
    n: int
    k: int
    format_a: Optional[FormatLike]
    format_b: Optional[FormatLike]
    bias: bool


def products(model: nn.Module, inputs: Any) -> list[Product]:
    """The products of the linear layers in one forward pass, in order, also those of direct calls of
    torch.nn.functional.linear, as in torch.nn.MultiheadAttention.

    inputs: the shape of the model's float32 input, or a list of shapes and tensors, whose values do not
    matter. Nothing is computed: tensors are on the device "meta". Raises the model's exceptions for such
    inputs, and ValueError for invalid shapes.
    """
    found: list[Product] = []
    layers = {name: module for name, module in model.named_modules()
              if isinstance(module, nn.Linear)}
    meta = {name: torch.empty_like(tensor.detach(), device="meta")
            if not isinstance(tensor, MXTensor) else
            torch.empty(tensor.shape, dtype=tensor.dtype, device="meta")
            for name, tensor in [*model.named_parameters(), *model.named_buffers()]}
    listed = _listed(inputs)
    try:
        for name, layer in layers.items():
            layer.forward = _counted(layer, name, found)
        with torch.no_grad(), _Linears(model, meta, found):
            # An input that is listed twice stays one object: MultiheadAttention recognises self-attention by identity.
            known = {id(one): _meta(one) for one in listed}
            torch.func.functional_call(model, meta, tuple(known[id(one)] for one in listed))
    finally:
        for layer in layers.values():
            vars(layer).pop("forward", None)
    return found


def _counted(layer: nn.Linear, name: str, found: list[Product]) -> Any:
    def forward(x: Tensor) -> Tensor:
        title = layer._name if isinstance(layer, MXLinear) else name or "linear"
        formats: tuple[Any, Any] = (None, None)
        if isinstance(layer, MXLinear):
            formats = (layer.config.activation, layer.config.weight)
            _check_activation(title, *formats)
        found.append(Product(title, math.prod(x.shape[:-1]), layer.out_features,
                             layer.in_features, _name(formats[0]), _name(formats[1]),
                             layer.bias is not None))
        return x.new_empty([*x.shape[:-1], layer.out_features])
    return forward


class _Linears:
    """Counts calls of torch.nn.functional.linear with a weight of the model, also those from torch's own
    functions, which a TorchFunctionMode would miss."""

    def __init__(self, model: nn.Module, meta: dict[str, Tensor], found: list[Product]) -> None:
        self._found = found
        self._names = {id(tensor): name for name, tensor in meta.items()}
        self._weights = dict(model.named_parameters())
        self._linear = nn.functional.linear

    def __enter__(self) -> None:
        setattr(nn.functional, "linear", self._counted)

    def __exit__(self, *_: object) -> None:
        setattr(nn.functional, "linear", self._linear)

    def _counted(self, input: Tensor, weight: Tensor, bias: Optional[Tensor] = None) -> Tensor:
        whole = weight if weight._base is None else weight._base  # a slice of a parameter
        name = self._names.get(id(whole))
        if name is not None:
            self._count(name, input, weight, bias)
        return self._linear(input, weight, bias)

    def _count(self, name: str, input: Tensor, weight: Tensor, bias: Optional[Tensor]) -> None:
        title = name.removesuffix("_weight").removesuffix(".weight")
        quantized = self._weights.get(name)
        formats: tuple[Any, Any] = (None, None)
        if isinstance(quantized, MXTensor):
            formats = (None if quantized.activation is None else
                       quantizer_of(quantized.activation), quantized.quantizer)
            _check_activation(title, *formats)
        self._found.append(Product(title, math.prod(input.shape[:-1]), weight.shape[0],
                                   weight.shape[1], _name(formats[0]), _name(formats[1]),
                                   bias is not None))


def _check_activation(title: str, activation: Any, weight: Any) -> None:
    if activation is None:
        raise ValueError(f"layer '{title}' has weights in {_name(weight)} but no activation: an "
                         "engine has no such product")


def _name(format: Any) -> Any:
    return format.format if isinstance(format, Quantizer) else format


def _listed(inputs: Any) -> list[Any]:
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
