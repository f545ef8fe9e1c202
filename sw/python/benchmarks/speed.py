#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times quantizing and linear layers against the C++ kernel, PyTorch and other systems, in one run.

    python3 sw/python/benchmarks/speed.py [--bench build/mxe_bench] [--torch FOLDER]
        [--torchmx FOLDER] [--microxcaling FOLDER] [--quark LIBRARY]

Peers quantize the array that MXE's preset of the same name quantizes; results are compared first. Peers that are
not installed are skipped (MXE_PYTHON_PEERS=1 for the tests leaves `torch`, `torchmx` and `quark/libquark.so` in
build/tests/python). Rows use one thread unless they name another number. A time is the minimum of calls within 1
to 2 seconds.
"""
from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple, Optional

import numpy as np

import mxe

SIZE = 4096
FORMAT = "mxfp8_e4m3"


class Row(NamedTuple):

    what: str
    ours: float
    beside: str
    theirs: Optional[float]

    @property
    def text(self) -> str:
        if self.theirs is None:
            return f"| {self.what} | {_time(self.ours)} | {self.beside} | | |"
        ratio = self.theirs / self.ours
        return (f"| {self.what} | {_time(self.ours)} | {self.beside} | {_time(self.theirs)} | "
                f"{ratio:.{0 if ratio >= 10 else 2}f} |")


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def least(work: Callable[[], Any], seconds: float = 1.0, most: int = 2000) -> float:
    """The minimum time of a call in seconds, after one warm-up call."""
    work()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or (len(times) < most and time.perf_counter() < end):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


def same(ours: Any, theirs: Any, name: str) -> None:
    if not np.array_equal(np.asarray(ours), np.asarray(theirs)):
        raise SystemExit(f"{name}: the values differ, so times are not compared")


def kernel(bench: Optional[str]) -> list[Row]:
    """mxe.quantize against the C++ library's benchmark; both reuse the memory of their results."""
    rows = []
    x, small = numbers(SIZE, SIZE), numbers(8, 64)
    theirs = None
    if bench:
        done = subprocess.run(
            [bench, f"--benchmark_filter=^quantize/{FORMAT}/", "--benchmark_format=json"],
            capture_output=True, text=True, check=True)
        speeds = [one["elements/s"] for one in json.loads(
            done.stdout[done.stdout.index("{"):])["benchmarks"]]
        theirs = x.size / max(speeds)
    inputs: dict[str, Any] = {"NumPy": (x, small)}
    try:
        import torch
        inputs["PyTorch"] = (torch.from_numpy(x), torch.from_numpy(small))
    except ImportError:
        print("torch is not installed", file=sys.stderr)
    for name, (large, little) in inputs.items():
        rows.append(Row(f"quantize {SIZE} x {SIZE}, {name}",
                        least(lambda: mxe.quantize(large, FORMAT, threads=1), 2),
                        "the C++ kernel", theirs))
        rows.append(Row(f"quantize 8 x 64, {name}", least(lambda: mxe.quantize(little, FORMAT)),
                        "", None))
    return rows


def torchao(_: str) -> list[Row]:
    import torch
    import torchao
    from torchao.prototype.mx_formats.mx_tensor import to_mx
    torch.set_num_threads(1)
    x = torch.from_numpy(numbers(SIZE, SIZE))
    rows = []
    for format, dtype in ((FORMAT, torch.float8_e4m3fn), ("mxfp4_e2m1", torch.float4_e2m1fn_x2)):
        scales, codes = to_mx(x, dtype, 32)
        ours = mxe.quantize(x, format, "torchao_old-floor")
        same(ours.scales, scales.view(torch.uint8), "torchao")
        same(ours.pack("low") if format == "mxfp4_e2m1" else ours.codes, codes.view(torch.uint8),
             "torchao")
        rows.append(Row(f"{format} by torchao_old-floor",
                        least(lambda: mxe.quantize(x, format, "torchao_old-floor", threads=1)),
                        f"torchao {torchao.__version__}", least(lambda: to_mx(x, dtype, 32))))
    return rows


def torchmx(_: str) -> list[Row]:
    import torch
    from torchmx import dtypes
    from torchmx.mx_tensor import MXTensor
    torch.set_num_threads(1)
    x = torch.from_numpy(numbers(SIZE, SIZE)).to(torch.bfloat16)
    ours = mxe.fake_quantize(x, FORMAT, "torchmx")
    same(ours.float(), MXTensor.to_mx(x, dtypes.float8_e4m3, 32).to_dtype(torch.float32), "torchmx")
    return [Row(f"{FORMAT} by torchmx, from bfloat16",
                least(lambda: mxe.quantize(x, FORMAT, "torchmx", threads=1)), "torchmx 0.1.0",
                least(lambda: MXTensor.to_mx(x, dtypes.float8_e4m3, 32)))]


def microxcaling(folder: str) -> list[Row]:
    import torch
    sys.path.insert(0, folder)
    from mx.formats import ElemFormat
    from mx.mx_ops import _quantize_mx
    torch.set_num_threads(1)
    x = torch.from_numpy(numbers(SIZE, SIZE))

    def theirs() -> Any:
        return _quantize_mx(x, 8, ElemFormat.fp8_e4m3, axes=[-1], block_size=32)

    def ours() -> Any:
        return mxe.fake_quantize(x, FORMAT, "microxcaling-nearest", threads=1)
    same(ours(), theirs(), "microxcaling")
    return [Row(f"{FORMAT} by microxcaling-nearest, values", least(ours), "microxcaling 7bc4195",
                least(theirs))]


def quark(library: str) -> list[Row]:
    from onnx import TensorProto, helper

    import mxe.onnx
    import onnxruntime
    x = numbers(SIZE, SIZE)
    graph = helper.make_graph(
        [helper.make_node("MXQuantizeDequantize", ["x"], ["y"], domain="com.amd.quark", axis=-1,
                          element_dtype="fp8_e4m3", block_size=32, rounding_mode=2)], "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [SIZE, SIZE])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [SIZE, SIZE])])
    model = helper.make_model(graph, ir_version=10, opset_imports=[
        helper.make_opsetid("", 21), helper.make_opsetid("com.amd.quark", 1)]).SerializeToString()

    def session(path: str) -> Callable[[], Any]:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.register_custom_ops_library(path)
        made = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return lambda: made.run(None, {"x": x})[0]
    ours, theirs = session(mxe.onnx.custom_op_library()), session(library)
    same(ours(), theirs(), "Quark")
    return [Row(f"{FORMAT} by quark-onnx, values, in onnxruntime", least(ours), "AMD Quark 0.13",
                least(theirs)),
            Row(f"{FORMAT} by quark-onnx, values, mxe.fake_quantize", least(
                lambda: mxe.fake_quantize(x, FORMAT, "quark-onnx-py3", threads=1)),
                "AMD Quark 0.13", least(theirs))]


def pychop(_: str) -> list[Row]:
    from pychop.np.mx_formats import MXTensor_
    x = numbers(16, SIZE)
    ours = mxe.fake_quantize(x, FORMAT, "pychop", threads=1)
    same(ours, MXTensor_(x, FORMAT).dequantize(), "pychop")
    return [Row(f"{FORMAT} by pychop, values, 16 x {SIZE}",
                least(lambda: mxe.fake_quantize(x, FORMAT, "pychop", threads=1)), "pychop 0.6.2",
                least(lambda: MXTensor_(x, FORMAT).dequantize()))]


def linear(_: str) -> list[Row]:
    import torch

    import mxe.torch
    rows = []
    x = torch.from_numpy(numbers(512, SIZE))
    for threads in (1, 2):
        torch.set_num_threads(threads)
        for weight, activation in (("mxfp4_e2m1", "mxfp4_e2m1"), ("mxfp4_e1m2", "mxfp4_e1m2"),
                                   ("mxfp4_e2m1", FORMAT), (FORMAT, FORMAT)):
            floats = torch.nn.Linear(SIZE, SIZE)
            made = mxe.torch.quantize_(torch.nn.Linear(SIZE, SIZE), mxe.torch.MXConfig(
                weight=weight, activation=activation))
            with torch.no_grad():
                rows.append(Row(f"MXLinear 512 x {SIZE} by {SIZE} x {SIZE}, {activation} times "
                                f"{weight}, {threads} threads", least(lambda: made(x)),
                                "torch.nn.Linear float32", least(lambda: floats(x))))
    return rows


PARTS = {part.__name__: part for part in (torchao, torchmx, microxcaling, quark, pychop, linear)}


def apart(name: str, argument: str, folder: Optional[str]) -> list[Row]:
    """Runs one part in a separate process, because the peers need different libraries."""
    path = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))
    done = subprocess.run([sys.executable, "-W", "ignore", __file__, "--part", name, argument],
                          env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "2"},
                          capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name}: {(done.stderr.strip() or 'no reason').splitlines()[-1]}", file=sys.stderr)
        return []
    return [Row(*row) for row in json.loads(done.stdout.splitlines()[-1])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bench", help="mxe_bench of a build")
    parser.add_argument("--torch", help="a folder with torch and torchao")
    parser.add_argument("--torchmx", help="a folder with torchmx and the torchao that it needs")
    parser.add_argument("--microxcaling", help="a checkout of microxcaling")
    parser.add_argument("--quark", help="AMD Quark's operator library for onnxruntime")
    parser.add_argument("--part", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        print(json.dumps(PARTS[options.part[0]](options.part[1])))
        return
    if options.torch:
        sys.path.append(options.torch)
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print("| work | mxe | other package | its time | times ours |\n|---|---|---|---|---|")
    for row in kernel(options.bench):
        print(row.text)
    folders = os.pathsep.join(filter(None, [options.torchmx, options.torch]))
    for name in PARTS:
        argument = {"microxcaling": options.microxcaling, "quark": options.quark}.get(name, "-")
        if argument is None:
            print(f"{name} is left out", file=sys.stderr)
            continue
        for row in apart(name, argument, folders if name == "torchmx" else options.torch):
            print(row.text, flush=True)


if __name__ == "__main__":
    main()
