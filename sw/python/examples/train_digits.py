#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the digit classifier of `mxe demo` further, with weights and activations in a format.

    python3 sw/python/examples/train_digits.py [FORMAT] [--on torch]

Prints how many of the 450 test images are right: in float32, with rounded weights and activations,
and after training with straight-through gradients. The forward passes are the engine's products.
"""
from __future__ import annotations

import argparse
import copy
import pathlib

import numpy as np
import torch
from torch import Tensor, nn

import mxe.torch

DIGITS = pathlib.Path(__file__).resolve().parents[3] / "sw/mxe/data/digits"
EPOCHS, BATCH, LEARNING_RATE = 12, 32, 1e-3


def images(which: str) -> tuple[Tensor, Tensor]:
    """Pixels [images, 64] float32 from 0 to 1, and digits [images]."""
    pixels = np.load(DIGITS / f"{which}_images.npy").astype(np.float32) / 16
    return torch.from_numpy(pixels), torch.from_numpy(
        np.load(DIGITS / f"{which}_labels.npy").astype(np.int64))


def network() -> nn.Sequential:
    """The classifier, 64 -> 100 -> 50 -> 10, with its float32 weights."""
    layers: list[nn.Module] = []
    for i in (1, 2, 3):
        weight, bias = (torch.from_numpy(np.load(DIGITS / f"{name}{i}.npy"))
                        for name in ("weight", "bias"))
        layer = nn.Linear(*weight.shape)
        layer.weight, layer.bias = nn.Parameter(weight.t().contiguous()), nn.Parameter(bias)
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def right(model: nn.Module) -> int:
    """How many test images the model gets right."""
    x, digits = images("test")
    with torch.no_grad():
        return int((model(x).argmax(1) == digits).sum())


def train(model: nn.Module, epochs: int = EPOCHS) -> None:
    """Adam, with a rate that falls linearly to zero; the same on every machine up to the order of
    float32 sums."""
    x, digits = images("train")
    signs = 2 * nn.functional.one_hot(digits, 10) - 1
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    random = torch.Generator().manual_seed(1)
    steps = epochs * -(-len(x) // BATCH)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0, steps)
    for _ in range(epochs):
        for rows in torch.randperm(len(x), generator=random).split(BATCH):
            optimizer.zero_grad()
            nn.functional.relu(1 - signs[rows] * model(x[rows])).square().sum(1).mean().backward()
            optimizer.step()
            schedule.step()


def compare(format: str, on: str = "golden", epochs: int = EPOCHS) -> dict[str, int]:
    """Test images that are right, by how the model came about."""
    model = network()
    config = {"weight": format, "activation": format, "on": on}
    found = {"float32": right(model), "rounded": right(mxe.torch.quantize_(
        copy.deepcopy(model), mxe.torch.MXConfig(**config)))}
    mxe.torch.quantize_(model, mxe.torch.MXConfig(**config, train=True))
    train(model, epochs)
    found["trained"] = right(model)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("format", nargs="?", default="mxfp4_e2m1")
    parser.add_argument("--on", default="golden", help="golden or torch")
    options = parser.parse_args()
    for how, count in compare(options.format, options.on).items():
        print(f"{how:8} {count}/450 = {count / 4.5:.2f} %")


if __name__ == "__main__":
    main()
