#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the network of decoder.py on some of the project's documents, byte by byte.

    python3 sw/python/examples/train_decoder.py OUTPUT.safetensors [--steps N]

This wrote decoder.safetensors: float16 weights, with seed, steps, a checksum of the text and the final loss in the
metadata, in a few minutes on one thread. The weights depend on the documents and on PyTorch's version.
"""
from __future__ import annotations

import argparse
import hashlib
import json
import pathlib
import struct

import torch
from decoder import PAGES
from torch import Tensor, nn

ROOT = pathlib.Path(__file__).resolve().parents[3]
BYTES, WIDTH, HIDDEN, HEADS, LAYERS = 256, 128, 224, 4, 3
BASE, EPSILON = 10000.0, 1e-5  # of rotary angles, of RMS norms
SEED, STEPS, WARM_UP, BATCH, LENGTH, LEARNING_RATE = 1, 1000, 50, 12, 256, 4e-3


class Norm(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPSILON) * self.weight


def rotated(x: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    rates = BASE ** (-torch.arange(half) / half)
    angles = torch.arange(x.shape[-2])[:, None] * rates
    one, other = x.split(half, -1)
    cos, sin = angles.cos(), angles.sin()
    return torch.cat((one * cos - other * sin, other * cos + one * sin), -1)


class Layer(nn.Module):

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.norm2 = Norm(), Norm()
        self.query, self.key, self.value, self.output = (
            nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
        self.gate, self.up = (nn.Linear(WIDTH, HIDDEN, bias=False) for _ in range(2))
        self.down = nn.Linear(HIDDEN, WIDTH, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        y = self.norm1(x)
        q, k, v = (one(y).unflatten(-1, (HEADS, -1)).transpose(1, 2)
                   for one in (self.query, self.key, self.value))
        attended = nn.functional.scaled_dot_product_attention(rotated(q), rotated(k), v,
                                                              is_causal=True)
        x = x + self.output(attended.transpose(1, 2).flatten(2))
        y = self.norm2(x)
        return x + self.down(nn.functional.silu(self.gate(y)) * self.up(y))


class Decoder(nn.Module):
    """A small Llama over bytes; the output layer shares the embedding's weights."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(BYTES, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = Norm()
        nn.init.normal_(self.embedding.weight, std=0.02)

    def forward(self, text: Tensor) -> Tensor:
        x = self.embedding(text)
        for layer in self.layers:
            x = layer(x)
        return self.norm(x) @ self.embedding.weight.t()


def text() -> bytes:
    return b"\n".join((ROOT / page).read_bytes() for page in PAGES)


def train(model: Decoder, data: Tensor, steps: int) -> float:
    """AdamW on random pieces; returns the mean loss of the last 20 steps in bits per byte."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.95),
                                  weight_decay=0.1)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, LEARNING_RATE, steps,
                                                   pct_start=WARM_UP / max(steps, 2 * WARM_UP))
    losses = []
    for step in range(steps):
        begins = torch.randint(len(data) - LENGTH - 1, (BATCH,))
        pieces = torch.stack([data[begin:begin + LENGTH + 1] for begin in begins])
        loss = nn.functional.cross_entropy(model(pieces[:, :-1]).flatten(0, 1),
                                           pieces[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item() / 0.6931472)
        if step % 50 == 0:
            print(step, f"{losses[-1]:.3f} bits a byte", flush=True)
    return sum(losses[-20:]) / len(losses[-20:])


def save(path: pathlib.Path, model: Decoder, notes: dict[str, str]) -> None:
    header: dict[str, object] = {"__metadata__": notes}
    data = b""
    for name, weight in model.state_dict().items():
        values = weight.half().numpy().tobytes()
        header[name] = {"dtype": "F16", "shape": list(weight.shape),
                        "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    path.write_bytes(struct.pack("<Q", len(head)) + head + data)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--steps", type=int, default=STEPS)
    options = parser.parse_args()
    if options.steps < 4:
        parser.error("--steps must be at least 4")
    torch.set_num_threads(1)  # results depend on it
    torch.manual_seed(SEED)
    data = text()
    model = Decoder()
    loss = train(model, torch.frombuffer(bytearray(data), dtype=torch.uint8).long(), options.steps)
    save(options.output, model, {
        "seed": str(SEED), "steps": str(options.steps), "bits_per_byte": f"{loss:.3f}",
        "text": f"{', '.join(PAGES)}, {len(data)} bytes",
        "sha256_of_text": hashlib.sha256(data).hexdigest(), "torch": torch.__version__})


if __name__ == "__main__":
    main()
