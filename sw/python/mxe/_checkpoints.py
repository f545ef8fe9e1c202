# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any, Optional, Union

import numpy as np

from . import _core
from ._array import Array


@dataclasses.dataclass(frozen=True)
class CheckpointLayer:
    """A linear layer of a checkpoint that another system quantized."""

    name: str
    layout: str  #: the system and its format, for example "ModelOpt NVFP4"
    weight: Array  #: [N, K], or [experts, N, K]; dequantize() gives the system's float32 numbers
    bias: Any  #: float32 [N] or [experts, N]; None without one
    input_scale: Optional[float]  #: constant tensor scale of the activations, for `mxe.quantize(tensor_scale=)`


def load_layer(path: Union[str, os.PathLike[str]], name: str, *,
               expert: Optional[int] = None) -> CheckpointLayer:
    """Reads one layer of a checkpoint: docs/python.md lists the systems and their layouts.

    path: a .safetensors or GGUF file, an index of shards (model.safetensors.index.json), or a folder with one of
        these. config.json in the same folder, if it exists, names the system.
    name: of the layer ("model.layers.0.mlp.up_proj"), or of the tensor with its codes.
    expert: reads this matrix of a weight with three axes alone.

    Raises ValueError for damaged files, names that no layer has, missing tensors, wrong types and shapes, and
    experts whose tensor scales differ without `expert`. Source: sw/checkpoints/layouts.h.
    """
    layer, layout, weight, bias, input_scale = _core.load_layer(os.fspath(path), name, expert)
    return CheckpointLayer(layer, layout, Array(weight), bias, input_scale)


LAYOUTS = ("modelopt", "compressed-tensors", "gpt-oss", "torchao")


def save_checkpoint(path: Union[str, os.PathLike[str]], layers: Mapping[str, Union[Array, CheckpointLayer]],
                    layout: str) -> None:
    """Writes weights as another system stores them, to a .safetensors file. It does not write config.json.

    layers: by their names; weights with blocks along the last axis, and layers of `load_layer` with their biases.
    layout: "modelopt" (nvfp4 with values c (s t), mxfp8_e4m3), "compressed-tensors" (nvfp4 with values c (s / g),
        mxfp4_e2m1, mxfp8_e4m3), "gpt-oss" (mxfp4_e2m1, names X.blocks and X.scales) or "torchao" (nvfp4 with values
        c (s t) or c s, mxfp4_e2m1, mxfp8_e4m3, mxfp8_e5m2, as torchao.prototype.safetensors of 0.18 names them).

    Raises ValueError for other layouts, for weights that the layout cannot hold, and if the file cannot be written.
    """
    if layout not in LAYOUTS:
        raise ValueError(f"unknown layout {layout!r} (allowed: {', '.join(LAYOUTS)})")
    tensors: list[tuple[str, str, Any]] = []
    for name, layer in layers.items():
        weight = layer.weight if isinstance(layer, CheckpointLayer) else layer
        tensors += list(_tensors(name, weight, layout))
        if isinstance(layer, CheckpointLayer):
            tensors += list(_others(name, layer, layout))
    metadata = _torchao_metadata({name: kind for name, kind, _ in tensors}) if layout == "torchao" else {}
    _core.save_tensors(os.fspath(path), [(name, kind, np.asarray(array, order="C")) for name, kind, array in tensors],
                       metadata)


def _kind(weight: Array) -> Optional[str]:
    """nvfp4, mxfp4, mxfp8 or mxfp8_e5m2 if codes and scales are those of the format, in blocks along the last axis."""
    switches = weight.quantizer.switches
    if weight.axis != weight.ndim - 1 or switches["walk"] != "axis" or switches["element_shift"] != 0 or \
            switches["row_scaled"]:
        return None
    element = _core.format_info(weight.format)["name"]
    scales = (weight.scale_format, weight.block, weight.ndim > 1 and weight.shape[-1] % weight.block == 0)
    if element in ("nvfp4", "mxfp4_e2m1") and scales == ("e4m3", 16, True):
        return "nvfp4"
    if scales == ("e8m0", 32, True):
        return {"mxfp4_e2m1": "mxfp4", "mxfp8_e4m3": "mxfp8", "mxfp8_e5m2": "mxfp8_e5m2"}.get(element)
    return None


def _tensors(name: str, weight: Array, layout: str) -> Iterator[tuple[str, str, Any]]:
    kind, core = _kind(weight), weight._core
    if kind == "nvfp4" and layout == "modelopt" and weight.quantizer.switches["value_order"] == "scales_first":
        yield f"{name}.weight", "U8", core.pack("low")
        yield f"{name}.weight_scale", "F8_E4M3", core.scales
        yield f"{name}.weight_scale_2", "F32", np.float32(weight.tensor_scale)
    elif kind == "nvfp4" and layout == "compressed-tensors" and weight.quantizer.switches["value_order"] == "division":
        yield f"{name}.weight_packed", "U8", core.pack("low")
        yield f"{name}.weight_scale", "F8_E4M3", core.scales
        yield f"{name}.weight_global_scale", "F32", np.full(1, weight.tensor_scale, np.float32)
    elif kind == "mxfp4" and layout == "compressed-tensors":
        yield f"{name}.weight_packed", "U8", core.pack("low")
        yield f"{name}.weight_scale", "U8", core.scales
    elif kind == "mxfp4" and layout == "gpt-oss":
        blocks = core.pack("low")
        yield f"{name}.blocks", "U8", blocks.reshape(*blocks.shape[:-1], -1, 16)
        yield f"{name}.scales", "U8", core.scales
    elif kind is not None and layout == "torchao":
        yield from _torchao_tensors(name, weight, kind)
    elif kind == "mxfp8" and layout != "gpt-oss":
        yield f"{name}.weight", "F8_E4M3", core.codes
        yield f"{name}.weight_scale", "U8", core.scales
    else:
        raise ValueError(f"layer '{name}': the layout {layout} does not store {weight!r}")


#: Parts of a torchao tensor P.weight: P._weight_qdata and so on, in the order of its metadata.
_TORCHAO_PARTS = ("per_tensor_scale", "act_per_tensor_scale", "qdata", "scale")
#: torch.dtype of the codes, by the type of qdata in the file.
_TORCHAO_TYPES = {"U8": "float4_e2m1fn_x2", "F8_E4M3": "float8_e4m3fn", "F8_E5M2": "float8_e5m2"}


def _torchao_tensors(name: str, weight: Array, kind: str) -> Iterator[tuple[str, str, Any]]:
    core = weight._core
    if kind == "nvfp4":
        if weight.quantizer.switches["value_order"] != "scales_first":
            raise ValueError(f"layer '{name}': the layout torchao does not store {weight!r}")
        if weight.quantizer.switches["uses_tensor_scale"]:
            yield f"{name}._weight_per_tensor_scale", "F32", np.float32(weight.tensor_scale)
        yield f"{name}._weight_qdata", "U8", core.pack("low")
        yield f"{name}._weight_scale", "F8_E4M3", core.scales
        return
    if kind == "mxfp4":
        yield f"{name}._weight_qdata", "U8", core.pack("low")
    else:
        yield f"{name}._weight_qdata", "F8_E4M3" if kind == "mxfp8" else "F8_E5M2", core.codes
    yield f"{name}._weight_scale", "F8_E8M0", core.scales


def _torchao_metadata(tensors: Mapping[str, str]) -> dict[str, str]:
    """The descriptions from which torchao makes its tensors again: `tensors` are the types by name."""
    described: dict[str, Any] = {}
    for name, kind in tensors.items():
        if not name.endswith("._weight_qdata"):
            continue
        prefix = name.removesuffix("qdata")
        parts = [part for part in _TORCHAO_PARTS if prefix + part in tensors]
        data: dict[str, Any] = {"is_swizzled_scales": False, "act_quant_kwargs": None,
                                "orig_dtype": {"_type": "torch.dtype", "_data": "float32"}}
        nvfp4 = tensors[prefix + "scale"] == "F8_E4M3"
        if nvfp4:
            data |= {"block_size": 16, "use_triton_kernel": False}
        else:
            data |= {"block_size": 32, "elem_dtype": {"_type": "torch.dtype", "_data": _TORCHAO_TYPES[kind]},
                     "kernel_preference": {"_type": "KernelPreference", "_data": "EMULATED"}}
        described[prefix.removesuffix("_weight_") + "weight"] = {
            "_type": "NVFP4Tensor" if nvfp4 else "MXTensor", "_data": data, "_tensor_data_names": parts}
    described |= {name: {"_type": "Tensor"} for name in tensors if name.endswith(".bias")}
    texts = {name: json.dumps(value) for name, value in described.items()}
    return texts | {"tensor_names": json.dumps(list(described))}


def _others(name: str, layer: CheckpointLayer, layout: str) -> Iterator[tuple[str, str, Any]]:
    if layer.bias is not None:
        short = name.removesuffix("_weight")
        bias = f"{short}_bias" if layout == "gpt-oss" and short != name else f"{name}.bias"
        yield bias, "F32", np.asarray(layer.bias, np.float32)
    if layer.input_scale is not None and layout == "modelopt":
        yield f"{name}.input_scale", "F32", np.float32(layer.input_scale)
    if layer.input_scale is not None and layout == "compressed-tensors":
        yield f"{name}.input_global_scale", "F32", np.full(1, layer.input_scale, np.float32)
    if layer.input_scale is not None and layout == "torchao":
        yield f"{name}._weight_act_per_tensor_scale", "F32", np.float32(layer.input_scale)
