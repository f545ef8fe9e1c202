# SPDX-License-Identifier: Apache-2.0
"""Reads models: their constants and their products."""
from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, Optional, Union

import numpy as np
import onnx
from onnx import numpy_helper

from . import _workload

Model = Union[onnx.ModelProto, str, "os.PathLike[str]"]

# Bytes of weights beyond which a model is not serialized: protobuf's limit is 2 GiB.
LARGE = 1_900_000_000

PRODUCTS = ("Conv", "Gemm", "MatMul")


def load(model: Model) -> onnx.ModelProto:
    if isinstance(model, onnx.ModelProto):
        copy = onnx.ModelProto()
        copy.CopyFrom(model)
        return copy
    return onnx.load(os.fspath(model))


def attribute(node: onnx.NodeProto, name: str, default: Any = None) -> Any:
    for one in node.attribute:
        if one.name == name:
            return onnx.helper.get_attribute_value(one)
    return default


def name_of(node: onnx.NodeProto) -> str:
    """A node without a name has that of its result."""
    name: str = node.name or node.output[0]
    return name


def _is_large(model: onnx.ModelProto) -> bool:
    return sum(len(one.raw_data) + 4 * len(one.float_data)
               for one in constants(model.graph).values()) > LARGE


def _light(model: onnx.ModelProto) -> onnx.ModelProto:
    """The model with inputs in place of its large constants."""
    light = _workload.without_weights(model)
    known = {one.name for one in light.graph.input}
    for tensor in list(light.graph.initializer):
        if int(np.prod(tensor.dims, dtype=object)) > _workload.MOST_VALUES:
            light.graph.initializer.remove(tensor)
            if tensor.name not in known:
                light.graph.input.append(onnx.helper.make_tensor_value_info(
                    tensor.name, tensor.data_type, tensor.dims))
    return light


def check(model: onnx.ModelProto, full: bool = False) -> None:
    """For models of any size. full: with shape inference."""
    onnx.checker.check_model(_light(model) if _is_large(model) else model, full_check=full)


def converted(model: onnx.ModelProto, opset: int) -> onnx.ModelProto:
    """For models of any size."""
    if not _is_large(model):
        return onnx.version_converter.convert_version(model, opset)
    light = _light(model)
    new = onnx.version_converter.convert_version(light, opset)
    kept = {one.name for one in light.graph.initializer}
    inputs = {one.name for one in model.graph.input}
    for name, tensor in constants(model.graph).items():
        if name not in kept:
            new.graph.initializer.add().CopyFrom(tensor)
            new.graph.initializer[-1].name = name
    for one in [one for one in new.graph.input if one.name not in inputs]:
        new.graph.input.remove(one)
    return new


class Names:
    def __init__(self, graph: onnx.GraphProto) -> None:
        self.used: set[str] = set()
        self._add(graph)

    def _add(self, graph: onnx.GraphProto) -> None:
        self.used.update(one.name for one in [*graph.input, *graph.output, *graph.initializer])
        for node in graph.node:
            self.used.update([node.name, *node.input, *node.output])
            for one in node.attribute:
                for inner in [one.g, *one.graphs]:
                    self._add(inner)

    def stem(self, input: str, node: onnx.NodeProto, *parts: str) -> str:
        """INPUT.NODE, or INPUT.RESULT and so on if a name INPUT.NODE.PART exists."""
        for last in [name_of(node), *node.output, *map(str, range(len(self.used) + 1))]:
            names = {f"{input}.{last}.{part}" for part in parts}
            if not names & self.used:
                break
        self.used |= names
        return f"{input}.{last}"


def products(graph: onnx.GraphProto) -> Iterator[tuple[onnx.GraphProto, onnx.NodeProto]]:
    """The products of a graph and of the graphs in its nodes (If, Loop)."""
    for node in graph.node:
        if node.op_type in PRODUCTS and node.domain in ("", "ai.onnx"):
            yield graph, node
        for one in node.attribute:
            for inner in [one.g, *one.graphs]:
                yield from products(inner)


def constants(graph: onnx.GraphProto) -> dict[str, onnx.TensorProto]:
    """Initializers and the values of Constant nodes, by name."""
    found = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant" and attribute(node, "value") is not None:
            found[node.output[0]] = attribute(node, "value")
    return found


class Weight(NamedTuple):
    values: np.ndarray[Any, np.dtype[np.float32]]
    axis: int  #: of `values`, along which the sum runs
    shape: tuple[int, ...]  #: of the operand in the model


def weight_of(node: onnx.NodeProto, known: Mapping[str, onnx.TensorProto]) -> Optional[Weight]:
    """The weights of a product; None unless they are constant float32."""
    tensor = known.get(node.input[1])
    if tensor is None or tensor.data_type != onnx.TensorProto.FLOAT or len(tensor.dims) < 2:
        return None
    values = numpy_helper.to_array(tensor)
    shape = values.shape
    if node.op_type == "Conv":  # one row of all inputs for each output
        return Weight(values.reshape(shape[0], -1), 1, shape)
    if node.op_type == "Gemm" and attribute(node, "transB", 0):
        return Weight(values, 1, shape)
    return Weight(values, values.ndim - 2, shape)
