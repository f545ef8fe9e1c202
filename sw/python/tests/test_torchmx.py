# SPDX-License-Identifier: Apache-2.0
"""mxe.compat.torchmx: the documents' examples, and the numbers of the original package."""
import os
import pathlib
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")

HERE = pathlib.Path(__file__).resolve().parent


def test_values(tmp_path):
    """MXE_TORCHMX is a folder with torchmx 0.1.0 and the torchao 0.6.1 that it needs."""
    folder = os.environ.get("MXE_TORCHMX")
    if not folder:
        pytest.skip("torchmx is not installed (MXE_TORCHMX): its values are not compared")
    found = {}
    for package, path in (("torchmx", folder), ("mxe.compat.torchmx", "")):
        kept = os.environ.get("PYTHONPATH", "")
        paths = os.pathsep.join(filter(None, (path, kept)))
        subprocess.run([sys.executable, HERE / "torchmx_numbers.py", package,
                        tmp_path / package], check=True, timeout=300,
                       env={**os.environ, "PYTHONPATH": paths})
        found[package] = torch.load(tmp_path / package, weights_only=True)
    ours, theirs = found["mxe.compat.torchmx"], found["torchmx"]
    assert ours.keys() == theirs.keys() and len(ours) > 70
    for name, expected in theirs.items():
        assert ours[name].dtype == expected.dtype, name
        assert torch.equal(ours[name], expected), name


def test_example_of_products():
    from mxe.compat.torchmx import MXTensor, dtypes
    x_hp = torch.randn(128, 128, dtype=torch.bfloat16)
    x_mx = MXTensor.to_mx(x_hp, elem_dtype=dtypes.float8_e4m3, block_size=32)
    assert x_mx.to_dtype(torch.bfloat16).dtype == torch.bfloat16
    y_mx = MXTensor.to_mx(x_hp, elem_dtype=dtypes.float6_e3m2, block_size=32)
    out_bf16 = torch.matmul(x_mx, y_mx)
    assert type(out_bf16) is torch.Tensor and out_bf16.dtype == torch.bfloat16


def test_example_of_layers():
    from torch import nn

    from mxe.compat.torchmx.config import MXConfig, QLinearConfig
    from mxe.compat.torchmx.quant_api import quantize_linear_
    model = nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 64),
                          nn.ReLU()).to(torch.bfloat16)
    qconfig = QLinearConfig(
        weights_config=MXConfig(elem_dtype_name="float6_e3m2", block_size=32),
        activations_config=MXConfig(elem_dtype_name="float8_e4m3", block_size=32))
    quantize_linear_(model=model, qconfig=qconfig)
    x_hp = torch.randn(16, 128, dtype=torch.bfloat16)
    expected = model(x_hp)
    assert expected.shape == (16, 64)
    compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(x_hp), expected)
    assert QLinearConfig.load_from_dict(qconfig.to_dict()) == qconfig


def test_errors():
    from mxe.compat.torchmx import MXConfig, MXTensor, dtypes
    with pytest.raises(ValueError, match="unknown element type 'fp3'"):
        MXConfig("fp3")
    with pytest.raises(TypeError, match="must be bfloat16"):
        MXTensor.to_mx(torch.zeros(4, 32), dtypes.int8)
