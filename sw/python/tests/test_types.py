# SPDX-License-Identifier: Apache-2.0
import pathlib
import shutil
import subprocess
import sys

import pytest
from conftest import SOURCE

import mxe


def test_mypy_finds_nothing(tmp_path):
    pytest.importorskip("mypy", reason="mypy is not installed: types are not checked")
    # mypy ignores errors in installed packages.
    shutil.copytree(pathlib.Path(mxe.__file__).parent, tmp_path / "mxe",
                    ignore=shutil.ignore_patterns("*.so*", "__pycache__"))
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file",
                           SOURCE / "sw/python/pyproject.toml", "--package", "mxe"], cwd=tmp_path,
                          capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
