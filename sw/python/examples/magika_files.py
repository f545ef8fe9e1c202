#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Magika, which tells the type of files, with all matrix products in MX formats.

    python3 -m pip install onnx && python3 -m pip install --no-deps magika  # 16 MB
    python3 sw/python/examples/magika_files.py [FOLDER ...] [--each 5]
    python3 sw/python/examples/magika_files.py --on model|rtl [--config base] [FILE]

Without --on: counts the files for which each format gives float32's answer, at most --each per extension. With --on:
prints the layers' cycles on an engine for one file. `Products` computes the matrix products, NumPy all else, with the
weights of the package's ONNX model; the convolution is a product of its windows.
"""
from __future__ import annotations

import argparse
import importlib.util
import json
import os
import pathlib
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Optional

import numpy as np
from products import MIXES, Floats, Mix, Products

import mxe

FOLDERS = (pathlib.Path(__file__).resolve().parents[3], pathlib.Path("/usr/share"),
           pathlib.Path("/usr/lib"))
HIDDEN = (".git", "build", "build-python", "__pycache__", ".venv")
EDGE, READ, PADDING = 1024, 4096, 256  # bytes of each end, bytes read for it, value of padding


def model_folder() -> Optional[pathlib.Path]:
    found = importlib.util.find_spec("magika")
    return None if found is None or not found.origin else \
        pathlib.Path(found.origin).parent / "models/standard_v3_3"


def features(content: bytes) -> list[int]:
    """Both ends of a file without surrounding white space, padded to EDGE bytes each."""
    begin = list(content[:READ].lstrip()[:EDGE])
    end = list(content[-READ:].rstrip()[-EDGE:])
    padding = [PADDING]
    return begin + padding * (EDGE - len(begin)) + padding * (EDGE - len(end)) + end


def gelu(x: Floats) -> Floats:
    cube: Floats = x + np.float32(0.044715) * x * x * x
    weighted: Floats = np.float32(0.5) * x * (1 + np.tanh(np.float32(0.7978846) * cube))
    return weighted


def normalized(x: Floats, scale: Floats, shift: Floats) -> Floats:
    mean = x.mean(0)
    spread = np.sqrt(np.maximum(np.square(x).mean(0) - np.square(mean), 0) + np.float32(1e-6))
    result: Floats = (x - mean) * (scale / spread) + shift
    return result


class Magika:
    def __init__(self, folder: pathlib.Path) -> None:
        import onnx
        graph = onnx.load(folder / "model.onnx").graph
        self._weights: dict[str, Floats] = {
            tensor.name.rpartition("MagikaV2/")[2].rpartition("_/")[2]:
            onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
        config = json.loads((folder / "config.min.json").read_text(encoding="utf-8"))
        self.labels: list[str] = config["target_labels_space"]

    def __call__(self, content: bytes, products: Products) -> Floats:
        """The logits of all labels, [214]."""
        part = self._weights
        hot = np.zeros((2 * EDGE, PADDING + 1), np.float32)
        hot[np.arange(2 * EDGE), features(content)] = 1
        x = gelu(products.linear("bytes", hot, part["Const:0"].T,
                                 part["Dense_0/Reshape:0"].ravel()))
        x = x.reshape(512, 256)
        x = normalized(x, part["LayerNorm_0/Reshape_2:0"][0], part["LayerNorm_0/Reshape_3:0"][0])
        kernel = part["Conv_0/transpose_3:0"]
        outputs, width = kernel.shape[0], kernel.shape[2]
        windows = np.lib.stride_tricks.sliding_window_view(x, width, axis=0)  # [508, 256, 5]
        x = gelu(products.linear("convolution", np.ascontiguousarray(windows).reshape(
            len(windows), -1), kernel.reshape(outputs, -1), part["const_fold_opt__209"].ravel()))
        x = normalized(x.max(0), part["LayerNorm_1/Reshape_2:0"][0],
                       part["LayerNorm_1/Reshape_3:0"][0])
        logits: Floats = products.linear("labels", x[None], part["Const_24:0"].T,
                                         part["Dense_1/Reshape:0"].ravel())[0]
        return logits

    def answers(self, contents: Iterable[bytes], products: Products) -> list[tuple[str, float]]:
        return self.told(self(content, products) for content in contents)

    def told(self, logits: Iterable[Floats]) -> list[tuple[str, float]]:
        """The most likely label of each row, and its probability."""
        found = []
        for row in logits:
            powers = np.exp(row - row.max())
            found.append((self.labels[int(row.argmax())], float(powers.max() / powers.sum())))
        return found


class Quality(NamedTuple):
    same: int
    files: int
    same_sure: int  #: with a probability of at least 90 % in float32
    sure: int
    change: float  #: mean difference of the probabilities


def quality(ours: Sequence[tuple[str, float]], floats: Sequence[tuple[str, float]]) -> Quality:
    pairs = list(zip(ours, floats))
    sure = [pair for pair in pairs if pair[1][1] >= 0.9]
    return Quality(sum(one[0] == other[0] for one, other in pairs), len(pairs),
                   sum(one[0] == other[0] for one, other in sure), len(sure),
                   float(np.mean([abs(one[1] - other[1]) for one, other in pairs])))


def compare(network: Magika, contents: Sequence[bytes],
            mixes: Sequence[Mix] = MIXES) -> Iterator[tuple[Mix, Quality]]:
    floats = network.answers(contents, Products())
    for mix in mixes:
        yield mix, quality(network.answers(contents, Products(mix)), floats)


def files(folders: Sequence[pathlib.Path], each: int) -> list[pathlib.Path]:
    """Random files of 64 bytes to 1 MB, at most `each` per extension."""
    extensions: dict[str, list[pathlib.Path]] = {}
    for top in folders:
        for folder, inner, names in os.walk(top):
            inner[:] = sorted(set(inner).difference(HIDDEN))
            for path in (pathlib.Path(folder) / name for name in sorted(names)):
                if path.suffix and path.is_file() and not path.is_symlink() and \
                        64 <= path.stat().st_size <= 1 << 20:
                    extensions.setdefault(path.suffix, []).append(path)
    draw = random.Random(1)
    common = [found for _, found in sorted(extensions.items()) if len(found) >= 3]
    return [path for found in common for path in draw.sample(found, min(each, len(found)))]


class Run(NamedTuple):
    recording: mxe.Recording
    label: str
    same: bool  #: logits have the bits of the reference


def on_engine(network: Magika, content: bytes, mix: Mix, engine: mxe.Engine) -> Run:
    with mxe.record() as recording:
        simulated = network(content, Products(mix, engine))
    golden = network(content, Products(mix))
    return Run(recording, network.labels[int(simulated.argmax())],
               bool((simulated.view(np.uint32) == golden.view(np.uint32)).all()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("paths", nargs="*", type=pathlib.Path, metavar="FOLDER or FILE")
    parser.add_argument("--each", type=int, default=5, help="files of each extension")
    parser.add_argument("--on", choices=("model", "rtl"), help="an engine, for one file")
    parser.add_argument("--config", default="base")
    parser.add_argument("--weights", default="mxfp4_e2m1")
    parser.add_argument("--activations", default="mxfp8_e4m3")
    options = parser.parse_args()
    folder = model_folder()
    if folder is None or importlib.util.find_spec("onnx") is None:
        parser.error("magika or onnx is not installed")
    network = Magika(folder)
    if options.on:
        path = options.paths[0] if options.paths else pathlib.Path(__file__)
        with mxe.Engine(options.config, target=options.on) as engine:
            run = on_engine(network, path.read_bytes(), Mix(options.weights, options.activations),
                            engine)
        print(run.recording.table())
        print(f"{path.name} is {run.label}; as on the reference: {'yes' if run.same else 'NO'}")
        return
    found = files(options.paths or FOLDERS, options.each)
    print(f"{len(found)} files of {len({path.suffix for path in found})} extensions")
    for mix, one in compare(network, [path.read_bytes() for path in found]):
        print(f"{mix!s:24} {one.same:4} of {one.files} ({100 * one.same / one.files:.2f} %), "
              f"{one.same_sure} of {one.sure} sure ones, probability {one.change:.4f}", flush=True)


if __name__ == "__main__":
    main()
