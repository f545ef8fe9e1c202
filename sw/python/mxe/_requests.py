# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import operator
import os
from collections.abc import Mapping
from typing import Any, Optional, Union

from ._record import Job, name_of_layer

PathLike = Union[str, "os.PathLike[str]"]


class EngineError(RuntimeError):
    """An engine failed: its process ended or did not start, it hung, it broke a rule of its buses, or
    its result differs from the reference."""


def whole(name: str, value: Any) -> int:
    """A whole number of at least 0, else raises the command line's error."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}") from None
    if number < 0:
        raise ValueError(f"{name} must be a whole number of at least 0, not '{value}'")
    return number


def engine_request(arguments: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    rest = dict(arguments)
    rest.pop("check", None)
    request: dict[str, Any] = {"config": rest.pop("config"), "target": rest.pop("target")}
    environment: dict[str, str] = {}
    rtl = rest.pop("rtl", None)
    if rtl is not None:
        if request["target"] != "rtl":
            raise ValueError(f"rtl needs target='rtl', not '{request['target']}'")
        if os.path.isdir(rtl):
            environment["MXE_RTL_PATH"] = os.path.abspath(rtl)
        else:
            request["rtl"] = os.path.abspath(rtl)
    for name in ("mem_latency", "mem_jitter", "mem_outstanding_reads", "mem_outstanding_writes"):
        value = rest.pop(name, None)
        if value is not None:
            request[name] = whole(name, value)
    bandwidth = rest.pop("mem_bytes_per_cycle", None)
    if bandwidth is not None:
        request["mem_bytes_per_cycle"] = str(float(bandwidth))  # JSON has no NaN
    memory, clock = rest.pop("memory", None), rest.pop("clock_mhz", None)
    if memory is not None:
        others = [name for name in ("mem_latency", "mem_bytes_per_cycle", "mem_jitter")
                  if arguments.get(name) is not None]
        if others:
            raise ValueError(f"memory excludes {others[0]}")
        request["memory"] = os.fspath(memory)
    if clock is not None:
        if memory is None:
            raise ValueError("clock_mhz needs memory")
        request["clock_mhz"] = str(float(clock))
    request["cycles_only"] = rest.pop("cycles_only", False)
    request["parameters"] = [f"{name.upper()}={whole(name.upper(), value)}"
                             for name, value in rest.items()]
    return request, environment


def job_of(engine: Mapping[str, Any], request: Mapping[str, Any], reply: Mapping[str, Any],
           noise: Optional[float]) -> Job:
    return Job(name=name_of_layer(), config=engine["config"], target=engine["target"],
               m=request["m"], n=request["n"], k=request["k"],
               products=max(1, len(request.get("pairs", ()))),
               format_a=request["format_a"], format_b=request["format_b"],
               out_format=request["out_format"], cycles=reply["cycles"],
               utilization=reply["utilization"], bound=reply["bound"],
               counters=reply["counters"], sqnr_db=noise, wall_seconds=reply["wall_seconds"])
