#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the digit classifier of `mxe demo` and writes the .npy files into the folder of this script.

    python3 train.py            trains on the committed images and rewrites the weights
    python3 train.py --check    trains, writes nothing, fails if a committed file would change
    python3 train.py --fetch    first rewrites the images and labels from scikit-learn's copy

The network is 64 -> 100 -> 50 -> 10 with biases and ReLU, its inputs are the pixels scaled to 0..1. Needs numpy
(--fetch: scikit-learn). All machines and numpy versions give the same bytes: matrix products add in the order of k, the
loss (squared hinge, one class against the rest) needs no exp or log, and numpy's RandomState is frozen.
"""

import argparse
import io
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
LAYERS = (64, 100, 50, 10)
TEST_IMAGES = 450
SEED = 20260101
EPOCHS = 60
BATCH = 32
LEARNING_RATE = 0.02
MOMENTUM = 0.9
WEIGHT_DECAY = 1e-4


def matmul(a, b):
    """a [M,K] times b [K,N] in float64, added in the order of k."""
    total = np.zeros((a.shape[0], b.shape[1]))
    for k in range(a.shape[1]):
        total += a[:, k, None] * b[None, k, :]
    return total


def forward(x, weights, biases):
    activations = [x]
    for index, (w, b) in enumerate(zip(weights, biases)):
        y = matmul(activations[-1], w) + b
        activations.append(y if index == len(weights) - 1 else np.maximum(y, 0.0))
    return activations


def gradients(x, signs, weights, biases):
    """Gradients of the squared hinge loss. signs: +1 for the image's class, -1 for the others."""
    activations = forward(x, weights, biases)
    margin = np.maximum(1.0 - signs * activations[-1], 0.0)
    error = -2.0 * signs * margin / x.shape[0]
    ones = np.ones((1, x.shape[0]))
    result = []
    for index in reversed(range(len(weights))):
        result.append((matmul(activations[index].T, error), matmul(ones, error)[0]))
        if index:
            error = matmul(error, weights[index].T) * (activations[index] > 0.0)
    return result[::-1]


def train(images, labels):
    """Gradient descent with momentum; the learning rate decreases linearly to 0."""
    random = np.random.RandomState(SEED)
    weights = [random.uniform(-1, 1, (i, o)) * np.sqrt(6.0 / i) for i, o in zip(LAYERS, LAYERS[1:])]
    biases = [np.zeros(o) for o in LAYERS[1:]]
    velocity = [(np.zeros_like(w), np.zeros_like(b)) for w, b in zip(weights, biases)]
    signs = np.where(labels[:, None] == np.arange(LAYERS[-1])[None, :], 1.0, -1.0)
    for epoch in range(EPOCHS):
        rate = LEARNING_RATE * (1.0 - epoch / EPOCHS)
        order = random.permutation(len(images))
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            steps = gradients(images[rows], signs[rows], weights, biases)
            for layer, (dw, db) in enumerate(steps):
                vw, vb = velocity[layer]
                vw = MOMENTUM * vw - rate * (dw + WEIGHT_DECAY * weights[layer])
                vb = MOMENTUM * vb - rate * db
                velocity[layer] = (vw, vb)
                weights[layer] = weights[layer] + vw
                biases[layer] = biases[layer] + vb
    return [w.astype(np.float32) for w in weights], [b.astype(np.float32) for b in biases]


def fetch():
    from sklearn.datasets import load_digits

    digits = load_digits()
    images = digits.images.reshape(-1, 64).astype(np.uint8)
    labels = digits.target.astype(np.uint8)
    order = np.random.RandomState(SEED).permutation(len(images))
    test, rest = order[:TEST_IMAGES], order[TEST_IMAGES:]
    return {
        "test_images": images[test],
        "test_labels": labels[test],
        "train_images": images[rest],
        "train_labels": labels[rest],
    }


def npy_bytes(array):
    buffer = io.BytesIO()
    np.save(buffer, np.ascontiguousarray(array))
    return buffer.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, fail on a difference")
    parser.add_argument("--fetch", action="store_true", help="take the images from scikit-learn")
    options = parser.parse_args()

    if options.fetch:
        data = fetch()
    else:
        names = ("test_images", "test_labels", "train_images", "train_labels")
        data = {name: np.load(HERE / f"{name}.npy") for name in names}
    weights, biases = train(data["train_images"] / 16.0, data["train_labels"])
    for index, (w, b) in enumerate(zip(weights, biases), start=1):
        data[f"weight{index}"] = w
        data[f"bias{index}"] = b

    logits = forward(data["test_images"] / 16.0, weights, biases)[-1]
    correct = int((logits.argmax(axis=1) == data["test_labels"]).sum())
    print(f"test accuracy {correct}/{TEST_IMAGES} = {100.0 * correct / TEST_IMAGES:.2f} %")

    changed = []
    for name, array in data.items():
        path = HERE / f"{name}.npy"
        content = npy_bytes(array)
        if not path.exists() or path.read_bytes() != content:
            changed.append(path.name)
            if not options.check:
                path.write_bytes(content)
    print(("differs: " if options.check else "written: ") + (", ".join(changed) or "nothing"))
    return 1 if options.check and changed else 0


if __name__ == "__main__":
    sys.exit(main())
