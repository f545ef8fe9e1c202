# SPDX-License-Identifier: Apache-2.0
"""Reading models: what is constant, and which products there are."""
from __future__ import annotations

import os
from typing import Any, Iterator, Mapping, NamedTuple, Optional, Union

import numpy as np
import onnx
from onnx import numpy_helper

Model = Union[onnx.ModelProto, str, "os.PathLike[str]"]

# Operators whose results are matrix products of two inputs.
PRODUCTS = ("Conv", "Gemm", "MatMul")


def load(model: Model) -> onnx.ModelProto:
    """A copy of a model, or the model in a file."""
    if isinstance(model, onnx.ModelProto):
        copy = onnx.ModelProto()
        copy.CopyFrom(model)
        return copy
    return onnx.load(os.fspath(model))


def attribute(node: onnx.NodeProto, name: str, default: Any = None) -> Any:
    """The value of an attribute."""
    for one in node.attribute:
        if one.name == name:
            return onnx.helper.get_attribute_value(one)
    return default


def name_of(node: onnx.NodeProto) -> str:
    """The name of a node, or of its result if it has none."""
    name: str = node.name or node.output[0]
    return name


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
    """A constant operand of a product as a matrix, and how it lies in the model."""

    values: np.ndarray[Any, np.dtype[np.float32]]
    axis: int  #: of `values` that the sum runs along
    shape: tuple[int, ...]  #: in the model


def weight_of(node: onnx.NodeProto, known: Mapping[str, onnx.TensorProto]) -> Optional[Weight]:
    """The weights of a product; None if they are no constant floats."""
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
