# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Callable
from typing import Optional, Union

import numpy as np
import onnx
from onnx import TensorProto, helper

from .. import Array, Format, quantize
from .._quantizer import FormatLike, Quantizer
from ._graph import Model, Names, Weight, check, converted, load, name_of, products_with_constants, subgraphs, weight_of

# Type of the codes, and the divisor of a code that gives the element: mxint8 code 96 is 96 / 64 = 1.5.
_TYPES = {"mxfp8_e4m3": (TensorProto.FLOAT8E4M3FN, 1.0),
          "mxfp8_e5m2": (TensorProto.FLOAT8E5M2, 1.0),
          "mxfp4_e2m1": (TensorProto.FLOAT4E2M1, 1.0),
          "mxint8": (TensorProto.INT8, 64.0)}


# Suffixes of the nodes and constants that replace weights.
_PARTS = ("codes", "scales", "matrix", "shape", "weights", "rounded")


def quantize_weights(model: Model, format: Union[FormatLike, Quantizer], preset: str = "ocp", *,
                     ort: bool = False,
                     select: Optional[Callable[[str], bool]] = None) -> onnx.ModelProto:
    """A model whose weights are codes and scales, converted to floats by DequantizeLinear nodes.

    model: a ModelProto or a file; it is not changed. Constant operands B of MatMul and Gemm and weights of
        Conv are quantized, in blocks along K (Conv: inputs and kernel together). They are float32, float64,
        float16 or bfloat16; a Cast follows DequantizeLinear unless float32. Transpose, Cast, Identity,
        Reshape, Flatten, Squeeze and Unsqueeze before the product are applied before quantizing.
    format: mxfp8_e4m3, mxfp8_e5m2, mxfp4_e2m1 or mxint8, or a Quantizer of one of them.
    ort: float32 scales and opset 21, which onnxruntime runs on CPUs (not mxfp4_e2m1). Otherwise
        E8M0 scales and opset 24, without mxint8: its codes are multiples of 1/64.
    select: chooses nodes by name; default: all.

    Returns the new model, checked by onnx.checker, with at least that opset. Raises ValueError for
    formats that ONNX cannot express, and if no weight is quantized; TypeError as `mxe.quantize` does.
    """
    new = load(model)
    opset = 21 if ort else 24
    own = next(one.version for one in new.opset_import if one.domain in ("", "ai.onnx"))
    if own < opset:
        new = converted(new, opset)
    new.ir_version = max(new.ir_version, 10 if ort else 12)
    count = 0
    names = Names(new.graph)
    bypassed: set[str] = set()
    for graph, node, known in list(products_with_constants(new)):
        if select is not None and not select(name_of(node)):
            continue
        weight = weight_of(node, known)
        if weight is None:
            continue
        stem = names.stem(node.input[1], node, *_PARTS)
        q = quantize(weight.values, format, preset, axis=weight.axis)
        _replace(graph, node, weight, q, ort, stem)
        bypassed.update(weight.nodes)
        count += 1
    if not count:
        raise ValueError("the model has no constant weights of MatMul, Gemm or Conv in float32, "
                         "float64, float16 or bfloat16"
                         + ("" if select is None else " that were selected"))
    _drop_unused(new.graph, bypassed)
    check(new, full=True)
    return new


def _replace(graph: onnx.GraphProto, node: onnx.NodeProto, weight: Weight, q: Array, ort: bool,
             stem: str) -> None:
    names = [f"{stem}.{part}" for part in _PARTS]
    graph.initializer.append(_codes(names[0], q, ort))
    graph.initializer.append(_scales(names[1], q, ort))
    dequantize = helper.make_node("DequantizeLinear", names[:2], [names[2]], name=names[2],
                                  axis=weight.axis, block_size=q.block)
    if not ort:
        dequantize.attribute.append(helper.make_attribute("output_dtype", TensorProto.FLOAT))
    at = next(index for index, one in enumerate(graph.node) if one is node or
              list(one.output) == list(node.output))
    graph.node.insert(at, dequantize)
    result = names[2]
    if weight.shape != weight.values.shape:
        graph.initializer.append(helper.make_tensor(names[3], TensorProto.INT64,
                                                    [len(weight.shape)], weight.shape))
        at += 1
        graph.node.insert(at, helper.make_node("Reshape", [result, names[3]], [names[4]],
                                               name=names[4]))
        result = names[4]
    if weight.type != TensorProto.FLOAT:
        graph.node.insert(at + 1, helper.make_node("Cast", [result], [names[5]], name=names[5],
                                                   to=weight.type))
        result = names[5]
    node = next(one for one in graph.node if list(one.output) == list(node.output))
    node.input[1] = result


def _codes(name: str, q: Array, ort: bool) -> onnx.TensorProto:
    kind = _TYPES.get(Format(q.format).name)
    if kind is None or (kind[0] == TensorProto.INT8 and not ort):
        raise ValueError(f"ONNX cannot express weights in {q.format} (allowed: mxfp8_e4m3, "
                         "mxfp8_e5m2, mxfp4_e2m1; with ort=True mxint8)")
    if kind[0] == TensorProto.FLOAT4E2M1:
        if ort:
            raise ValueError("onnxruntime's CPU has no mxfp4_e2m1 (allowed with ort=True: "
                             "mxfp8_e4m3, mxfp8_e5m2, mxint8)")
        codes = np.asarray(q.codes).reshape(-1)
        codes = np.append(codes, np.zeros(codes.size % 2, np.uint8))
        raw = (codes[0::2] | codes[1::2] << 4).astype(np.uint8).tobytes()
    else:
        raw = np.asarray(q.codes).tobytes()
    return helper.make_tensor(name, kind[0], q.shape, raw, raw=True)


def _scales(name: str, q: Array, ort: bool) -> onnx.TensorProto:
    divisor = _TYPES[Format(q.format).name][1]
    if q.quantizer.switches["uses_tensor_scale"]:
        raise ValueError(f"DequantizeLinear has no scale of the whole tensor, which {q.quantizer!r} "
                         "has")
    if ort:
        values = np.asarray(q.scale_values, np.float32) / np.float32(divisor)
        return helper.make_tensor(name, TensorProto.FLOAT, values.shape, values.tobytes(), raw=True)
    codes = np.asarray(q.scales)
    if codes.dtype != np.uint8 or q.scale_format != "e8m0":
        raise ValueError(f"opset 24 has scales in E8M0, not in {q.scale_format} of preset "
                         f"'{q.preset}'")
    return helper.make_tensor(name, TensorProto.FLOAT8E8M0, codes.shape, codes.tobytes(), raw=True)


def _drop_unused(graph: onnx.GraphProto, bypassed: set[str]) -> None:
    """Removes constants that no node reads, and the nodes that moved them to products."""
    for node in graph.node:
        for inner in subgraphs(node):
            _drop_unused(inner, bypassed)
    while True:
        used = _reads(graph) | {one.name for one in graph.output}
        unused = [one for one in graph.node if one.output and one.output[0] not in used and
                  (one.op_type == "Constant" or one.output[0] in bypassed)]
        if not unused:
            break
        for node in unused:
            graph.node.remove(node)
    for tensor in [one for one in graph.initializer if one.name not in used]:
        graph.initializer.remove(tensor)
        for one in [one for one in graph.input if one.name == tensor.name]:  # before IR 4, constants were inputs, too
            graph.input.remove(one)


def _reads(graph: onnx.GraphProto) -> set[str]:
    names: set[str] = set()
    for node in graph.node:
        names.update(node.input)
        for inner in subgraphs(node):
            names |= _reads(inner) | {output.name for output in inner.output}
    return names
