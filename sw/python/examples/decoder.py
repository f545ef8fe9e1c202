#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A small Llama over bytes that writes text with all products and its KV cache in MX formats.

    python3 sw/python/examples/decoder.py [--prompt TEXT] [--tokens 100]
    python3 sw/python/examples/decoder.py --on model|rtl [--config base] [--tokens 32]

Without --on: prints the text in every format, and where it first differs from float32. With --on:
prints the cycles of a prefill and of each further token on an engine, and tokens per second.

3 layers of RMS norm, rotary positions, causal attention and SwiGLU, 128 wide, 4 heads of 32, trained by
train_decoder.py on three of the project's pages. `Products` computes the matrix products, NumPy all else.
"""
from __future__ import annotations

import argparse
import pathlib
from collections.abc import Sequence
from typing import NamedTuple, Optional

import numpy as np
from minilm import softmax
from products import MX_MIXES, Floats, Mix, Products, safetensors

import mxe

WEIGHTS = pathlib.Path(__file__).with_name("decoder.safetensors")
HEADS, LAYERS, BLOCK = 4, 3, 32
BASE, EPSILON = 10000.0, np.float32(1e-5)
PAGES = ("docs/terms.md", "docs/numerics.md", "docs/architecture.md")
# Parts of these pages at the time of the training.
KNOWN = (
    "# Numerics\n\nWhat MXE computes, to the last bit. The code is `model/numerics` (library `mx`, "
    "plain C++17); everything\nhere is checked by `tests/unit/numerics` and `tests/conformance`."
    "\n\n## Microscaling in one minute\n\n")
PROMPTS = ("Words that the code and these pages use in one",
           "A block of 32 numbers along K shares one scale",
           "The engine computes `D = A", "What MXE computes, to the last bit.")


class Cache:
    """Keys and values of one layer for all tokens so far: floats, or codes and scales.

    Blocks of keys run along a head's elements, blocks of values along tokens; values stay floats until a block is full.
    """

    def __init__(self, format: Optional[str]) -> None:
        self.format = format
        self._keys: list[Floats] = []
        self._key_parts: list[mxe.Array] = []
        self._values: list[Floats] = []
        self._value_blocks: list[mxe.Array] = []

    def append(self, keys: Floats, values: Floats) -> None:
        """[heads, tokens, size]."""
        if self.format is None:
            self._keys.append(keys)
            self._values.append(values)
            return
        self._key_parts.append(mxe.quantize(keys, self.format, threads=1))
        waiting = np.concatenate([*self._values, values], axis=1)
        full = waiting.shape[1] // BLOCK * BLOCK
        if full:
            self._value_blocks.append(self._quantized(waiting[:, :full]))
        self._values = [waiting[:, full:]]

    def scores(self, name: str, queries: Floats, products: Products) -> Floats:
        """queries [heads, rows, size] times all keys: [heads, rows, tokens]."""
        if self.format is None:
            return products.matmul(name, queries, np.concatenate(self._keys, axis=1).swapaxes(1, 2))
        return products.kept(name, queries, joined(self._key_parts, -1), transpose_b=True)

    def mixed(self, name: str, weights: Floats, products: Products) -> Floats:
        """weights [heads, rows, tokens] times all values: [heads, rows, size]."""
        if self.format is None:
            return products.matmul(name, weights, np.concatenate(self._values, axis=1))
        parts = list(self._value_blocks)
        if self._values[0].shape[1]:
            parts.append(self._quantized(self._values[0]))
        return products.kept(name, weights, joined(parts, -2), transpose_b=False)

    def _quantized(self, values: Floats) -> mxe.Array:
        assert self.format is not None
        return mxe.quantize(values, self.format, axis=-2, threads=1)


def joined(parts: Sequence[mxe.Array], axis: int) -> mxe.Array:
    """Concatenates arrays of one format along the tokens, [heads, tokens, size]."""
    return mxe.Array.from_codes(np.concatenate([part.codes for part in parts], axis=1),
                                np.concatenate([part.scales for part in parts], axis=1),
                                parts[0].format, axis=axis)


def normalized(x: Floats, weight: Floats) -> Floats:
    scaled: Floats = x / np.sqrt(np.square(x).mean(-1, keepdims=True) + EPSILON) * weight
    return scaled


def rotated(x: Floats, first: int) -> Floats:
    """Rotary positions of [heads, tokens, size]: pairs a row's first half with its second."""
    half = x.shape[-1] // 2
    rates = BASE ** (-np.arange(half) / half)
    angles = (first + np.arange(x.shape[1]))[:, None] * rates
    cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
    one, other = x[..., :half], x[..., half:]
    return np.concatenate((one * cos - other * sin, other * cos + one * sin), -1)


class Decoder:
    def __init__(self, weights: dict[str, Floats], products: Products) -> None:
        self._weights = weights
        self.products = products
        self._length = 0
        format = None if products.mix is None else products.mix.activations
        self._caches = [Cache(format) for _ in range(LAYERS)]

    def __call__(self, text: bytes) -> Floats:
        """Reads further bytes at once. Returns logits [bytes, 256] for the byte after each."""
        x = self._weights["embedding.weight"][list(text)]
        for number in range(LAYERS):
            x = x + self._attention(number, self._norm(f"layers.{number}.norm1", x))
            x = x + self._feed_forward(number, self._norm(f"layers.{number}.norm2", x))
        self._length += len(text)
        return self.products.linear("logits", self._norm("norm", x),
                                    self._weights["embedding.weight"])

    def _attention(self, number: int, x: Floats) -> Floats:
        q, k, v = (self._linear(number, one, x).reshape(len(x), HEADS, -1).swapaxes(0, 1)
                   for one in ("query", "key", "value"))
        cache = self._caches[number]
        cache.append(rotated(k, self._length), np.ascontiguousarray(v))
        scores = cache.scores(f"{number}.scores", rotated(q, self._length), self.products)
        scores = scores / np.float32(q.shape[-1] ** 0.5)
        later = np.arange(scores.shape[2]) > self._length + np.arange(len(x))[:, None]
        weights = softmax(np.where(later, np.float32(-np.inf), scores))
        mixed = cache.mixed(f"{number}.values", weights, self.products)
        return self._linear(number, "output", np.ascontiguousarray(mixed.swapaxes(0, 1))
                            .reshape(x.shape))

    def _feed_forward(self, number: int, x: Floats) -> Floats:
        gate = self._linear(number, "gate", x)
        inner = gate / (1 + np.exp(-gate)) * self._linear(number, "up", x)
        return self._linear(number, "down", inner)

    def _linear(self, number: int, name: str, x: Floats) -> Floats:
        return self.products.linear(f"{number}.{name}", x,
                                    self._weights[f"layers.{number}.{name}.weight"])

    def _norm(self, name: str, x: Floats) -> Floats:
        return normalized(x, self._weights[f"{name}.weight"])


def write(weights: dict[str, Floats], products: Products, prompt: bytes, tokens: int) -> bytes:
    decoder = Decoder(weights, products)
    logits, written = decoder(prompt), b""
    for _ in range(tokens):
        written += bytes([int(logits[-1].argmax())])
        logits = decoder(written[-1:])
    return written


def bits_per_byte(weights: dict[str, Floats], products: Products, text: bytes) -> float:
    """The mean -log2 of the probability of each next byte."""
    logits = Decoder(weights, products)(text[:-1]).astype(np.float64)
    logits -= logits.max(-1, keepdims=True)
    taken = logits[np.arange(len(text) - 1), list(text[1:])]
    return float((np.log(np.exp(logits).sum(-1)) - taken).mean() / np.log(2))


class Quality(NamedTuple):
    bits: float  #: per byte, for a text from the training
    same: list[Optional[int]]  #: per prompt: bytes before the first difference; None if equal
    texts: list[bytes]


def compare(weights: dict[str, Floats], mixes: Sequence[Mix] = MX_MIXES,
            prompts: Sequence[str] = PROMPTS, tokens: int = 100) -> dict[Optional[Mix], Quality]:
    """Qualities by format; None: float32."""
    found: dict[Optional[Mix], Quality] = {}
    for mix in (None, *mixes):
        products = Products(mix)
        texts = [write(weights, products, prompt.encode(), tokens) for prompt in prompts]
        floats = found[None].texts if None in found else texts
        same = [next((at for at, pair in enumerate(zip(text, other)) if pair[0] != pair[1]), None)
                for text, other in zip(texts, floats)]
        found[mix] = Quality(bits_per_byte(weights, products, KNOWN.encode()), same, texts)
    return found


class Speed(NamedTuple):
    prefill: mxe.Recording
    decode: list[mxe.Recording]  #: one recording for each byte that was written
    text: bytes
    same: bool  #: all logits have the bits of the reference


def on_engine(weights: dict[str, Floats], mix: Mix, engine: mxe.Engine, prompt: bytes,
              tokens: int) -> Speed:
    decoder, golden = Decoder(weights, Products(mix, engine)), Decoder(weights, Products(mix))
    recordings, written, same = [], b"", True
    for number in range(tokens + 1):
        with mxe.record() as recording:
            logits = decoder(written[-1:] if number else prompt)
        expected = golden(written[-1:] if number else prompt)
        same = same and bool((logits.view(np.uint32) == expected.view(np.uint32)).all())
        recordings.append(recording)
        written += bytes([int(logits[-1].argmax())])
    return Speed(recordings[0], recordings[1:], written[:tokens], same)


def print_speed(weights: dict[str, Floats], mix: Mix, engine: mxe.Engine, prompt: bytes,
                tokens: int) -> None:
    speed = on_engine(weights, mix, engine, prompt, tokens)
    print(speed.prefill.table(), speed.decode[-1].table(), sep="\n\n")
    cycles = sum(step.cycles for step in speed.decode) / tokens
    rate = len(prompt) / speed.prefill.cycles * 1e9
    print(f"\n{mix}, {engine.config}: prefill of {len(prompt)} bytes {speed.prefill.cycles} "
          f"cycles, {rate:.0f} a second at 1 GHz; then {cycles:.0f} cycles a byte, "
          f"{1e9 / cycles:.0f} a second")
    print(f"bits as on the reference: {'yes' if speed.same else 'NO'}; {speed.text!r}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--prompt", help="default: four from its training text; with --on 128 bytes of it")
    parser.add_argument("--tokens", type=int, help="bytes to write; default 100, with --on 32")
    parser.add_argument("--on", choices=("model", "rtl"), help="an engine")
    parser.add_argument("--config", default="base")
    parser.add_argument("--weights", default="mxfp4_e2m1")
    parser.add_argument("--activations", default="mxfp8_e4m3")
    options = parser.parse_args()
    weights = safetensors(WEIGHTS)
    if options.on:
        with mxe.Engine(options.config, target=options.on) as engine:
            print_speed(weights, Mix(options.weights, options.activations), engine,
                        (options.prompt or KNOWN[:128]).encode(), options.tokens or 32)
        return
    prompts = [options.prompt] if options.prompt else PROMPTS
    for mix, one in compare(weights, prompts=prompts, tokens=options.tokens or 100).items():
        print(f"{mix or 'float32'}: {one.bits:.3f} bits a byte")
        for prompt, same, text in zip(prompts, one.same, one.texts):
            how = "same" if same is None else f"same for {same}"
            print(f"  {how}: {prompt + text.decode('utf-8', 'replace')!r}")


if __name__ == "__main__":
    main()
