# SPDX-License-Identifier: Apache-2.0
import json
import os
import pathlib
import subprocess

# For small products one thread is fastest. NumPy reads this when it is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest

# Reproducible products in torch, whose order of sums otherwise depends on alignment.
os.environ.setdefault("MKL_CBWR", "COMPATIBLE")

SOURCE = pathlib.Path(os.environ.get("MXE_SOURCE", pathlib.Path(__file__).resolve().parents[3]))
PROGRAM = pathlib.Path(os.environ.get("MXE_PROGRAM", SOURCE / "build/mxe"))
DATA = SOURCE / "tests/conformance/data"


class CommandLine:
    """Runs `mxe` in a temporary folder; passes arrays as .npy files."""

    def __init__(self, folder):
        self.folder = folder

    def save(self, name, array):
        np.save(self.folder / name, array)
        return str(self.folder / name)

    def load(self, name):
        return np.load(self.folder / name)

    def path(self, name):
        return str(self.folder / name)

    def run(self, *arguments):
        arguments = [str(argument) for argument in arguments]
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=False,
                              timeout=60)
        assert done.returncode == 0, f"{arguments}\n{done.stderr}"
        return json.loads(done.stdout) if "--json" in arguments else done.stdout

    def error(self, *arguments):
        done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                              check=False, timeout=60)
        assert done.returncode == 2, f"{arguments}\n{done.stdout}"
        return done.stderr.strip().partition(": ")[2]


@pytest.fixture
def cli(tmp_path):
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built, there is nothing to compare with")
    return CommandLine(tmp_path)


def bits(array):
    array = np.ascontiguousarray(array)
    if array.dtype == np.float32:
        array = np.where(np.isnan(array), np.float32(np.nan), array)
        return array.view(np.uint32)
    return array


def assert_same(ours, theirs):
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    assert ours.dtype == theirs.dtype
    assert ours.shape == theirs.shape
    np.testing.assert_array_equal(bits(ours), bits(theirs))


def awkward(shape, seed=1):
    """float32 numbers of many magnitudes, with zeros of both signs, NaN, Inf and subnormals."""
    random = np.random.default_rng(seed)
    x = random.standard_normal(shape) * np.exp2(random.integers(-30, 30, shape))
    x = x.astype(np.float32)
    flat = x.reshape(-1)
    for value in (0.0, -0.0, np.nan, np.inf, -np.inf, 1e-45, -1e-40, 3.4e38):
        flat[random.integers(0, flat.size, max(1, flat.size // 500))] = value
    return x


def plain(shape, seed=1):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
