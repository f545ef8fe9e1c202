#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the digit classifier of `mxe demo` further, with weights and activations in a format.

    python3 sw/python/examples/train_digits.py [FORMAT] [--on torch]

Prints the number of correct test images of 450: in float32, with rounded weights and activations, and after training
with straight-through gradients in several orders of the images. The engine's products are used in forward passes; the
tested weights are a running mean over the steps.
"""
from __future__ import annotations

import argparse
import pathlib

import numpy as np
import torch
from torch import Tensor, nn

import mxe.torch
from mxe.torch import MXConfig

DIGITS = pathlib.Path(__file__).resolve().parents[3] / "sw/mxe/data/digits"
EPOCHS, BATCH, LEARNING_RATE, WEIGHT_DECAY, MEAN_DECAY = 30, 64, 1e-2, 1e-2, 0.99
SEEDS = (1, 2, 3)


def images(which: str) -> tuple[Tensor, Tensor]:
    """Pixels [images, 64] float32 from 0 to 1, and digits [images]."""
    pixels = np.load(DIGITS / f"{which}_images.npy").astype(np.float32) / 16
    return torch.from_numpy(pixels), torch.from_numpy(
        np.load(DIGITS / f"{which}_labels.npy").astype(np.int64))


def network() -> nn.Sequential:
    layers: list[nn.Module] = []
    for i in (1, 2, 3):
        weight, bias = (torch.from_numpy(np.load(DIGITS / f"{name}{i}.npy"))
                        for name in ("weight", "bias"))
        layer = nn.Linear(*weight.shape)
        layer.weight, layer.bias = nn.Parameter(weight.t().contiguous()), nn.Parameter(bias)
        layers += [layer, nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def right(model: nn.Module) -> int:
    x, digits = images("test")
    with torch.no_grad():
        return int((model(x).argmax(1) == digits).sum())


def train(model: nn.Module, seed: int) -> None:
    x, digits = images("train")
    signs = 2 * nn.functional.one_hot(digits, 10) - 1
    weights = list(model.parameters())
    means = [weight.detach().clone() for weight in weights]
    optimizer = torch.optim.AdamW(weights, lr=LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0, EPOCHS * -(-len(x) // BATCH))
    random = torch.Generator().manual_seed(seed)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(x), generator=random).split(BATCH):
            optimizer.zero_grad()
            nn.functional.relu(1 - signs[rows] * model(x[rows])).square().sum(1).mean().backward()
            optimizer.step()
            schedule.step()
            for mean, weight in zip(means, weights):
                mean.lerp_(weight.detach(), 1 - MEAN_DECAY)
    with torch.no_grad():
        for mean, weight in zip(means, weights):
            weight.copy_(mean)


def compare(format: str, on: str = "golden") -> dict[str, list[int]]:
    def in_format(train: bool) -> nn.Module:
        return mxe.torch.quantize_(network(), MXConfig(weight=format, activation=format, on=on,
                                                       train=train))

    found = {"float32": [right(network())], "rounded": [right(in_format(False))], "trained": []}
    for seed in SEEDS:
        model = in_format(True)
        train(model, seed)
        found["trained"].append(right(model))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("format", nargs="?", default="mxfp4_e2m1")
    parser.add_argument("--on", default="golden", help="golden or torch")
    options = parser.parse_args()
    torch.set_num_threads(1)  # products are too small for more
    for how, counts in compare(options.format, options.on).items():
        mean = sum(counts) / len(counts)
        print(f"{how:8} {', '.join(map(str, counts))} of 450 = {mean / 4.5:.2f} %")


if __name__ == "__main__":
    main()
