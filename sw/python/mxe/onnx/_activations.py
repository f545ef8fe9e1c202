# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any, Optional

import numpy as np
import onnx
from onnx import helper
from onnx.reference.op_run import OpRun

from .. import Format, fake_quantize
from .._quantizer import FormatLike, format_name
from ._graph import Model, Names, check, load, name_of, products

# AMD Quark's names.
_ELEMENTS = {"mxfp8_e4m3": "fp8_e4m3", "mxfp8_e5m2": "fp8_e5m2", "mxfp6_e3m2": "fp6_e3m2",
             "mxfp6_e2m3": "fp6_e2m3", "mxfp4_e2m1": "fp4_e2m1", "mxint8": "int8"}
_OURS = {**_ELEMENTS, "mxfp4_e1m2": "fp4_e1m2"}
_OPERATORS = {"com.mxe": "MXQuantizeDequantize", "com.amd.quark": "MXQuantizeDequantize",
              "com.vai.quantize": "MXFixNeuron"}
# Quark's rounding modes 0 (half away from zero), 1 (half up), 2 (half to even), as parts of presets.
_ROUNDING = ("std", "dpu", "py3")


class MXQuantizeDequantize(OpRun):
    """The operator for onnx.reference: `ReferenceEvaluator(model, new_ops=[...])`. Attributes of AMD Quark:
    element_dtype, axis, block_size, rounding_mode; in com.mxe also preset (default: Quark's rounding)."""

    op_domain = "com.mxe"

    def _run(self, x: Any, axis: int = -1, block_size: int = 32, element_dtype: str = "fp8_e4m3",
             preset: str = "", rounding_mode: int = 2) -> tuple[Any]:
        format = next(name for name, theirs in _OURS.items() if theirs == element_dtype)
        preset = preset or f"quark-onnx-{_ROUNDING[rounding_mode]}"
        return (fake_quantize(np.asarray(x), format, preset, axis=axis, block=block_size),)


def custom_op_library() -> str:
    """The library of operators for onnxruntime 1.17 and later on CPUs:
    `SessionOptions.register_custom_ops_library(mxe.onnx.custom_op_library())`.

    MXQuantizeDequantize for float32 and float16: in the domain com.mxe, and with Quark's defaults in both
    of Quark's domains, so that a session cannot register Quark's library, too. Source: sw/python/onnxruntime.
    """
    return str(pathlib.Path(__file__).parents[1] / "mxe_onnxruntime.so")


def quantize_activations(model: Model, format: FormatLike, preset: str = "ocp", *,
                         block: int = 32, rounding_mode: int = 2, domain: str = "com.mxe",
                         convolutions: bool = False,
                         select: Optional[Callable[[str], bool]] = None) -> onnx.ModelProto:
    """A model that quantizes the operands A of its MatMul and Gemm nodes, in blocks along K.

    model: a ModelProto or a file; it is not changed. format: one of the engine's. preset: for com.mxe.
    domain: com.mxe, or com.amd.quark or com.vai.quantize for AMD Quark's operator, which has no
        preset and no mxfp4_e1m2. rounding_mode, for mxint8 with Quark's operator: half away from zero (0), up (1), to
        even (2).
    convolutions: also the inputs of Conv, in blocks along their channels, as in Quark.
    select: chooses nodes by name; default: all.

    Returns the new model, checked by onnx.checker, for onnxruntime with `custom_op_library`, or in the
    domain com.mxe for onnx.reference with `new_ops=[MXQuantizeDequantize]`. Raises ValueError for
    unknown formats, presets and domains, and if no node is quantized.
    """
    name = Format(format_name(format)).name
    if domain not in _OPERATORS:
        raise ValueError(f"unknown domain '{domain}' (allowed: {', '.join(_OPERATORS)})")
    elements = _OURS if domain == "com.mxe" else _ELEMENTS
    if name not in elements:
        raise ValueError(f"the operator has no {name} (allowed: {', '.join(elements)})")
    if not 0 <= rounding_mode < len(_ROUNDING):
        raise ValueError(f"rounding_mode cannot be {rounding_mode} (allowed: 0, 1, 2)")
    if domain != "com.mxe" and preset != "ocp":
        raise ValueError(f"{domain} has no presets: its operator computes quark-onnx")
    fake_quantize(np.zeros((1, 32), np.float32), name, preset, block=block)  # checks the arguments
    new = load(model)
    attributes: dict[str, Any] = {"element_dtype": elements[name], "block_size": block,
                                  "rounding_mode": rounding_mode}
    if domain == "com.mxe":
        attributes["preset"] = preset
    count = 0
    names = Names(new.graph)
    for graph, node in list(products(new.graph)):
        convolution = node.op_type == "Conv"
        if (convolution and not convolutions) or (select is not None and
                                                  not select(name_of(node))):
            continue
        transposed = node.op_type == "Gemm" and any(one.name == "transA" and one.i
                                                    for one in node.attribute)
        output = f"{names.stem(node.input[0], node, 'quantized')}.quantized"
        at = next(index for index, one in enumerate(graph.node)
                  if list(one.output) == list(node.output))
        graph.node.insert(at, helper.make_node(
            _OPERATORS[domain], [node.input[0]], [output], name=output, domain=domain,
            axis=1 if convolution else -2 if transposed else -1, **attributes))
        graph.node[at + 1].input[0] = output
        count += 1
    if not count:
        raise ValueError(f"the model has no {'Conv, ' if convolutions else ''}MatMul or Gemm"
                         + ("" if select is None else " that was selected"))
    if domain not in [one.domain for one in new.opset_import]:
        new.opset_import.append(helper.make_opsetid(domain, 1))
    check(new)
    return new
