# SPDX-License-Identifier: Apache-2.0
import importlib.util

import pytest
from conftest import SOURCE

torch = pytest.importorskip("torch", reason="torch is not installed: examples are not run")


def example(name):
    spec = importlib.util.spec_from_file_location(name, SOURCE / f"sw/python/examples/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_training_beats_rounding():
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        found = example("train_digits").compare("mxfp4_e2m1")
    finally:
        torch.set_num_threads(threads)
    print(found)
    assert found["float32"] == [445]  # from sw/mxe/data/digits/README.md
    assert found["rounded"] == [443]
    assert sum(found["trained"]) / len(found["trained"]) > 443
