# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from typing import Any

_Handler = Callable[..., Any]
_QUANTIZE_CONFIG_HANDLER: dict[type[Any], _Handler] = {}


def register_quantize_module_handler(config_type: type[Any]) -> Callable[[_Handler], _Handler]:
    """Registers function(module, config), which returns the quantized module, for `quantize_`."""
    def decorator(func: _Handler) -> _Handler:
        _QUANTIZE_CONFIG_HANDLER[config_type] = func
        return func
    return decorator
