# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any, Optional

from . import _core
from ._array import Array
from ._namespaces import Source, numbers, without_gradient
from ._quantizer import FormatLike, resolve


def operand(x: Any, format: Optional[FormatLike], axis: int, name: str,
            threads: int) -> tuple[Any, str]:
    """Returns the core's operand, and the library of x."""
    if isinstance(x, Array):
        if format is not None:
            raise ValueError(f"{name} is quantized already: it has a format")
        return x._core, x._library
    if format is None:
        raise ValueError(f"{name} is an array of numbers: format_{name} is needed")
    source = Source(x).numbers(name)
    ndim = getattr(source.array, "ndim", None)
    if ndim is not None and ndim < 2:
        raise ValueError(f"{name} must have at least two axes, but has {ndim}")
    quantizer = resolve(format, "ocp")
    return _core.quantize(source.array, source.bits, quantizer, axis, threads), source.library


def output(value: Any, out_format: str, library: str, graph: bool) -> Any:
    """`graph`: PyTorch expects a gradient for an operand."""
    if isinstance(value, _core.Quantized):
        return Array(value, library, graph)
    made = numbers(value, {"bf16": 1, "fp16": 2}.get(out_format, 0), library)
    return without_gradient(made, "mxe.torch.matmul has one") if graph else made
