# SPDX-License-Identifier: Apache-2.0
"""Records of engine jobs: one row per job, as text, pandas, HTML and traces."""
from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import json
import math
import os
from collections.abc import Iterator, Sequence
from typing import Any, Optional, Union

import numpy as np


@dataclasses.dataclass(frozen=True)
class Job:
    """A product on an engine, or several in one batch."""

    name: str  #: of the layer (`mxe.layer`)
    config: str
    target: str
    m: int
    n: int
    k: int
    products: int  #: of [m, k] and [k, n] in the batch
    format_a: str
    format_b: str
    out_format: str
    cycles: int
    utilization: float  #: 0 to 1
    bound: str  #: compute or memory
    counters: dict[str, int]
    sqnr_db: Optional[float]  #: against `reference` or the float32 product, if known
    wall_seconds: float

    @property
    def shape(self) -> str:
        """384x768x768, or for 12 products 12*384x768x768."""
        size = f"{self.m}x{self.n}x{self.k}"
        return size if self.products == 1 else f"{self.products}*{size}"

    @property
    def stalls(self) -> dict[str, int]:
        """Cycles in which the array waited, by cause."""
        return {name: value for name, value in self.counters.items() if name.startswith("stall_")}

    @property
    def row(self) -> dict[str, Any]:
        """The columns of tables."""
        total = max(1, self.cycles)
        stalled = sum(self.stalls.values())
        most = max(self.stalls, key=lambda name: self.stalls[name], default="")
        return {"name": self.name, "shape": self.shape, "format_a": self.format_a,
                "format_b": self.format_b, "out_format": self.out_format, "cycles": self.cycles,
                "utilization": self.utilization, "stalled": stalled / total,
                "most_stalls": most[len("stall_"):] if stalled else "",
                "bytes_read": self.counters["bytes_read"],
                "bytes_written": self.counters["bytes_written"], "bound": self.bound,
                "sqnr_db": self.sqnr_db}


class Recording(Sequence[Job]):
    """The jobs of a `with mxe.record()` block, or of `mxe.estimate`, in order."""

    def __init__(self, jobs: Optional[Sequence[Job]] = None) -> None:
        self.jobs: list[Job] = list(jobs or ())

    def __len__(self) -> int:
        return len(self.jobs)

    def __getitem__(self, index: Any) -> Any:
        return self.jobs[index]

    @property
    def cycles(self) -> int:
        """The sum of the cycles of all jobs."""
        return sum(job.cycles for job in self.jobs)

    def table(self) -> str:
        """A text table: a line per job, and a line of totals."""
        cells = self._cells()
        widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
        left = sum(1 for column in _COLUMNS if column.left)
        return "\n".join("  ".join(cell.ljust(width) if column < left else cell.rjust(width)
                                   for column, (cell, width) in enumerate(zip(line, widths)))
                         .rstrip() for line in cells)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame, one row per job: the columns of `table` and all counters. ImportError without pandas."""
        import pandas  # type: ignore[import-untyped, import-not-found, unused-ignore]  # noqa: ICN001
        return pandas.DataFrame([{**job.row, **job.counters} for job in self.jobs])

    def trace(self, path: Union[str, os.PathLike[str]]) -> None:
        """Writes trace events for Perfetto (ui.perfetto.dev), one track per target and config; 1 us is 1 cycle."""
        tracks = list(dict.fromkeys(_engine(job) for job in self.jobs))
        events: list[dict[str, Any]] = [
            {"ph": "M", "name": "thread_name", "pid": 0, "tid": number, "args": {"name": track}}
            for number, track in enumerate(tracks)]
        ends = [0] * len(tracks)
        for job in self.jobs:
            track = tracks.index(_engine(job))
            details = {key: value for key, value in job.row.items()
                       if value is None or not isinstance(value, float) or math.isfinite(value)}
            events.append({"ph": "X", "name": job.name, "pid": 0, "tid": track, "ts": ends[track],
                           "dur": job.cycles, "args": {**details, **job.counters}})
            ends[track] += job.cycles
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": events, "displayTimeUnit": "ns"}, file)

    def __repr__(self) -> str:
        return f"mxe.Recording({len(self.jobs)} jobs, {self.cycles} cycles)"

    def _repr_html_(self) -> str:
        import html
        first, *lines = ["".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in line)
                         for tag, line in zip(["th"] + ["td"] * len(self.jobs) + ["th"],
                                              self._cells())]
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        return f"<table><thead><tr>{first}</tr></thead><tbody>{body}</tbody></table>"

    def _cells(self) -> list[list[str]]:
        total = {"name": "total", "cycles": self.cycles,
                 "bytes_read": sum(job.counters["bytes_read"] for job in self.jobs),
                 "bytes_written": sum(job.counters["bytes_written"] for job in self.jobs)}
        return [[column.title for column in _COLUMNS],
                *[[column.text(job.row) for column in _COLUMNS] for job in self.jobs],
                [column.text(total) for column in _COLUMNS]]


@dataclasses.dataclass(frozen=True)
class _Column:
    title: str
    key: str
    form: str = "{}"
    left: bool = False

    def text(self, row: dict[str, Any]) -> str:
        value = row.get(self.key)
        return "" if value is None else self.form.format(value)


_COLUMNS = [_Column("layer", "name", left=True), _Column("MxNxK", "shape", left=True),
            _Column("A", "format_a", left=True), _Column("B", "format_b", left=True),
            _Column("result", "out_format", left=True), _Column("cycles", "cycles"),
            _Column("used", "utilization", "{:.1%}"), _Column("stalled", "stalled", "{:.1%}"),
            _Column("most by", "most_stalls"), _Column("read", "bytes_read"),
            _Column("written", "bytes_written"), _Column("bound", "bound"),
            _Column("SQNR dB", "sqnr_db", "{:.2f}")]


def _engine(job: Job) -> str:
    return f"{job.target} {job.config}"


_recordings: list[Recording] = []
_layers: contextvars.ContextVar[tuple[str, ...]] = contextvars.ContextVar("mxe_layers", default=())


@contextlib.contextmanager
def record() -> Iterator[Recording]:
    """Collects the jobs of all engines of this process, in all threads, in the `with` block.

    >>> with mxe.record() as r:
    ...     mxe.matmul(a, b, "mxfp8_e4m3", "mxfp4_e2m1", on=eng)
    >>> print(r.table())
    """
    recording = Recording()
    _recordings.append(recording)
    try:
        yield recording
    finally:
        _recordings[:] = [other for other in _recordings if other is not recording]


@contextlib.contextmanager
def layer(name: str) -> Iterator[None]:
    """Names the jobs of the `with` block; nested names are joined by dots: "encoder.query"."""
    token = _layers.set((*_layers.get(), name))
    try:
        yield
    finally:
        _layers.reset(token)


def active() -> list[Recording]:
    return list(_recordings)


def name_of_layer() -> str:
    return ".".join(_layers.get()) or "matmul"


def signal_to_noise(a: Any, b: Any, bias: Any, transpose_b: bool, reference: Any,
                    value: Any) -> Optional[float]:
    """10 log10(sum y^2 / sum (y - result)^2) in dB, over elements that are finite in both; y: `reference`,
    or the product of a and b. None if y is unknown: a or b is quantized."""
    if reference is None:
        if hasattr(a, "codes") or hasattr(b, "codes"):
            return None
        right = _floats(b)
        reference = _floats(a) @ (right.swapaxes(-1, -2) if transpose_b else right)
        if bias is not None:
            reference = reference + _floats(bias)
    expected = _floats(reference() if callable(reference) else reference)
    result = _floats(value.dequantize() if hasattr(value, "dequantize") else value)
    known = np.isfinite(expected) & np.isfinite(result)
    expected, result = expected[known].astype(np.float64), result[known].astype(np.float64)
    noise = float(np.square(expected - result).sum())
    signal = float(np.square(expected).sum())
    if noise == 0:
        return math.inf
    return 10 * math.log10(signal / noise) if signal else -math.inf


def _floats(x: Any) -> np.ndarray[Any, np.dtype[np.float32]]:
    if type(x).__module__.partition(".")[0] == "torch":
        x = x.detach().float().numpy()
    elif not isinstance(x, np.ndarray) and not hasattr(x, "__array__") and \
            hasattr(x, "__dlpack__"):
        x = np.from_dlpack(x)
    return np.asarray(x).astype(np.float32)
