# SPDX-License-Identifier: Apache-2.0
"""Engines: the SystemC model or the simulated RTL, each in a process of its own."""
from __future__ import annotations

import dataclasses
import os
import threading
import weakref
from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from . import _core
from ._array import _threads
from ._namespaces import Source, in_graph
from ._operands import operand, output
from ._quantizer import FormatLike
from ._record import active, signal_to_noise
from ._requests import EngineError, PathLike, engine_request, job_of

if TYPE_CHECKING:
    from ._worker import Worker


@dataclasses.dataclass(frozen=True)
class EngineResult:
    """What an engine made of a product, and what that took."""

    value: Any  #: what `mxe.matmul` returns, [..., M, N]
    stored: np.ndarray[Any, np.dtype[np.uint8]]  #: bytes of the result as the engine left them
    stored_scales: np.ndarray[Any, np.dtype[np.uint8]]  #: those of an MX result, else none
    cycles: int  #: from the fetch of the descriptor to its completion record; all jobs of a batch
    counters: dict[str, int]  #: the engine's, by the names of its registers (docs/registers.md)
    utilization: float  #: multiply-accumulates over those possible in these cycles, 0 to 1
    bound: str  #: what limits it at best: compute or memory
    compute_cycles: int  #: that the multiplications take at least
    memory_cycles: int  #: that reading or writing takes at least
    saturations: int  #: elements of an MX result beyond the largest one
    wall_seconds: float  #: that the simulation took

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
        """Cycles in which the array waited, by what it waited for."""
        return {name: value for name, value in self.counters.items() if name.startswith("stall_")}


class Engine:
    """An MXE engine that multiplies matrices, cycle by cycle: `mxe matmul --on model` or `rtl`.

    config: small, base, large or a YAML file of parameters. target: model (SystemC) or rtl, the
        Verilated design of the configuration.
    parameters: other than the configuration's, by their names in small or capital letters:
        num_pe=16, fp4_dual=0 (docs/architecture.md has the table).
    mem_latency: cycles from a request to its first beat. mem_bytes_per_cycle: bandwidth of each
        direction; default: as wide as the engine's port. mem_jitter: seed of a random extra latency.
    mem_outstanding_reads, mem_outstanding_writes: bursts that the memory takes at a time; default: 128.
    rtl: for target="rtl": a folder of designs, `build/rtl` of a checkout, or the library of one
        engine, as `mxe cosim --rtl` takes it. Default: the folder that MXE_RTL_PATH names, then
        where Debian's package mxe has them.
    check: compare every result with the reference, in all bytes.

    Every engine has a process of its own, which lives until `close`, the end of a `with` block or
    that of this object. Threads may share an engine; its jobs run one after the other. A process
    that is forked off, or gets an engine by pickle, has an engine of its own of the same kind.

    Raises ValueError, with the command line's sentences, for what is no legal engine and for
    designs that are not there. Source: sw/device/device.h, sw/worker.
    """

    def __init__(self, config: PathLike = "base", *, target: str = "model",
                 mem_latency: Optional[int] = None, mem_bytes_per_cycle: Optional[float] = None,
                 mem_jitter: Optional[int] = None, mem_outstanding_reads: Optional[int] = None,
                 mem_outstanding_writes: Optional[int] = None, rtl: Optional[PathLike] = None,
                 check: bool = True, **parameters: int) -> None:
        self._arguments: dict[str, Any] = {
            "config": os.fspath(config), "target": target, "mem_latency": mem_latency,
            "mem_bytes_per_cycle": mem_bytes_per_cycle, "mem_jitter": mem_jitter,
            "mem_outstanding_reads": mem_outstanding_reads,
            "mem_outstanding_writes": mem_outstanding_writes, "rtl": rtl,
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
        """The number of the engine's process; None if none runs at the moment."""
        return None if self._worker is None else self._worker.pid

    def matmul(self, a: Any, b: Any, format_a: Optional[FormatLike] = None,
               format_b: Optional[FormatLike] = None, *, bias: Any = None,
               transpose_b: bool = False, out_format: str = "fp32", out_rule: Optional[str] = None,
               out_overflow: Optional[str] = None, accumulate: str = "block",
               bias_format: str = "fp32", threads: Optional[int] = None,
               reference: Any = None) -> EngineResult:
        """a @ b + bias on this engine; `mxe.matmul` says what the arguments are.

        accumulate: block, the only rule that the engine has. threads: for quantizing and for the
            reference.
        reference: what the product would be without quantizing, for the signal-to-noise ratio in
            `mxe.record`, or a function that returns it; default: the product in float32, if a and
            b are arrays of numbers.

        Raises ValueError as `mxe.matmul` does, and for what does not fit into the engine's memory;
        EngineError if the engine fails, its process ends, or the result differs from the
        reference's. The next job then starts a new process.
        """
        if accumulate != "block":
            raise ValueError(f"accumulate='{accumulate}' is only for on='golden' (allowed: block)")
        count = _threads(threads)
        first, library = operand(a, format_a, -1, "a", count)
        second, _ = operand(b, format_b, -1 if transpose_b else -2, "b", count)
        added = None if bias is None else Source(bias).numbers("bias")
        request, arrays, shape = _core.engine_job(
            first, second, transpose_b, None if added is None else added.array,
            added is not None and added.bits, bias_format, out_format, out_rule, out_overflow)
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
        """Ends the engine's process. Another job would start a new one."""
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
        from ._worker import Worker  # whose imports take as long as all others
        return Worker(self._request, self._environment)

    def _call(self, request: dict[str, Any], arrays: list[np.ndarray[Any, Any]]) \
            -> tuple[dict[str, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The reply, the bytes of the result and its scales."""
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
            except BaseException:  # of Ctrl-C, too: the reply is still to come
                self._worker.end()
                self._worker = None
                raise
        return reply, stored, scales

    def _after_fork(self) -> None:
        """The engine's process belongs to the parent, and so may the lock."""
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
