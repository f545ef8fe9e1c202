# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Optional, get_args

import torch
from torch import Tensor

from mxe._array import description_of
from mxe._names import AccumulateName

from ._tensor import MXTensor
from ._text import quantizer_of, text_of

_TYPES = {str(dtype): dtype for dtype in (torch.float32, torch.bfloat16, torch.float16, torch.float64)}


def flatten_state_dict(state: Mapping[str, Any]) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Plain tensors and metadata for `safetensors.torch.save_file`: the parts of every MXTensor, and all other tensors.

    An MXTensor X becomes X.elements, X.scales and, for presets with a scale for every row, X.row_amax. The metadata
    X.mxe describe it, so `mxe.load` reads the file as well.

    Raises ValueError if a part has the name of another tensor, and TypeError for values that are not tensors.
    """
    tensors: dict[str, Tensor] = {}
    metadata = {}
    for name, value in state.items():
        if not isinstance(value, Tensor):
            raise TypeError(f"'{name}' must be a tensor, not {type(value).__name__}")
        parts = {name: value}
        if isinstance(value, MXTensor):
            parts, metadata[f"{name}.mxe"] = _parts(name, value)
        for part, tensor in parts.items():
            if part in tensors:
                raise ValueError(f"two tensors have the name '{part}'")
            tensors[part] = tensor.detach()
    return tensors, metadata


def _parts(name: str, value: MXTensor) -> tuple[dict[str, Tensor], str]:
    if type(value) is not MXTensor:
        raise TypeError(f"'{name}' must be an mxe.torch.MXTensor, not {type(value).__module__}.{type(value).__name__}")
    parts = {f"{name}.elements": value.codes.contiguous(), f"{name}.scales": value.scales.contiguous()}
    if len(value.whole) > 2:
        parts[f"{name}.row_amax"] = value.whole[2:].clone()
    layer = {"dtype": str(value.dtype), "on": value.on, "activation": value.activation,
             "accumulate": value.accumulate}
    return parts, json.dumps({**description_of(value.array), "torch": layer}, sort_keys=True)


def unflatten_state_dict(tensors: Mapping[str, Tensor], metadata: Optional[Mapping[str, str]]) -> dict[str, Tensor]:
    """The state_dict of the tensors and the metadata of `flatten_state_dict`.

    Raises ValueError for metadata and parts that do not make an MXTensor.
    """
    state = dict(tensors)
    for key, text in (metadata or {}).items():
        if key.endswith(".mxe"):
            name = key.removesuffix(".mxe")
            state[name] = _whole(name, text, state)
    return state


def _whole(name: str, text: str, state: dict[str, Tensor]) -> MXTensor:
    try:
        said = json.loads(text)
        torch_said = said["torch"]
        quantizer = f"{said['format']}:{said['preset']}:{json.dumps(said['switches'])}"
        dtype, axis = _TYPES[torch_said["dtype"]], int(said["axis"])
        whole = [float(said["tensor_scale"]), float(said["tensor_amax"])]
        activation, accumulate, on = (torch_said[which] for which in ("activation", "accumulate", "on"))
        if accumulate not in get_args(AccumulateName) or not isinstance(activation, (str, type(None))):
            raise ValueError
    except (KeyError, TypeError, ValueError, OverflowError):
        raise ValueError(f"the metadata '{name}.mxe' are damaged") from None
    if activation is not None:
        quantizer_of(activation)
    missing = [part for part in ("elements", "scales") if f"{name}.{part}" not in state]
    if missing:
        raise ValueError(f"there is no tensor '{name}.{missing[0]}'")
    rows = state.pop(f"{name}.row_amax", torch.empty(0))
    made = MXTensor(state.pop(f"{name}.elements"), state.pop(f"{name}.scales"),
                    torch.cat([torch.tensor(whole), rows.reshape(-1).float()]), text_of(quantizer_of(quantizer)), axis,
                    dtype, on)
    made.activation, made.accumulate = activation, accumulate
    made.array  # noqa: B018 - raises ValueError for parts that do not fit together
    return made
