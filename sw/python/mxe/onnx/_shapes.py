# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Optional

import onnx

from . import _workload
from ._graph import Model
from ._workload import Product


def shapes(model: Model, *, inputs: Optional[Mapping[str, Sequence[int]]] = None,
           **dimensions: int) -> dict[str, Product]:
    """The matrix products of a model by node name, as `mxe.estimate` takes them.

    model: a ModelProto or a file; only the shapes of its weights are read. inputs: shapes of inputs
        by name. dimensions: values of named dimensions: batch=1, sequence=128. Names may be
        expressions of these, such as `sequence / 2`.

    A Gemm, or a MatMul with a single matrix B, is one product of all rows of A; another MatMul is one product
    for each pair of matrices. Conv of G groups is G products with M = images * positions, N = outputs / G and
    K = inputs / G * kernel; ConvTranspose has N = outputs / G * kernel and counts the positions of its input.

    Raises ValueError for unknown inputs and dimensions, products of unknown shape, and other operators
    that multiply (LSTM, Einsum, products in the graphs of If and Loop).
    """
    folder = ""
    if not isinstance(model, onnx.ModelProto):
        path = os.fspath(model)
        folder = os.path.dirname(os.path.abspath(path))
        model = _workload.load(path)
    known = _workload.without_weights(model, folder)
    _resolve(known, dict(inputs or {}), dimensions)
    return _workload.products(known)


def _resolve(model: onnx.ModelProto, inputs: dict[str, Sequence[int]],
             sizes: Mapping[str, int]) -> None:
    dimensions = _workload.Dimensions(_workload.Sizes(dimensions=sizes))
    for one in model.graph.input:
        if one.name in inputs:
            shape = one.type.tensor_type.shape
            del shape.dim[:]
            for size in inputs.pop(one.name):
                shape.dim.add().dim_value = size
        dimensions.resolve(one, open_is_error=False)
    if inputs:
        names = ", ".join(one.name for one in model.graph.input)
        raise ValueError(f"the model has no input '{next(iter(inputs))}' (its inputs: {names})")
    unused = sorted(set(sizes) - dimensions.names)
    if unused:
        raise ValueError(f"no input of the model has a dimension '{unused[0]}'")
