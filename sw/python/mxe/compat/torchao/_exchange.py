# SPDX-License-Identifier: Apache-2.0
"""Tensors, state dicts and files of torchao."""
from __future__ import annotations

import dataclasses
import enum
import sys
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from ._tensor import QuantizedTensor
from .prototype.mx_formats import config, mx_tensor, nvfp4_tensor
from .quantization.quantize_.common import kernel_preference

#: torchao's names of classes in files, and this package's classes.
_CLASSES: dict[str, Any] = {
    f"torchao.{module.__name__.partition('compat.torchao.')[2]}.{name}": getattr(module, name)
    for module, name in ((mx_tensor, "MXTensor"), (mx_tensor, "QuantizeTensorToMXKwargs"),
                         (nvfp4_tensor, "NVFP4Tensor"), (nvfp4_tensor, "QuantizeTensorToNVFP4Kwargs"),
                         (config, "ScaleCalculationMode"), (kernel_preference, "KernelPreference"))}
_NAMES = {cls: name for name, cls in _CLASSES.items()}


def _peers(cls: Any) -> Any:
    """torchao's class for this package's."""
    module, _, name = _NAMES[cls].rpartition(".")
    __import__(module)
    return getattr(sys.modules[module], name)


def _value(value: Any, classes: Any) -> Any:
    """An attribute in the classes of the other package: classes(type) is None for types that both share."""
    cls = classes(type(value))
    if cls is None:
        return value
    if isinstance(value, enum.Enum):
        return cls(value.value)
    known = {field.name for field in dataclasses.fields(cls)}
    found = {field.name: _value(getattr(value, field.name), classes) for field in dataclasses.fields(value)}
    return cls(**{name: one for name, one in found.items() if name in known})


def _tensor(x: Tensor, cls: Any, classes: Any) -> Tensor:
    order = [*QuantizedTensor.tensor_data_names, *cls.tensor_attribute_names,
             *getattr(cls, "optional_tensor_data_names", []), *getattr(cls, "optional_tensor_attribute_names", [])]
    made: Tensor = cls(**{name: _value(getattr(x, name), classes) for name in order})
    if isinstance(x, torch.nn.Parameter):
        return torch.nn.Parameter(made, requires_grad=False)
    return made


def _converted(x: Any, classes: Any) -> Any:
    if isinstance(x, Mapping):
        return type(x)((name, _converted(one, classes)) for name, one in x.items())  # type: ignore[call-arg]
    cls = classes(type(x))
    return x if cls is None else _tensor(x, cls, classes)


def from_torchao(x: Any) -> Any:
    """A tensor of torchao, or a state dict with such tensors, as this package's. The codes and scales are shared; other
    tensors are returned as they are."""
    return _converted(x, lambda cls: _CLASSES.get(f"{cls.__module__}.{cls.__qualname__}"))


def to_torchao(x: Any) -> Any:
    """The reverse of `from_torchao`; needs torchao."""
    return _converted(x, lambda cls: _peers(cls) if cls in _NAMES else None)


def load(file: Any, **keywords: Any) -> Any:
    """`torch.load(file, weights_only=True)`, with torchao's tensors as this package's; torchao need not be installed.

    keywords: of torch.load.
    """
    if any(name in sys.modules for name in {name.rpartition(".")[0] for name in _CLASSES}):
        return from_torchao(torch.load(file, weights_only=True, **keywords))
    with torch.serialization.safe_globals([(cls, name) for name, cls in _CLASSES.items()]):
        return torch.load(file, weights_only=True, **keywords)
