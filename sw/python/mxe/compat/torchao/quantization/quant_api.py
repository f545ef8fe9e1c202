# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from typing import Any, Optional

from torch import nn

from ..core.config import AOBaseConfig
from .transform_module import _QUANTIZE_CONFIG_HANDLER


def _is_linear(mod: nn.Module, *args: Any) -> bool:
    return isinstance(mod, nn.Linear) and hasattr(mod, "weight") and not isinstance(
        mod, nn.modules.linear.NonDynamicallyQuantizableLinear)


def _replaced(module: nn.Module, filter_fn: Callable[[nn.Module, str], bool], name: str, device: Any,
              config: AOBaseConfig) -> nn.Module:
    """The module or its replacement; its children are replaced unless filter_fn chooses the module."""
    if device is not None:
        module.to(device=device)
    if filter_fn(module, name):
        made: nn.Module = _QUANTIZE_CONFIG_HANDLER[type(config)](module, config)
        return made
    for own, child in list(module.named_children()):
        new = _replaced(child, filter_fn, f"{name}.{own}" if name else own, device, config)
        if new is not child:
            setattr(module, own, new)
    return module


def quantize_(model: nn.Module, config: AOBaseConfig,
              filter_fn: Optional[Callable[[nn.Module, str], bool]] = _is_linear, device: Any = None) -> None:
    """Quantizes the weights of a model in place: those of linear layers, or of the modules that filter_fn(module, name)
    chooses. A model that is itself chosen keeps its identity only if its handler changes it in place.

    Raises TypeError for other configurations than those of this package.
    """
    if type(config) not in _QUANTIZE_CONFIG_HANDLER:
        raise TypeError(f"unknown configuration {type(config).__name__} (allowed: "
                        f"{', '.join(sorted(one.__name__ for one in _QUANTIZE_CONFIG_HANDLER))})")
    _replaced(model, _is_linear if filter_fn is None else filter_fn, "", device, config)
