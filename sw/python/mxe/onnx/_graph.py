# SPDX-License-Identifier: Apache-2.0
"""Constants and products of models."""
from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NamedTuple, Optional, Union

import numpy as np
import onnx
import onnx.reference
from onnx import TensorProto, helper, numpy_helper

from . import _workload

Model = Union[onnx.ModelProto, str, "os.PathLike[str]"]

# Models with more bytes of weights are not serialized: protobuf's limit is 2 GiB.
LARGE = 1_900_000_000

PRODUCTS = ("Conv", "Gemm", "MatMul")

# Types of weights, and operators that only move or round them between a constant and its product.
_FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.DOUBLE)
_LAYOUT = ("Cast", "Flatten", "Identity", "Reshape", "Squeeze", "Transpose", "Unsqueeze")


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
    """The node's name, else that of its result."""
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
    onnx.checker.check_model(_light(model) if _is_large(model) else model, full_check=full)


def converted(model: onnx.ModelProto, opset: int) -> onnx.ModelProto:
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
            for inner in subgraphs(node):
                self._add(inner)

    def stem(self, input: str, node: onnx.NodeProto, *parts: str) -> str:
        """INPUT.NODE, or INPUT.RESULT and so on if a name INPUT.NODE.PART exists."""
        for last in [name_of(node), *node.output, *map(str, range(len(self.used) + 1))]:
            names = {f"{input}.{last}.{part}" for part in parts}
            if not names & self.used:
                break
        self.used |= names
        return f"{input}.{last}"


def subgraphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    """The branches of If, the body of Loop."""
    for one in node.attribute:
        if one.type == onnx.AttributeProto.GRAPH:
            yield one.g
        yield from one.graphs


def products(graph: onnx.GraphProto) -> Iterator[tuple[onnx.GraphProto, onnx.NodeProto]]:
    """The products of a graph and of the graphs in its nodes (If, Loop)."""
    for node in graph.node:
        if _is_product(node):
            yield graph, node
        for inner in subgraphs(node):
            yield from products(inner)


def _is_product(node: onnx.NodeProto) -> bool:
    return node.op_type in PRODUCTS and node.domain in ("", "ai.onnx")


def constants(graph: onnx.GraphProto) -> dict[str, onnx.TensorProto]:
    found = {tensor.name: tensor for tensor in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant" and attribute(node, "value") is not None:
            found[node.output[0]] = attribute(node, "value")
    return found


class _Constant(NamedTuple):

    values: Any
    type: int  #: of TensorProto
    nodes: tuple[str, ...]  #: results of the nodes that compute it from tensors


class Constants:
    """The constants that a graph sees: its own and those of the graphs around it."""

    def __init__(self, graph: onnx.GraphProto, opsets: list[onnx.OperatorSetIdProto],
                 around: Optional[Constants] = None) -> None:
        self._opsets, self._around = opsets, around
        self._tensors = constants(graph)
        self._nodes = {}
        for node in graph.node:
            if node.op_type in _LAYOUT and node.domain in ("", "ai.onnx"):
                self._nodes[node.output[0]] = onnx.NodeProto()
                self._nodes[node.output[0]].CopyFrom(node)
        self._others = {name for node in graph.node for name in node.output} - set(self._nodes)
        self._others.update(one.name for one in graph.input)

    def find(self, name: str) -> Optional[_Constant]:
        """The value of a constant, or of _LAYOUT operators on constant floats; else None."""
        if name in self._tensors:
            tensor = self._tensors[name]
            return _Constant(numpy_helper.to_array(tensor), tensor.data_type, ())
        if name in self._nodes:
            return self._computed(self._nodes[name])
        if name in self._others or self._around is None:
            return None
        return self._around.find(name)

    def _computed(self, node: onnx.NodeProto) -> Optional[_Constant]:
        inputs = [(name, self.find(name)) for name in node.input if name]
        found = [one for _, one in inputs if one is not None]
        if len(found) < len(inputs) or not found:
            return None
        type_ = attribute(node, "to") if node.op_type == "Cast" else found[0].type
        if found[0].type not in _FLOATS or type_ not in _FLOATS:
            return None
        graph = helper.make_graph([node], "graph",
                                  [onnx.ValueInfoProto(name=name) for name, _ in inputs],
                                  [onnx.ValueInfoProto(name=node.output[0])])
        one = helper.make_model(graph, opset_imports=self._opsets)
        values = {name: value.values for name, value in inputs if value is not None}
        made = onnx.reference.ReferenceEvaluator(one).run(None, values)[0]
        nodes = (node.output[0], *(name for one in found for name in one.nodes))
        return _Constant(made, type_, nodes)


def products_with_constants(model: onnx.ModelProto) -> Iterator[
        tuple[onnx.GraphProto, onnx.NodeProto, Constants]]:
    def within(graph: onnx.GraphProto, around: Optional[Constants]) -> Iterator[
            tuple[onnx.GraphProto, onnx.NodeProto, Constants]]:
        known = Constants(graph, list(model.opset_import), around)
        for node in graph.node:
            if _is_product(node):
                yield graph, node, known
            for inner in subgraphs(node):
                yield from within(inner, known)

    yield from within(model.graph, None)


class Weight(NamedTuple):
    values: np.ndarray[Any, Any]
    axis: int  #: of `values` along which the sum runs
    shape: tuple[int, ...]  #: that the product reads
    type: int  #: that the product reads, of TensorProto
    nodes: tuple[str, ...]  #: results of the nodes that compute it from a constant


def weight_of(node: onnx.NodeProto, known: Constants) -> Optional[Weight]:
    """None unless the weights are constant floats with two axes or more."""
    constant = known.find(node.input[1])
    if constant is None or constant.type not in _FLOATS or constant.values.ndim < 2:
        return None
    values, type_, nodes = constant
    shape = values.shape
    if node.op_type == "Conv":  # one row of all inputs for each output
        return Weight(values.reshape(shape[0], -1), 1, shape, type_, nodes)
    if node.op_type == "Gemm" and attribute(node, "transB", 0):
        return Weight(values, 1, shape, type_, nodes)
    return Weight(values, values.ndim - 2, shape, type_, nodes)
