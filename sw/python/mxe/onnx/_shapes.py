# SPDX-License-Identifier: Apache-2.0
"""Which matrix products a model computes."""
from __future__ import annotations

import os
from typing import Mapping, Optional, Sequence

import onnx

from . import _workload
from ._graph import Model
from ._workload import Product


def shapes(model: Model, *, inputs: Optional[Mapping[str, Sequence[int]]] = None,
           **dimensions: int) -> dict[str, Product]:
    """The matrix products of a model, by the names of its nodes: what `mxe.estimate` takes.

    model: a ModelProto or a file, of whose weights only the shapes are read. inputs: shapes of inputs
        by name. dimensions: values of named dimensions: batch=1, sequence=128; the name of a
        dimension may be an expression of these, such as `sequence / 2`.

    MatMul and Gemm are what they are; where B has one matrix, all rows of A make one product. Conv
    of G groups is G products of M = images * positions, N = outputs / G and K = inputs / G * kernel;
    ConvTranspose has the positions of its input, and N of outputs / G * kernel.

    Raises ValueError for inputs and dimensions that the model does not have, for a product whose shape
    is not known, and for operators that multiply in other ways (LSTM, Einsum, products in the graphs
    of If and Loop).
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
    """Gives the inputs their shapes."""
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
