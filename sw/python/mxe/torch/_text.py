# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import functools
import json
from typing import Any, Union

import torch

from mxe import Quantizer
from mxe._quantizer import FormatLike, resolve


@torch.compiler.assume_constant_result  # not traced: it looks up names
def text_of(format: Union[FormatLike, Quantizer], preset: str = "ocp", **switches: Any) -> str:
    """FORMAT, FORMAT:PRESET, or FORMAT:PRESET:SWITCHES (JSON); arguments and ValueError as in `mxe.quantize`."""
    core = resolve(format, preset, **switches)
    changes = core.changes
    if changes:
        return f"{core.format}:{core.preset}:{json.dumps(changes, sort_keys=True)}"
    return core.format if core.preset == "ocp" else f"{core.format}:{core.preset}"


@functools.lru_cache(maxsize=256)
def quantizer_of(text: str) -> Quantizer:
    """The quantizer that a text describes; raises ValueError for invalid texts."""
    format, _, rest = text.partition(":")
    preset, _, switches = rest.partition(":")
    if not switches:
        return Quantizer(format, preset or "ocp")
    try:
        named = {name: tuple(value) if isinstance(value, list) else value
                 for name, value in json.loads(switches).items()}
    except (json.JSONDecodeError, AttributeError):
        raise ValueError(f"the switches of quantizer '{text}' are not a JSON object") from None
    return Quantizer(format, preset or "ocp", **named)


@functools.lru_cache(maxsize=256)
def switches_of(text: str) -> dict[str, Any]:
    """Do not modify the result, which is cached."""
    return quantizer_of(text).switches
