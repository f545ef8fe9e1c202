# SPDX-License-Identifier: Apache-2.0
import copy
import io

import pytest
from conftest import assert_same, plain

import mxe

torch = pytest.importorskip("torch", reason="torch is not installed")

import mxe.torch  # noqa: E402
from mxe.torch import MXConfig, MXLinear, MXTensor, quantize_  # noqa: E402


def numbers(shape, seed=1):
    return torch.from_numpy(plain(shape, seed))


def to_mx(shape, name="mxfp8_e4m3", seed=1, **arguments):
    return MXTensor.to_mx(numbers(shape, seed), name, **arguments)


@pytest.mark.parametrize("name, preset", [("mxfp8_e4m3", "ocp"), ("nvfp4", "nvfp4-te"),
                                          ("nvfp4", "nvfp4-te-row"), ("e5m7", "ocp"),
                                          ("mxint8", "torchmx"), ("mxfp4_e2m1", "pychop")])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_there_and_back(name, preset, dtype):
    x = numbers((3, 70)).to(dtype)
    q = MXTensor.to_mx(x, name, preset)
    assert q.shape == x.shape and q.dtype == x.dtype
    assert torch.equal(q.dequantize(), mxe.fake_quantize(x, name, preset))
    assert torch.equal(q.dequantize(torch.float64),
                       mxe.fake_quantize(x, name, preset, dtype="float64"))
    again = MXTensor.from_array(mxe.quantize(x, name, preset), dtype)
    assert torch.equal(again.dequantize(), q.dequantize())
    made = MXTensor.from_codes(q.codes, q.scales, "mxint8", dtype=dtype) if name == "mxint8" else q
    assert made.codes.shape == x.shape


def test_products():
    a, w, bias = to_mx((9, 70)), to_mx((13, 70), "mxfp4_e2m1", 2), numbers((13,), 3)
    product = mxe.matmul(a.array, w.array, transpose_b=True)
    added = mxe.matmul(a.array, w.array, transpose_b=True, bias=bias)
    for y, expected in ((torch.mm(a, w.t()), product), (a @ w.T, product),
                        (torch.matmul(a, w.transpose(0, 1)), product),
                        (torch.matmul(a, MXTensor.to_mx(numbers((13, 70), 2).t(), "mxfp4_e2m1",
                                                        axis=0)), product),
                        (torch.nn.functional.linear(a, w), product),
                        (torch.nn.functional.linear(a, w, bias), added),
                        (torch.addmm(bias, a, w.t()), added),
                        (torch.addmm(bias, a, w.t(), beta=0), product)):
        assert type(y) is torch.Tensor
        assert torch.equal(y, expected)
    with torch.inference_mode():
        assert torch.equal(torch.nn.functional.linear(a, w, bias), added)
    y = torch.nn.functional.linear(to_mx((2, 3, 70)), w)
    assert torch.equal(y, mxe.matmul(to_mx((2, 3, 70)).array, w.array, transpose_b=True))


@pytest.mark.parametrize("name", ["mxfp8_e5m2", "mxfp4_e2m1", "mxint8", "nvfp4"])
def test_attention(name):
    q, k, v = (to_mx((2, 3, 17, 64), name, seed) for seed in range(3))
    scores = torch.matmul(q, k.transpose(2, 3))
    assert torch.equal(scores, mxe.matmul(q.array, k.array, transpose_b=True))
    weights = MXTensor.to_mx(scores.softmax(-1), name)
    columns = MXTensor.to_mx(numbers((2, 3, 17, 64), 2), name, axis=2)
    assert torch.equal(torch.matmul(weights, columns),
                       mxe.matmul(weights.array, columns.array))
    assert torch.equal(torch.bmm(q[0], k[0].transpose(1, 2)), scores[0])
    with pytest.raises(ValueError, match="must run along K"):
        torch.matmul(weights, v)


def test_products_of_torch():
    a, w = to_mx((9, 64), "nvfp4", on="torch"), to_mx((5, 64), "nvfp4", 2, on="torch")
    assert torch.equal(a @ w.t(), a.dequantize() @ w.dequantize().t().contiguous())
    x = numbers((9, 64))
    assert torch.equal(x @ w.t(), x @ w.dequantize().t().contiguous())
    with torch.inference_mode():
        assert torch.equal(torch.nn.functional.linear(x, w), x @ w.dequantize().t())
    with pytest.raises(ValueError, match="no product has elements of the format e5m7"):
        torch.mm(to_mx((9, 64), "e5m7"), to_mx((5, 64), "e5m7").t())
    with pytest.raises(ValueError, match="unknown product 'gpu'"):
        to_mx((9, 64), on="gpu")


@pytest.mark.parametrize("view", [
    lambda x: x.t(), lambda x: x.transpose(0, 1), lambda x: x.detach(), lambda x: x.clone(),
    lambda x: x[3:7], lambda x: x[:, 32:64], lambda x: x[:, 64:], lambda x: x[::2], lambda x: x[4],
    lambda x: x.view(2, 4, 70), lambda x: x.reshape(4, 2, 70).permute(1, 0, 2),
    lambda x: x.unsqueeze(0).expand(3, 8, 70), lambda x: x.contiguous()])
def test_views(view):
    q = to_mx((8, 70))
    seen = view(q)
    assert isinstance(seen, MXTensor)
    assert seen.shape == view(numbers((8, 70))).shape
    assert_same(seen.dequantize().numpy(), view(q.dequantize()).numpy())


@pytest.mark.parametrize("view", [lambda x: x[:, 1:], lambda x: x[:, :33], lambda x: x[:, ::2],
                                  lambda x: x[:, 4], lambda x: x.view(560), lambda x: x + 1,
                                  lambda x: x.view(70, 8), torch.relu])
def test_what_there_is_not(view):
    with pytest.raises(NotImplementedError, match="dequantize"):
        view(to_mx((8, 70)))


def test_changed_codes_are_noticed():
    a, w = to_mx((4, 256)), to_mx((64, 256), seed=2)
    before = a @ w.t()
    assert torch.equal(a @ w.t(), before)
    w.scales.add_(1)
    assert torch.equal(a @ w.t(), 2 * before)
    w.codes.zero_()
    assert torch.count_nonzero(a @ w.t()) == 0


def test_files():
    for q in (to_mx((4, 70)), to_mx((4, 64), "nvfp4", preset="nvfp4-te")):
        file = io.BytesIO()
        torch.save({"q": q, "p": torch.nn.Parameter(q, requires_grad=False)}, file)
        file.seek(0)
        read = torch.load(file, weights_only=True)
        for one in read.values():
            assert isinstance(one, MXTensor) and one.quantizer == q.quantizer
            assert torch.equal(one.dequantize(), q.dequantize())


def test_gradient_of_tensors():
    x = numbers((4, 64)).requires_grad_()
    MXTensor.to_mx(x, "mxfp8_e4m3").dequantize().mul(numbers((4, 64), 2)).sum().backward()
    assert torch.equal(x.grad, numbers((4, 64), 2))


def network():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(70, 48), torch.nn.ReLU(),
                               torch.nn.Sequential(torch.nn.Linear(48, 10, bias=False)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_layers(dtype):
    plain_model = network().to(dtype)
    model = quantize_(copy.deepcopy(plain_model), MXConfig("mxfp4_e2m1", "mxfp8_e4m3"))
    first, _, (last,) = plain_model
    x = numbers((2, 5, 70)).to(dtype)
    hidden = mxe.matmul(mxe.quantize(x, "mxfp8_e4m3"), mxe.quantize(first.weight, "mxfp4_e2m1"),
                        bias=first.bias, transpose_b=True).to(dtype)
    expected = mxe.matmul(mxe.quantize(hidden.relu(), "mxfp8_e4m3"),
                          mxe.quantize(last.weight, "mxfp4_e2m1"), transpose_b=True).to(dtype)
    assert torch.equal(model(x), expected)
    assert "weight=mxfp4_e2m1, activation=mxfp8_e4m3" in repr(model)
    other = quantize_(copy.deepcopy(plain_model), MXConfig())
    other.load_state_dict(model.state_dict(), assign=True)
    assert torch.equal(other[0].weight.codes, model[0].weight.codes)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_trained_layers_compute_what_they_will(dtype):
    """The forward pass in training equals that of the final layers, bit for bit."""
    x = numbers((5, 70)).to(dtype)
    results = [quantize_(network().to(dtype), MXConfig("mxfp4_e2m1", train=train))(x)
               for train in (False, True)]
    assert torch.equal(*results)


def test_which_layers():
    model = quantize_(network(), MXConfig(), lambda module, name: name == "2.0")
    assert type(model[0]) is torch.nn.Linear and isinstance(model[2][0], MXLinear)
    assert isinstance(quantize_(torch.nn.Linear(32, 4)), MXLinear)


def test_other_products_and_weights_only():
    model, x = network()[0], numbers((3, 70))
    weight = mxe.fake_quantize(model.weight, "nvfp4", "nvfp4-torchao1")
    only = quantize_(model, MXConfig("nvfp4", None, "nvfp4-torchao1"))
    assert torch.equal(only(x), torch.nn.functional.linear(x, weight, model.bias))
    both = quantize_(model, MXConfig("nvfp4", "nvfp4", "nvfp4-torchao1", on="torch"))
    assert torch.equal(both(x), torch.nn.functional.linear(
        mxe.fake_quantize(x, "nvfp4", "nvfp4-torchao1"), weight, model.bias))


@pytest.mark.parametrize("weight, activation, preset", [
    ("nvfp4", "nvfp4", "ocp"), ("nvfp4", "nvfp4", "nvfp4-te-row"), ("nvfp4", "mxfp8_e4m3", "ocp"),
    (mxe.Quantizer("mxint8", block_size=64), mxe.Quantizer("mxfp4_e2m1", block_size=16), "ocp")])
def test_layers_with_other_scales(weight, activation, preset):
    linear, x = network()[0], numbers((2, 3, 70))
    named = {} if isinstance(weight, mxe.Quantizer) else {"preset": preset}
    w = mxe.quantize(linear.weight, weight, **named)
    q = mxe.quantize(x.reshape(6, 70), activation, **named)
    expected = mxe.matmul(q, w, transpose_b=True, bias=linear.bias.detach()).reshape(2, 3, 48)
    reference = torch.nn.functional.linear(x, linear.weight, linear.bias)
    layer = quantize_(copy.deepcopy(linear), MXConfig(weight, activation, preset))
    assert torch.equal(layer(x), expected)
    assert float((layer(x) - reference).norm() / reference.norm()) < 0.25
    compiled = torch.compile(layer, backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(x), expected)
    x.requires_grad_()
    layer(x).sum().backward()
    torch.testing.assert_close(x.grad, w.dequantize().sum(0).expand(2, 3, 70))
    trained = quantize_(linear, MXConfig(weight, activation, preset, train=True))
    assert torch.equal(trained(x), expected)
    again = quantize_(network()[0], MXConfig(weight, activation, preset))
    again.load_state_dict(layer.state_dict(), assign=True)
    assert torch.equal(again(x), expected)


def test_gradients_of_layers():
    layer = quantize_(network()[0], MXConfig("mxfp4_e2m1"))
    x = numbers((3, 70)).requires_grad_()
    layer(x).sum().backward()
    torch.testing.assert_close(x.grad, layer.weight.dequantize().sum(0).expand(3, 70))
    assert torch.equal(layer.bias.grad, torch.full((48,), 3.0))


def test_configurations_that_are_refused():
    for arguments, text in (({"weight": "fp3"}, "unknown format"),
                            ({"on": "gpu"}, "unknown product"),
                            ({"weight": "e4m3"}, "no product has elements"),
                            ({"preset": "torchao"}, "nearest: torchao-floor"),
                            ({"accumulate": "x"}, "unknown accumulation")):
        with pytest.raises(ValueError, match=text):
            MXConfig(**arguments)


def test_torchao_takes_it():
    torchao = pytest.importorskip("torchao.quantization", reason="torchao is not installed")
    ours, theirs = quantize_(network(), MXConfig("mxfp6_e2m3")), network()
    torchao.quantize_(theirs, MXConfig("mxfp6_e2m3"))
    assert isinstance(theirs[0], MXLinear)
    assert torch.equal(theirs(numbers((3, 70))), ours(numbers((3, 70))))
