# SPDX-License-Identifier: Apache-2.0
"""Which matrix products a model computes."""
from __future__ import annotations

import math
from typing import Mapping, NamedTuple, Optional, Sequence

import onnx

from ._graph import Model, attribute, load, name_of, products

Shape = tuple[int, ...]


class Product(NamedTuple):
    """[m, k] @ [k, n], several times."""

    m: int
    n: int
    k: int
    products: int = 1


def shapes(model: Model, *, inputs: Optional[Mapping[str, Sequence[int]]] = None,
           **dimensions: int) -> dict[str, Product]:
    """The matrix products of a model, by the names of its nodes: what `mxe.estimate` takes.

    model: a ModelProto or a file. inputs: shapes of inputs by name. dimensions: values of named
        dimensions: batch=1, sequence=128.

    MatMul and Gemm are what they are; where B has one matrix, all rows of A make one product. Conv
    of G groups is G products of M = images * positions, N = outputs / G and K = inputs / G * kernel.
    Other operators (LSTM, ConvTranspose) are left out; graphs within nodes count once.

    Raises ValueError for inputs and dimensions that the model does not have, and for a product whose
    shape is not known.
    """
    known = _inferred(load(model), dict(inputs or {}), dimensions)
    found: dict[str, Product] = {}
    for graph, node in products(known.graph):
        sizes = {**_sizes(known.graph), **_sizes(graph)}
        name = name_of(node)
        if name in found:
            name = node.output[0]
        operands = [_concrete(sizes.get(one), one, node) for one in node.input[:2]]
        if node.op_type == "Conv":
            result = _concrete(sizes.get(node.output[0]), node.output[0], node)
            found[name] = _convolution(operands[1], result, attribute(node, "group", 1))
        elif node.op_type == "Gemm":
            a, b = operands
            m, k = reversed(a) if attribute(node, "transA", 0) else a
            found[name] = Product(m, b[0] if attribute(node, "transB", 0) else b[1], k)
        else:
            found[name] = _matmul(*operands)
    return found


def _matmul(a: Shape, b: Shape) -> Product:
    a = (1, *a) if len(a) == 1 else a
    b = (*b, 1) if len(b) == 1 else b
    rows, (k, n) = a[-2], b[-2:]
    leading, others = math.prod(a[:-2]), math.prod(b[:-2])
    if others == 1:
        return Product(leading * rows, n, k)
    rank = max(len(a), len(b)) - 2
    one, other = ((1,) * (rank - len(x) + 2) + x[:-2] for x in (a, b))
    return Product(rows, n, k, math.prod(map(max, one, other)))


def _convolution(weight: Shape, result: Shape, groups: int) -> Product:
    return Product(result[0] * math.prod(result[2:]), weight[0] // groups, math.prod(weight[1:]),
                   groups)


def _inferred(model: onnx.ModelProto, inputs: dict[str, Sequence[int]],
              dimensions: Mapping[str, int]) -> onnx.ModelProto:
    """The model with the shapes of everything in it, as far as they can be told."""
    unused = set(dimensions)
    for one in model.graph.input:
        sizes = one.type.tensor_type.shape
        if one.name in inputs:
            given = inputs.pop(one.name)
            del sizes.dim[:]
            for size in given:
                sizes.dim.add().dim_value = size
        for dimension in sizes.dim:
            if dimension.dim_param in dimensions:
                unused.discard(dimension.dim_param)
                dimension.dim_value = dimensions[dimension.dim_param]
    if inputs:
        names = ", ".join(one.name for one in model.graph.input)
        raise ValueError(f"the model has no input '{next(iter(inputs))}' (its inputs: {names})")
    if unused:
        raise ValueError(f"no input of the model has a dimension '{sorted(unused)[0]}'")
    del model.graph.value_info[:]  # of other sizes of the inputs
    for one in model.graph.output:
        one.type.tensor_type.ClearField("shape")
    return onnx.shape_inference.infer_shapes(model, data_prop=True)


def _sizes(graph: onnx.GraphProto) -> dict[str, list[Optional[int]]]:
    sizes: dict[str, list[Optional[int]]] = {}
    for one in [*graph.input, *graph.output, *graph.value_info]:
        if one.type.tensor_type.HasField("shape"):
            sizes[one.name] = [dimension.dim_value if dimension.HasField("dim_value") else None
                               for dimension in one.type.tensor_type.shape.dim]
    for tensor in graph.initializer:
        sizes[tensor.name] = list(tensor.dims)
    return sizes


def _concrete(sizes: Optional[list[Optional[int]]], name: str, node: onnx.NodeProto) -> Shape:
    if sizes is None or None in sizes:
        text = "no known shape" if sizes is None else \
            f"the shape {['?' if size is None else size for size in sizes]}".replace("'", "")
        raise ValueError(f"'{name}' of the {node.op_type} '{name_of(node)}' has {text}: say the "
                         "shapes of the model's inputs")
    return tuple(size for size in sizes if size is not None)
