# SPDX-License-Identifier: Apache-2.0
"""Engines: SystemC model or simulated RTL, each in a separate process."""
from __future__ import annotations

import dataclasses
import os
import threading
import weakref
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _core
from ._array import _threads
from ._names import AccumulateLike, OutFormatLike, OverflowLike, ScaleRuleLike
from ._namespaces import Source, in_graph
from ._operands import operand, output
from ._quantizer import FormatLike
from ._record import active, signal_to_noise
from ._requests import EngineError, PathLike, engine_request, job_of

if TYPE_CHECKING:
    from ._worker import Worker


@dataclasses.dataclass(frozen=True)
class EngineResult:
    """The result of a product on an engine, with cycles and counters."""

    value: Any  #: the result of `mxe.matmul`, [..., M, N]
    stored: np.ndarray[Any, np.dtype[np.uint8]]  #: bytes of the result as the engine stored them
    stored_scales: np.ndarray[Any, np.dtype[np.uint8]]  #: scale bytes of an MX result, else empty
    cycles: int  #: from the first descriptor fetch to the last completion record of the batch
    counters: dict[str, int]  #: by register name (docs/registers.md)
    utilization: float  #: multiply-accumulates divided by the most possible in these cycles, 0 to 1
    bound: str  #: the resource with the larger minimum: compute or memory
    compute_cycles: int  #: least cycles for the multiplications
    memory_cycles: int  #: least cycles for reading or writing
    saturations: int  #: elements of an MX result beyond the largest value
    wall_seconds: float  #: duration of the simulation

    @property
    def bytes_read(self) -> int:
        """Bytes that the engine read from memory."""
        return self.counters["bytes_read"]

    @property
    def bytes_written(self) -> int:
        """Bytes that the engine wrote to memory."""
        return self.counters["bytes_written"]

    @property
    def stalls(self) -> dict[str, int]:
        """Cycles in which the array waited, by cause."""
        return {name: value for name, value in self.counters.items() if name.startswith("stall_")}


class Engine:
    """An MXE engine that multiplies matrices, cycle by cycle: `mxe matmul --on model` or `rtl`.

    config: small, base, large or a YAML file of parameters. target: model (SystemC) or rtl (Verilated).
    parameters: replace the configuration's, by name: num_pe=16, FP4_DUAL=0 (docs/architecture.md).
    mem_latency: cycles from a request to its first beat. mem_bytes_per_cycle: bandwidth of each
        direction; default: the width of the engine's port. mem_jitter: seed of a random extra
        latency. mem_outstanding_reads, mem_outstanding_writes: most outstanding bursts; default: 128.
    memory: a DRAM instead of the other mem_*, as for `mxe estimate --memory`: "ddr4-3200:channels=2" or a
        YAML file. clock_mhz: the engine's clock, with memory; default: 1000.
    rtl: for target="rtl": a folder of designs, such as `build/rtl` of a checkout, or the library of one engine,
        as for `mxe cosim --rtl`. Default: the folder in MXE_RTL_PATH, then that of Debian's package mxe.
    check: compare all bytes of every result with the reference.

    The engine's process ends at `close`, at the end of a `with` block, or when this object is
    deleted. Threads may share an engine; its jobs run one after the other. After a fork, and when
    unpickled, the object starts another engine with the same arguments.

    Raises ValueError, with the command line's message, for an invalid engine and for missing
    designs. Source: model/platform/device/device.h, sw/worker.
    """

    def __init__(self, config: PathLike = "base", *, target: str = "model",
                 mem_latency: Optional[int] = None, mem_bytes_per_cycle: Optional[float] = None,
                 mem_jitter: Optional[int] = None, mem_outstanding_reads: Optional[int] = None,
                 mem_outstanding_writes: Optional[int] = None, memory: Optional[PathLike] = None,
                 clock_mhz: Optional[float] = None, rtl: Optional[PathLike] = None,
                 check: bool = True, **parameters: int) -> None:
        if not isinstance(target, str):
            raise TypeError(f"target must be a text, not {type(target).__name__}")
        self._arguments: dict[str, Any] = {
            "config": os.fspath(config), "target": target, "mem_latency": mem_latency,
            "mem_bytes_per_cycle": mem_bytes_per_cycle, "mem_jitter": mem_jitter,
            "mem_outstanding_reads": mem_outstanding_reads,
            "mem_outstanding_writes": mem_outstanding_writes, "memory": memory, "clock_mhz": clock_mhz, "rtl": rtl,
            "check": check, **parameters}
        self._request, self._environment = engine_request(self._arguments)
        self._check = check
        self._lock = threading.Lock()
        self._worker: Optional[Worker] = self._start()
        self._description = self._worker.description
        _engines.add(self)

    @property
    def config(self) -> str:
        """small, base, large, or custom."""
        return str(self._description["config"])

    @property
    def target(self) -> str:
        """model or rtl."""
        return str(self._description["target"])

    @property
    def parameters(self) -> dict[str, int]:
        """All parameters by name."""
        return dict(self._description["parameters"])

    @property
    def pid(self) -> Optional[int]:
        """The process ID of the engine; None if no process is running."""
        return None if self._worker is None else self._worker.pid

    def matmul(self, a: Any, b: Any, format_a: Optional[FormatLike] = None,
               format_b: Optional[FormatLike] = None, *, bias: Any = None,
               transpose_b: bool = False, out_format: OutFormatLike = "fp32", out_rule: Optional[ScaleRuleLike] = None,
               out_overflow: Optional[OverflowLike] = None, accumulate: AccumulateLike = "block",
               alpha: Optional[float] = None, bias_format: str = "fp32",
               threads: Optional[int] = None, reference: Any = None) -> EngineResult:
        """a @ b + bias on this engine; the arguments are those of `mxe.matmul`.

        accumulate: block, the engine's only rule. threads: for quantizing and for the reference.
        reference: the unquantized product, or a function that returns it, for the signal-to-noise
            ratio in `mxe.record`. Default: the float32 product, if a and b are arrays of numbers.

        Raises ValueError as `mxe.matmul` does, and if the job does not fit into the engine's memory.
        Raises EngineError if the engine fails or its process ends (the next job then starts a new
        process), and if the result differs from the reference.
        """
        if accumulate != "block":
            raise ValueError(f"accumulate='{accumulate}' is only for on='golden' (allowed: block)")
        count = _threads(threads)
        first, library = operand(a, format_a, -1, "a", count)
        second, _ = operand(b, format_b, -1 if transpose_b else -2, "b", count)
        added = None if bias is None else Source(bias).numbers("bias")
        request, arrays, shape = _core.engine_job(
            first, second, transpose_b, None if added is None else added.array,
            added is not None and added.bits, bias_format, out_format, out_rule, out_overflow, alpha)
        request.update(check=self._check, threads=count)
        reply, stored, scales = self._call(request, arrays)
        if reply.get("difference"):
            raise EngineError(f"{self.target} and golden disagree: {reply['difference']}")
        value = output(_core.engine_result(stored, scales, shape, request["out_format"],
                                           request["out_rule"], request["out_overflow"]),
                       out_format, library, in_graph(a, b, bias))
        result = EngineResult(value=value, stored=stored, stored_scales=scales,
                              **{key: reply[key] for key in _FIGURES})
        for recording in active():
            noise = signal_to_noise(a, b, bias, transpose_b, reference, value)
            recording.jobs.append(job_of(self._description, request, reply, noise))
        return result

    def close(self) -> None:
        """Ends the engine's process. The next job starts a new one."""
        with self._lock:
            if self._worker is not None:
                self._worker.end()
                self._worker = None

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        worker = getattr(self, "_worker", None)
        if worker is not None:
            worker.end()

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuilt, (self._arguments,)

    def __repr__(self) -> str:
        return f"mxe.Engine({self.config!r}, target={self.target!r})"

    def _start(self) -> Worker:
        from ._worker import Worker  # imported late: its imports take long
        return Worker(self._request, self._environment)

    def _call(self, request: dict[str, Any], arrays: list[np.ndarray[Any, Any]]) \
            -> tuple[dict[str, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        with self._lock:
            if self._worker is None:
                self._worker = self._start()
            try:
                reply = self._worker.call(request, arrays)
                stored = self._worker.read(0, reply.get("bytes", 0))
                scales = self._worker.read(len(stored), reply.get("scales", 0))
                self._worker.forget()
            except ValueError:
                raise
            except BaseException:  # also Ctrl-C: the reply is outstanding
                self._worker.end()
                self._worker = None
                raise
        return reply, stored, scales

    def _after_fork(self) -> None:
        """In a forked child: the process belongs to the parent, and the lock may be held."""
        self._lock = threading.Lock()
        if self._worker is not None:
            self._worker.drop()
            self._worker = None


_FIGURES = ("cycles", "counters", "utilization", "bound", "compute_cycles", "memory_cycles",
            "saturations", "wall_seconds")
_engines: weakref.WeakSet[Engine] = weakref.WeakSet()


def _after_fork() -> None:
    for engine in list(_engines):
        engine._after_fork()


os.register_at_fork(after_in_child=_after_fork)


def _rebuilt(arguments: dict[str, Any]) -> Engine:
    return Engine(**arguments)
