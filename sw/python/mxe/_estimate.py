# SPDX-License-Identifier: Apache-2.0
"""Cycles of matrix products from their shapes, without data."""
from __future__ import annotations

import dataclasses
import os
import sys
from typing import Any, Optional, overload

from . import _core
from ._quantizer import FormatLike, format_name
from ._record import Job, Recording
from ._requests import PathLike, engine_request, job_of, whole


@overload
def estimate(shapes: Any, format_a: FormatLike, format_b: FormatLike, *, config: PathLike = ...,
             target: str = ..., out_format: str = ..., out_rule: Optional[str] = ...,
             out_overflow: Optional[str] = ..., mem_latency: Optional[int] = ...,
             mem_bytes_per_cycle: Optional[float] = ..., mem_jitter: Optional[int] = ...,
             mem_outstanding_reads: Optional[int] = ...,
             mem_outstanding_writes: Optional[int] = ..., memory: Optional[PathLike] = ...,
             clock_mhz: Optional[float] = ..., rtl: Optional[PathLike] = ..., **parameters: int) -> Recording: ...


@overload
def estimate(model: Any, input_shape: Any, format_a: Optional[FormatLike] = ...,
             format_b: Optional[FormatLike] = ..., *, config: PathLike = ..., target: str = ...,
             out_format: str = ..., out_rule: Optional[str] = ...,
             out_overflow: Optional[str] = ..., mem_latency: Optional[int] = ...,
             mem_bytes_per_cycle: Optional[float] = ..., mem_jitter: Optional[int] = ...,
             mem_outstanding_reads: Optional[int] = ...,
             mem_outstanding_writes: Optional[int] = ..., memory: Optional[PathLike] = ...,
             clock_mhz: Optional[float] = ..., rtl: Optional[PathLike] = ..., **parameters: int) -> Recording: ...


def estimate(*what: Any, config: PathLike = "base", target: str = "model",
             out_format: str = "fp32", out_rule: Optional[str] = None,
             out_overflow: Optional[str] = None, mem_latency: Optional[int] = None,
             mem_bytes_per_cycle: Optional[float] = None, mem_jitter: Optional[int] = None,
             mem_outstanding_reads: Optional[int] = None,
             mem_outstanding_writes: Optional[int] = None, memory: Optional[PathLike] = None,
             clock_mhz: Optional[float] = None, rtl: Optional[PathLike] = None, **named: Any) -> Recording:
    """The cycles of matrix products of given shapes, without data: `mxe estimate`.

    estimate(shapes, format_a, format_b) - shapes: (M, N, K), a list of such, or {name: (M, N, K)};
        [M, K] @ [K, N]. A fourth number repeats the product: (M, N, K, 12) is 12 products.
    estimate(model, input_shape, format_a, format_b) - the linear layers in a forward pass of a
        PyTorch model, in order, without computing it. input_shape: a shape, or a list of shapes and
        tensors, whose values do not matter. The formats apply to torch.nn.Linear; layers
        of `mxe.torch.quantize_` keep their formats.

    Other arguments are as in `Engine` and `mxe.matmul`. Returns a Recording with a job for each
    shape, or for each call of a layer. Raises ValueError as `Engine` does, for shapes with a number
    below 1, and for a layer without formats.
    """
    from ._worker import Worker
    products, parameters = _asked(what, named)
    request, environment = engine_request({
        "config": os.fspath(config), "target": target, "mem_latency": mem_latency,
        "mem_bytes_per_cycle": mem_bytes_per_cycle, "mem_jitter": mem_jitter,
        "mem_outstanding_reads": mem_outstanding_reads,
        "mem_outstanding_writes": mem_outstanding_writes, "memory": memory, "clock_mhz": clock_mhz, "rtl": rtl,
        "cycles_only": True, **parameters})
    output = _core.engine_output(out_format, out_rule, out_overflow)
    worker = Worker(request, environment)
    recording = Recording()
    done: dict[tuple[Any, ...], dict[str, Any]] = {}
    try:
        for name, (m, n, k, count), formats, bias in products:
            job = {**output, "format_a": formats[0], "format_b": formats[1], "m": m, "n": n, "k": k,
                   "bias_row": bias}
            key = (m, n, k, bias, *formats)
            if key not in done:
                done[key] = worker.call(job)
            row = job_of(worker.description, job, done[key], None)
            recording.jobs.append(_times(dataclasses.replace(row, name=name), count))
    finally:
        worker.end()
    return recording


# A product: its name; (M, N, K, count); the formats of A and B; True with a bias row.
_Asked = tuple[str, tuple[int, int, int, int], tuple[str, str], bool]


def _asked(what: tuple[Any, ...], named: dict[str, Any]) -> tuple[list[_Asked], dict[str, int]]:
    """Returns the products, and the remaining named arguments: parameters of the engine."""
    torch = sys.modules.get("torch")
    of_model = "model" in named or (torch is not None and what[:1] and
                                    isinstance(what[0], torch.nn.Module))
    order = ["model", "input_shape", "format_a", "format_b"] if of_model else \
        ["shapes", "format_a", "format_b"]
    given = dict(zip(order, what))
    if len(what) > len(order) or any(name in given for name in named):
        raise TypeError(f"estimate takes {', '.join(order)}, each once")
    given.update((name, named.pop(name)) for name in order if name in named)
    for name in order:
        if name not in given and not (of_model and name.startswith("format")):
            raise TypeError(f"estimate needs {name}")
    formats = (given.get("format_a"), given.get("format_b"))
    if not of_model:
        both = _core_format(formats[0]), _core_format(formats[1])
        return [(name, sizes, both, False) for name, sizes in _named_shapes(given["shapes"])], named
    from .torch import _shapes
    return [(one.name, (one.m, one.n, one.k, 1),
             (_format_of(one, one.format_a or formats[0]),
              _format_of(one, one.format_b or formats[1])), one.bias)
            for one in _shapes.products(given["model"], given["input_shape"])], named


def _format_of(product: Any, format: Any) -> str:
    if format is None:
        raise ValueError(f"layer '{product.name}' is not quantized: format_a and format_b are "
                         "needed")
    return _core_format(format)


def _core_format(format: FormatLike) -> str:
    return str(_core.format_info(format_name(format))["name"])


def _named_shapes(shapes: Any) -> list[tuple[str, tuple[int, int, int, int]]]:
    if hasattr(shapes, "items"):
        pairs = [(str(name), shape) for name, shape in shapes.items()]
    else:
        every = list(shapes)
        if every and not hasattr(every[0], "__len__"):
            every = [every]
        pairs = [("matmul", shape) for shape in every]
    named = []
    for name, shape in pairs:
        sizes = [whole(size, value) for size, value in zip(("M", "N", "K", "products"), shape)]
        if len(shape) not in (3, 4) or 0 in sizes:
            raise ValueError(f"a shape is (M, N, K), numbers of at least 1, not {tuple(shape)}")
        m, n, k, products = (*sizes, 1)[:4]
        named.append((name, (m, n, k, products)))
    return named


def _times(job: Job, products: int) -> Job:
    counters = {name: products * value for name, value in job.counters.items()}
    return dataclasses.replace(job, products=products, cycles=products * job.cycles,
                               counters=counters)
