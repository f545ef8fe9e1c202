# SPDX-License-Identifier: Apache-2.0
"""Cycles of products without data."""
from __future__ import annotations

import dataclasses
import os
from typing import Any, Optional

from . import _core
from ._quantizer import FormatLike, format_name
from ._record import Job, Recording
from ._requests import PathLike, engine_request, job_of, whole


def estimate(shapes: Any, format_a: FormatLike, format_b: FormatLike, *, config: PathLike = "base",
             target: str = "model", out_format: str = "fp32", out_rule: Optional[str] = None,
             out_overflow: Optional[str] = None, mem_latency: Optional[int] = None,
             mem_bytes_per_cycle: Optional[float] = None, mem_jitter: Optional[int] = None,
             rtl: Optional[PathLike] = None, **parameters: int) -> Recording:
    """The cycles of matrix products of given shapes, without data: `mxe estimate`.

    shapes: (M, N, K), a list of such, or {name: (M, N, K)}; [M, K] @ [K, N]. A fourth number says
        how many such products there are, one after the other. The rest is as in `Engine` and
        `mxe.matmul`.

    Returns a Recording with a job for each shape. Raises ValueError as `Engine` does, and for
    shapes that are not numbers of at least 1.
    """
    from ._worker import Worker  # whose imports take as long as all others
    request, environment = engine_request({
        "config": os.fspath(config), "target": target, "mem_latency": mem_latency,
        "mem_bytes_per_cycle": mem_bytes_per_cycle, "mem_jitter": mem_jitter, "rtl": rtl,
        "cycles_only": True, **parameters})
    job = {**_core.engine_output(out_format, out_rule, out_overflow),
           "format_a": _core_format(format_a), "format_b": _core_format(format_b)}
    named = _named_shapes(shapes)
    worker = Worker(request, environment)
    recording = Recording()
    done: dict[tuple[int, int, int], dict[str, Any]] = {}
    try:
        for name, (m, n, k, products) in named:
            if (m, n, k) not in done:
                done[m, n, k] = worker.call({**job, "m": m, "n": n, "k": k})
            row = job_of(worker.description, {**job, "m": m, "n": n, "k": k}, done[m, n, k], None)
            recording.jobs.append(_times(dataclasses.replace(row, name=name), products))
    finally:
        worker.end()
    return recording


def _core_format(format: FormatLike) -> str:
    """The engine's own name of a format, by whatever name it was asked for."""
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
    """Several such jobs as one row."""
    counters = {name: products * value for name, value in job.counters.items()}
    return dataclasses.replace(job, products=products, cycles=products * job.cycles,
                               counters=counters)
