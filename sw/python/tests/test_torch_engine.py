# SPDX-License-Identifier: Apache-2.0
"""Layers of PyTorch on an engine: the reference's bits, a row for each layer."""
import copy

import pytest
from test_engine import engine

import mxe

torch = pytest.importorskip("torch", reason="torch is not installed")
import mxe.torch  # noqa: E402
from mxe.torch import MXConfig, quantize_  # noqa: E402


@pytest.fixture
def model():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(64, 40), torch.nn.ReLU(),
                               torch.nn.Sequential(torch.nn.Linear(40, 8, bias=False)))


@pytest.mark.parametrize("target", ["model", "rtl"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_layers(model, target, dtype):
    model, x = model.to(dtype), torch.randn(2, 5, 64, dtype=dtype)
    floats = model[0](x).detach()
    config = {"weight": "mxfp4_e2m1", "activation": "mxfp8_e4m3"}
    golden = quantize_(copy.deepcopy(model), MXConfig(**config))(x)
    with engine(target) as eng:
        quantized = quantize_(model, MXConfig(**config, on=eng))
        with mxe.record() as recording:
            y = quantized(x)
        assert y.dtype == dtype and torch.equal(y, golden)
    assert [(job.name, job.shape) for job in recording] == [("0", "10x40x64"), ("2.0", "10x8x40")]
    noise = (floats.double() - quantized[0](x).double()).square().sum()
    expected = 10 * torch.log10(floats.double().square().sum() / noise)
    assert recording[0].sqnr_db == pytest.approx(float(expected), abs=0.2)


def test_bad_configurations():
    with engine("model") as eng:
        for arguments in ({"train": True}, {"activation": None}, {"accumulate": "exact"}):
            with pytest.raises(ValueError, match="an engine has no"):
                MXConfig(on=eng, **arguments)
        with pytest.raises(ValueError, match="E8M0|power-of-two|engine"):
            MXConfig(weight="nvfp4", on=eng)
