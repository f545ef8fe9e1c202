# SPDX-License-Identifier: Apache-2.0
"""Layers of PyTorch on an engine: bits of the reference, and a row for each layer."""
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
            with pytest.raises(ValueError, match="an engine needs train=False"):
                MXConfig(on=eng, **arguments)
        with pytest.raises(ValueError, match="E8M0|power-of-two|engine"):
            MXConfig(weight="nvfp4", on=eng)


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = torch.nn.Embedding(50, 64)
        self.register_buffer("places", torch.randn(32, 64))
        self.norm = torch.nn.BatchNorm1d(32)
        self.qkv, self.out = torch.nn.Linear(64, 192), torch.nn.Linear(64, 64, bias=False)

    def forward(self, ids):
        x = self.tokens(ids) + self.places[:ids.shape[1]]
        for _ in range(2):
            q, k, v = (part.unflatten(2, (4, 16)).transpose(1, 2)
                       for part in self.qkv(self.norm(x)).chunk(3, -1))
            y = torch.nn.functional.scaled_dot_product_attention(q, k, v)
            x = x + self.out(y.transpose(1, 2).flatten(2))
        return x


def test_estimate_is_what_a_run_takes():
    ids = torch.randint(0, 50, (2, 32))
    plain = Attention().eval()
    with engine("model") as eng, torch.no_grad():
        quantized = quantize_(copy.deepcopy(plain), MXConfig(
            weight="mxfp4_e2m1", activation="mxfp8_e4m3", on=eng))
        with mxe.record() as recording:
            y = quantized(ids)
    expected = [(job.name, job.shape, job.format_a, job.format_b, job.cycles, job.counters)
                for job in recording]
    assert [one[0] for one in expected] == ["qkv", "out", "qkv", "out"]
    for found in (mxe.estimate(quantized, ids, config="small"),
                  mxe.estimate(plain, [ids], "mxfp8_e4m3", "mxfp4_e2m1", config="small")):
        assert [(job.name, job.shape, job.format_a, job.format_b, job.cycles, job.counters)
                for job in found] == expected
        assert found[0].sqnr_db is None
    with eng:
        assert torch.equal(quantized(ids), y)
    assert torch.equal(plain.train()(ids), plain(ids))


def test_estimate_of_shapes_and_bad_input():
    for shape, m in (((64,), 1), ([64], 1), ((4, 64), 4), ([4, 64], 4)):
        assert mxe.torch._shapes.products(torch.nn.Linear(64, 8), shape)[0][1:4] == (m, 8, 64)
    one = mxe.estimate(torch.nn.Linear(64, 8), (5, 7, 64), "mxint8", "mxint8", config="small")
    assert [(job.name, job.shape) for job in one] == [("linear", "35x8x64")]
    huge = torch.nn.Linear(1 << 20, 1 << 20, device="meta")  # 4 TB that are not allocated
    assert mxe.torch._shapes.products(huge, (4, 1 << 20))[0][1:4] == (4, 1 << 20, 1 << 20)
    layer = torch.nn.Linear(64, 8)
    for text, call in (
            ("is not quantized", lambda: mxe.estimate(layer, (5, 64))),
            ("no activation", lambda: mxe.estimate(quantize_(torch.nn.Linear(64, 8), MXConfig(
                activation=None)), (5, 64))),
            ("at least 1", lambda: mxe.estimate(layer, (0, 64), "mxint8", "mxint8"))):
        with pytest.raises(ValueError, match=text) as caught:
            call()
        assert "\n" not in str(caught.value)
    with pytest.raises(TypeError, match="needs input_shape"):
        mxe.estimate(layer)
    assert "forward" not in vars(layer)
