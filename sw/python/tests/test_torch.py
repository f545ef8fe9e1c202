# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from conftest import assert_same, awkward, plain

import mxe

torch = pytest.importorskip("torch", reason="torch is not installed")

import mxe.torch  # noqa: E402

OPERATORS = torch.ops.mxe


def tensor(shape, seed=1, grad=False):
    return torch.from_numpy(plain(shape, seed)).requires_grad_(grad)


def network():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(70, 48), torch.nn.ReLU(), torch.nn.Linear(48, 10))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "float64"])
@pytest.mark.parametrize("stride", ["plain", "transposed", "stepped", "broadcast"])
@pytest.mark.parametrize("axis", [0, -1])
def test_any_type_and_stride(dtype, stride, axis):
    x = torch.from_numpy(awkward((40, 70)).clip(-6e4, 6e4)).to(getattr(torch, dtype))
    x = {"plain": x, "transposed": x.t(), "stepped": x[::2, 1::3],
         "broadcast": x[:1].expand(9, 70)}[stride]
    dense = x.double().numpy().copy()
    q = mxe.quantize(x, "mxfp6_e3m2", "torchao-even", axis=axis)
    expected = mxe.quantize(dense, "mxfp6_e3m2", "torchao-even", axis=axis)
    assert isinstance(q.codes, torch.Tensor)
    assert_same(q.codes.numpy(), expected.codes)
    assert_same(q.scales.numpy(), expected.scales)
    values = mxe.fake_quantize(x, "mxfp6_e3m2", "torchao-even", axis=axis)
    assert values.dtype == x.dtype
    assert_same(values.float().numpy(), mxe.fake_quantize(
        dense, "mxfp6_e3m2", "torchao-even", axis=axis, dtype=dtype).astype(np.float32)
        if dtype != "bfloat16" else q.dequantize("bfloat16").float().numpy())


def test_types_of_codes():
    x = tensor((4, 64))
    codes, scales = mxe.quantize(x, torch.float8_e4m3fn).typed()
    assert (codes.dtype, scales.dtype) == (torch.float8_e4m3fn, torch.float8_e8m0fnu)
    assert torch.equal(codes.float() * scales.float().repeat_interleave(32, 1),
                       mxe.fake_quantize(x, "mxfp8_e4m3"))
    again = mxe.Array.from_codes(codes.t(), scales.t(), "mxfp8_e4m3", axis=0)
    assert torch.equal(again.dequantize().t(), mxe.fake_quantize(x, "mxfp8_e4m3"))
    with pytest.raises(TypeError, match="torch has no float4_e2m1fn"):
        mxe.quantize(x, "mxfp4_e2m1").typed()


def test_unusual_tensors():
    negated = torch.complex(tensor((4, 64)), tensor((4, 64), 2)).conj().imag
    assert negated.is_neg()
    assert_same(mxe.fake_quantize(negated, "mxfp8_e4m3").numpy(),
                mxe.fake_quantize(-plain((4, 64), 2), "mxfp8_e4m3"))
    layer = torch.nn.Linear(32, 4)
    assert_same(mxe.quantize(layer.weight, "mxint8").codes.numpy(),
                mxe.quantize(layer.weight.detach().numpy(), "mxint8").codes)
    for x, text in ((torch.eye(32).to_sparse(), "not sparse_coo on cpu"),
                    (torch.empty(4, 32, device="meta"), "not strided on meta"),
                    (tensor((4, 64)).to(torch.float8_e4m3fn), "the elements must be")):
        with pytest.raises(TypeError, match=text) as caught:
            mxe.quantize(x, "mxint8")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("out", ["fp32", "bf16", "fp16"])
def test_products_of_tensors(out):
    a, b = tensor((2, 9, 70)).bfloat16(), tensor((70, 13), 2)
    y = mxe.matmul(a, b.t().contiguous().t(), "mxfp8_e4m3", "mxfp4_e2m1", out_format=out)
    assert isinstance(y, torch.Tensor)
    expected = mxe.matmul(a.float().numpy(), b.numpy(), "mxfp8_e4m3", "mxfp4_e2m1")
    kind = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[out]
    assert torch.equal(y, torch.from_numpy(expected).to(kind))


@pytest.mark.parametrize("name, arguments", [
    ("quantize", lambda: (tensor((8, 70)), "mxfp8_e4m3", -1)),
    ("quantize", lambda: (tensor((8, 70)), "nvfp4:nvfp4-te-row", -1)),
    ("quantize", lambda: (tensor((8, 70)), "e5m7", 0)),
    ("quantize", lambda: (tensor((8, 70)).half(), "mxfp4_e2m1:pychop", 1)),
    ("dequantize", lambda: (*OPERATORS.quantize(tensor((8, 70)), "nvfp4:nvfp4-te"),
                            "nvfp4:nvfp4-te", -1, torch.bfloat16)),
    ("fake_quantize", lambda: (tensor((8, 64), grad=True), "mxfp8_e4m3", -1, False)),
    ("fake_quantize", lambda: (tensor((8, 64), grad=True), "mxfp4_e2m1", 0, True)),
    ("clipped", lambda: (tensor((8, 64)), "mxfp4_e2m1", 0)),
    ("scaled_matmul", lambda: (*OPERATORS.quantize(tensor((2, 8, 70)), "mxint8")[:2],
                               *OPERATORS.quantize(tensor((5, 70)), "mxfp4_e2m1")[:2], "mxint8",
                               "mxfp4_e2m1", tensor((5,), grad=True))),
    ("scaled_matmul", lambda: (*OPERATORS.quantize(tensor((8, 70)), "nvfp4")[:2],
                               *OPERATORS.quantize(tensor((5, 70)), "nvfp4")[:2], "nvfp4", "nvfp4",
                               None, "block", torch.tensor([0.5, 1344.0]),
                               torch.tensor([0.25, 672.0]))),
    ("linear", lambda: (tensor((2, 8, 70), grad=True), *OPERATORS.quantize(tensor((5, 70)), "nvfp4")[:2],
                        tensor((5,), grad=True), "nvfp4", "nvfp4", "block", False,
                        OPERATORS.quantize(tensor((5, 70)), "nvfp4")[2])),
    ("linear", lambda: (tensor((2, 8, 70), grad=True).bfloat16(),
                        *OPERATORS.quantize(tensor((5, 70)), "mxfp4_e2m1")[:2],
                        tensor((5,), grad=True), "mxint8", "mxfp4_e2m1", "block", True)),
    ("matmul", lambda: (tensor((2, 8, 70), grad=True), tensor((5, 70), grad=True), "mxfp8_e4m3",
                        "mxfp4_e2m1", tensor((5,), grad=True), "block", True))])
def test_opcheck(name, arguments):
    torch.library.opcheck(getattr(OPERATORS, name).default, arguments())


def test_operators_compute_what_mxe_does():
    x = torch.from_numpy(awkward((8, 70)))
    for text, name, preset in (("mxfp8_e4m3", "mxfp8_e4m3", "ocp"),
                               ("nvfp4:nvfp4-te", "nvfp4", "nvfp4-te")):
        codes, scales, whole = OPERATORS.quantize(x, text)
        q = mxe.quantize(x.numpy(), name, preset)
        assert_same(codes.numpy(), q.codes)
        assert_same(scales.numpy(), q.scales)
        assert_same(OPERATORS.dequantize(codes, scales, whole, text, -1, torch.float32).numpy(),
                    q.dequantize())
    marks = OPERATORS.clipped(x, "mxfp4_e2m1")
    assert int(marks.sum()) == mxe.quantize(x, "mxfp4_e2m1").stats(x).clipped > 0


def test_operators_have_the_threads_of_torch(monkeypatch):
    counted = []

    def counting(owner, name):
        whole = getattr(owner, name)

        def counted_call(*arguments, **named):
            counted.append((name, named.get("threads")))
            return whole(*arguments, **named)
        monkeypatch.setattr(owner, name, counted_call)
    for owner, name in ((mxe, "quantize"), (mxe, "fake_quantize"), (mxe, "matmul"),
                        (mxe.Array, "dequantize")):
        counting(owner, name)
    x, before = tensor((8, 64)), torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        codes, scales, whole = OPERATORS.quantize(x, "mxint8")
        OPERATORS.dequantize(codes, scales, whole, "mxint8", -1, torch.float32)
        OPERATORS.fake_quantize(x, "mxint8")
        OPERATORS.scaled_matmul(codes, scales, codes, scales, "mxint8", "mxint8")
        OPERATORS.linear(x, codes, scales, None, "mxint8", "mxint8")
        OPERATORS.matmul(x, x, "mxint8", "mxint8")
    finally:
        torch.set_num_threads(before)
    assert {name for name, _ in counted} == {"quantize", "dequantize", "fake_quantize", "matmul"}
    assert {threads for _, threads in counted} == {3}


def test_quantizers_as_texts():
    mine = mxe.Quantizer("mxfp4_e2m1", scale_rule="rceil", exponent_range=(-20, 20))
    text = mxe.torch.text_of(mine)
    assert mxe.torch.quantizer_of(text) == mine
    assert mxe.torch.text_of(torch.float8_e4m3fn) == "float8_e4m3fn"
    x = tensor((4, 64))
    assert_same(OPERATORS.fake_quantize(x, text).numpy(), mxe.fake_quantize(x.numpy(), mine))


@pytest.mark.parametrize("clip", [False, True])
def test_gradient_is_straight_through(clip):
    x = tensor((16, 128), grad=True)
    mxe.torch.fake_quantize(x, "mxfp4_e2m1", clip=clip).mul(tensor((16, 128), 2)).sum().backward()
    cut = np.array([one.fate == "clipped" for one in mxe.explain(x.detach(), "mxfp4_e2m1")])
    assert cut.any()
    expected = plain((16, 128), 2)
    if clip:
        expected = np.where(cut.reshape(16, 128), np.float32(0), expected)
    assert_same(x.grad.numpy(), expected)


def test_gradient_of_products():
    a, b = tensor((2, 9, 70), grad=True), tensor((70, 13), 2, grad=True)
    y = mxe.torch.matmul(a, b, "mxfp8_e4m3", "mxfp4_e2m1")
    assert_same(y.detach().numpy(),
                mxe.matmul(plain((2, 9, 70)), plain((70, 13), 2), "mxfp8_e4m3", "mxfp4_e2m1"))
    grown = tensor((2, 9, 13), 3)
    y.backward(grown)
    qa = mxe.fake_quantize(a.detach(), "mxfp8_e4m3")
    qb = mxe.fake_quantize(b.detach(), "mxfp4_e2m1", axis=0)
    torch.testing.assert_close(a.grad, grown @ qb.t())
    torch.testing.assert_close(b.grad, (qa.transpose(1, 2) @ grown).sum(0))


@pytest.mark.parametrize("train", [False, True])
@pytest.mark.parametrize("on", ["golden", "torch"])
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_compiled(backend, on, train):
    model = mxe.torch.quantize_(network(), mxe.torch.MXConfig(
        "mxfp4_e2m1", "mxfp8_e4m3", on=on, train=train))
    x = tensor((16, 70))
    expected = model(x)
    compiled = torch.compile(model, backend=backend, fullgraph=True)
    assert torch.equal(compiled(x), expected)
    if train:
        compiled(x).sum().backward()
        ours = [p.grad.clone() for p in model.parameters()]
        model.zero_grad()
        model(x).sum().backward()
        for one, other in zip(ours, model.parameters(), strict=True):
            torch.testing.assert_close(one, other.grad)
    torch._dynamo.reset()


def test_compiled_operators_with_other_shapes():
    function = torch.compile(lambda v: mxe.torch.fake_quantize(v + 1, "mxfp8_e4m3") * 2,
                             backend="aot_eager", fullgraph=True, dynamic=True)
    for shape in ((3, 40), (5, 96), (7, 33)):
        x = tensor(shape)
        assert_same(function(x).numpy(), 2 * mxe.fake_quantize(x.numpy() + 1, "mxfp8_e4m3"))


@pytest.mark.parametrize("train", [False, True])
def test_exported(train):
    model = mxe.torch.quantize_(network(), mxe.torch.MXConfig("mxfp4_e2m1", train=train)).eval()
    x = tensor((16, 70))
    program = torch.export.export(model, (x,))
    called = [str(node.target) for node in program.graph.nodes if node.op == "call_function"]
    assert sum(name.startswith("mxe.") for name in called) == 2
    assert torch.equal(program.module()(x), model(x))


def test_errors_come_while_tracing():
    x = tensor((4, 64))
    for call, error, text in (
            (lambda: mxe.torch.fake_quantize(x, "fp3"), ValueError, "unknown format 'fp3'"),
            (lambda: OPERATORS.quantize(x, "mxint8:torchao-floor"), ValueError, "does not produce"),
            (lambda: OPERATORS.quantize(x, "mxint8:ocp:7"), ValueError, "not a JSON object"),
            (lambda: mxe.torch.fake_quantize(x, "mxint8", axis=2), ValueError, "axis 2 does not"),
            (lambda: mxe.torch.fake_quantize(x.int(), "mxint8"), TypeError, "but are int32"),
            (lambda: mxe.torch.matmul(x, x, "mxint8"), ValueError, "columns of A")):
        with pytest.raises(error, match=text) as caught:
            call()
        assert "\n" not in str(caught.value)
