# SPDX-License-Identifier: Apache-2.0
import importlib
from importlib.util import find_spec

import numpy as np
import pytest
from conftest import assert_same, awkward, plain

import mxe
import mxe.compat.pychop as ours

FORMATS = [*ours.MX_FORMATS, (3, 4), (2, 2), (5, 7), (0, 3)]


@pytest.fixture(scope="module")
def theirs():
    return pytest.importorskip("pychop.np.mx_formats",
                               reason="pychop is not installed: its values are not compared")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("block, scale", [(32, (None, None)), (20, (5, 2)), (16, (8, 3)),
                                          *[(32, (bits, None)) for bits in (2, 3, 4, 6, 7)]])
def test_values(theirs, format, block, scale):
    x = awkward((9, 37))
    mine = ours.MXTensor_(x, format, block, *scale)
    expected = theirs.MXTensor_(x, format, block, *scale)
    values = np.asarray(expected.dequantize(), np.float32)
    assert_same(mine.dequantize() + np.float32(0), values + np.float32(0))
    assert mine.statistics() == expected.statistics()
    assert_same(ours.mx_quantize(x, format, block, *scale), mine.dequantize())


def test_specs(theirs):
    for name, spec in ours.MX_FORMATS.items():
        other = theirs.MX_FORMATS[name]
        for part in ("name", "exp_bits", "sig_bits", "element_bits", "total_bits_per_block",
                     "compression_vs_fp32", "compression_vs_fp16"):
            assert getattr(spec, part) == getattr(other, part)
    mine, other = ours.create_mx_spec(3, 4, 64, 6), theirs.create_mx_spec(3, 4, 64, 6)
    assert mine.name == other.name and mine.total_bits_per_block == other.total_bits_per_block
    x = plain((4, 64))
    assert_same(ours.mx_quantize(x, mine), np.asarray(theirs.mx_quantize(x, other), np.float32))


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float64"])
def test_gradient_is_straight_through(name):
    """Also where numbers are clipped, as in pychop."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x = torch.from_numpy(plain((9, 37)) * 100).to(getattr(torch, name))
    grown = torch.from_numpy(plain((9, 37), 2)).to(x.dtype)
    made = [lambda v: ours.mx_quantize(v, "mxfp4_e2m1"), lambda v: ours.mx_quantize(v, (3, 4), 16),
            lambda v: ours.MXTensor_(v, "mxint8").dequantize()]
    if find_spec("pychop") and name == "float32":
        from pychop.tch.mx_formats import mx_quantize
        made.append(lambda v: mx_quantize(v, "mxfp4_e2m1"))
    for call in made:
        y = x.clone().requires_grad_()
        values = call(y)
        values.backward(grown)
        assert torch.equal(y.grad, grown) and y.grad.dtype == x.dtype
    weight, bias = torch.nn.Parameter(x[:, :32].float()), torch.nn.Parameter(torch.zeros(9))
    torch.nn.functional.linear(x[:, :32].float(), ours.mx_quantize(weight), bias).sum().backward()
    assert torch.count_nonzero(weight.grad) > 0
    assert not ours.mx_quantize(x).requires_grad


def test_without_the_real_one():
    x = awkward((9, 37))
    assert_same(ours.mx_quantize(x, "mxfp4_e2m1"), mxe.fake_quantize(x, "mxfp4_e2m1", "pychop"))
    assert ours.MXTensor_(x).statistics()["num_blocks"] == 11
    torch = pytest.importorskip("torch", reason="torch is not installed")
    values = ours.mx_quantize(torch.from_numpy(x).bfloat16(), "mxint8")
    assert values.dtype == torch.bfloat16


def test_errors():
    for error, text, call in (
            (ValueError, "unknown format 'fp3'", lambda: ours.mx_quantize([1.0], "fp3")),
            (TypeError, "not float", lambda: ours.mx_quantize([1.0], 3.0)),
            (ValueError, "a pair .* not .4, 3, 16.", lambda: ours.mx_quantize([1.0], (4, 3, 16))),
            (ValueError, "11 exponent and 2", lambda: ours.mx_quantize([1.0], (11, 2))),
            (ValueError, "0 exponent and 0", lambda: ours.mx_quantize([1.0], (0, 0))),
            (ValueError, "block size", lambda: ours.mx_quantize([1.0], (8, 7), 0)),
            (TypeError, "data: .* int64", lambda: ours.mx_quantize(np.arange(3), (8, 7))),
            (ValueError, "one axis", lambda: ours.MXBlock_(plain((2, 2)), ours.create_mx_spec(4, 3))),
            (ValueError, "e9m0", lambda: ours.mx_quantize([1.0], scale_exp_bits=9))):
        with pytest.raises(error, match=text):
            call()


# One that the C++ reference has, and some that it has not.
WIDE = [(4, 3), (8, 7), (9, 2), (10, 10), (2, 30), (3, 0), (1, 0), (1, 3), (0, 20)]


@pytest.mark.parametrize("format", [*ours.MX_FORMATS, *WIDE])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_blocks(theirs, format):
    """Elements, scales and values of blocks, with NaN, infinity, zeros and numbers below the smallest scale."""
    nan, inf = np.nan, np.inf
    mixed = np.array([nan] * 33 + [0, 3, -3] + [inf] * 3, np.float32)
    for x in (awkward((9, 37)), np.full(70, nan, np.float32), np.zeros(5, np.float32), mixed,
              awkward((9, 37), 3) * np.float32(2e-30)):
        for arguments in ((32,), (20, 5, 2), (32, 2)):
            mine, expected = (package.MXTensor_(x, format, *arguments) for package in (ours, theirs))
            values = np.asarray(expected.dequantize(), np.float32)
            assert_same(mine.dequantize() + np.float32(0), values + np.float32(0))
            assert len(mine.blocks) == len(expected.blocks)
            for block, other in zip(mine.blocks, expected.blocks):
                np.testing.assert_equal(np.float32(block.shared_scale), np.float32(other.shared_scale))
                assert_same(block.quantized_elements + np.float32(0), other.quantized_elements + np.float32(0))
                assert_same(block.dequantize() + np.float32(0),
                            np.asarray(other.dequantize(), np.float32) + np.float32(0))
                np.testing.assert_equal(block.statistics(), other.statistics())
            assert repr(mine) == repr(expected)
    spec = theirs.create_mx_spec(4, 3)
    one, other = ours.MXBlock_(x[0], ours.create_mx_spec(4, 3), 5), theirs.MXBlock_(x[0], spec, 5)
    assert_same(one.quantized_elements + np.float32(0), other.quantized_elements + np.float32(0))
    assert one.size == other.size and one.shared_scale == other.shared_scale


def test_front_end(theirs, capsys):
    import pychop.mx_formats as front
    x = plain((4, 64))

    def printed(function, *arguments):
        function(*arguments)
        return capsys.readouterr().out

    assert printed(ours.print_mx_format_table) == printed(front.print_mx_format_table)
    for arguments in ((x,), (x, ["mxint8", "mxfp4_e2m1"], 16)):
        assert printed(ours.compare_mx_formats, *arguments) == printed(front.compare_mx_formats, *arguments)
    for name, spec in ours.MX_FORMATS.items():
        assert repr(spec) == repr(front.MX_FORMATS[name])
    arrays = [x]
    if find_spec("torch"):
        import torch
        arrays.append(torch.from_numpy(x))
    if find_spec("jax"):
        import jax
        arrays.append(jax.numpy.asarray(x))
    for one in arrays:
        for format in ("mxfp4_e2m1", (3, 4), (8, 7)):
            # For PyTorch and JAX, pychop ignores the block size of a named format.
            mine, expected = ours.MXTensor(one, format, 16), front.MXTensor(one, format, 16)
            assert repr(mine) == repr(expected) and mine.backend == expected.backend
            assert type(mine.dequantize()) is type(expected.dequantize())
            assert_same(np.asarray(mine.dequantize()), np.asarray(expected.dequantize()))
            assert mine.statistics() == expected.statistics()


def test_layers(theirs):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    from pychop.tch import mx_formats as peer

    from mxe.compat.pychop.tch import mx_formats as mine
    model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 8, False))
    x = torch.from_numpy(plain((5, 64)))
    made = [package.convert_linear_to_mx(model, "mxfp4_e2m1", quantize_output=True, inplace=False)
            for package in (mine, peer)]
    assert repr(made[0]) == repr(made[1]) and type(model[0]) is torch.nn.Linear
    assert torch.equal(made[0](x), made[1](x))
    gradients = [torch.autograd.grad(one(x).square().sum(), one[0].weight)[0] for one in made]
    assert torch.equal(*gradients)
    attention = mine.MXAttention(64, 4, "mxfp6_e2m3")
    other = peer.MXAttention(64, 4, "mxfp6_e2m3")
    other.load_state_dict(attention.state_dict())
    mask = torch.zeros(5, 5).masked_fill(torch.ones(5, 5).triu(1).bool(), float("-inf"))
    x = torch.from_numpy(plain((2, 5, 64)))
    assert torch.equal(attention(x, attn_mask=mask), other(x, attn_mask=mask))
    spec = ours.create_mx_spec(3, 2)
    y = x.clone().requires_grad_()
    mine.MXQuantizeSTE.apply(y, spec, 32, None, None).backward(x)
    assert torch.equal(y.grad, x)


@pytest.mark.parametrize("format", ["mxfp4_e2m1", (8, 7)])
def test_jax_transformations(format):
    jax = pytest.importorskip("jax", reason="jax is not installed")
    from mxe.compat.pychop.jx.mx_formats import MXQuantizerSTE, create_mx_ste_quantizer
    x = jax.numpy.asarray(plain((4, 64)))
    expected = np.asarray(ours.mx_quantize(np.asarray(x), format))
    made = [lambda v: ours.mx_quantize(v, format), MXQuantizerSTE(format)]
    if isinstance(format, tuple):
        made.append(create_mx_ste_quantizer(ours.create_mx_spec(*format)))
    for call in made:
        assert_same(np.asarray(call(x)), expected)
        assert_same(np.asarray(jax.jit(call)(x)), expected)
        assert_same(np.asarray(jax.grad(lambda v: (call(v) * x).sum())(x)), np.asarray(x))
        assert_same(np.asarray(jax.jit(jax.grad(lambda v: (call(v) * x).sum()))(x)), np.asarray(x))
    assert str(ours.mx_quantize(x.astype("bfloat16"), format).dtype) == "bfloat16"


def test_backends(monkeypatch):
    from mxe.compat.pychop.np.mx_formats import MXTensor_
    x = plain((4, 64))
    monkeypatch.setenv("chop_backend", "auto")
    assert MXTensor_(x, "mxint8", 16).statistics()["num_blocks"] == 16
    with pytest.raises(ValueError, match="unknown backend 'cupy'"):
        ours.backend("cupy")
    if not find_spec("tensorflow"):
        with pytest.raises(ImportError, match="tensorflow is not installed: pip install tensorflow"):
            ours.mx_quantize(x, backend="tf")
    if find_spec("torch"):
        import torch
        ours.backend("torch")
        assert isinstance(ours.mx_quantize(x), torch.Tensor)
        assert ours.MXTensor(x).backend == "torch"
        found = ours.mx_quantize(torch.from_numpy(x).bfloat16(), (8, 7), backend="numpy")
        assert found.dtype == np.float32
        y = torch.from_numpy(x).requires_grad_()
        ours.mx_quantize(y, (8, 7)).sum().backward()
        assert torch.equal(y.grad, torch.ones_like(y))
    monkeypatch.setenv("chop_backend", "cupy")
    with pytest.raises(ValueError, match="unknown backend 'cupy'"):
        ours.mx_quantize(x)


def test_tensorflow(theirs):
    tensorflow = pytest.importorskip("tensorflow", reason="tensorflow is not installed")
    x = plain((4, 64))
    for format in ("mxfp4_e2m1", (8, 7)):
        y = tensorflow.constant(x)
        with tensorflow.GradientTape() as tape:
            tape.watch(y)
            found = ours.mx_quantize(y, format, 16)
        assert_same(tape.gradient(found, y).numpy(), np.ones_like(x))
        assert_same(found.numpy(), np.asarray(theirs.mx_quantize(x, format, 16), np.float32))
        assert_same(tensorflow.function(lambda v: ours.mx_quantize(v, format, 16))(y).numpy(), found.numpy())
        assert ours.MXTensor(y, format).statistics()["num_blocks"] == 8


def test_keras(theirs):
    tensorflow = pytest.importorskip("tensorflow", reason="tensorflow is not installed")
    from pychop.tf import mx_formats as peer

    from mxe.compat.pychop.tf import mx_formats as mine
    x = plain((4, 64))
    for arguments in (("mxfp4_e2m1", 16), ((3, 4), 32, 6), ((8, 7), 32)):
        layer = mine.MXQuantizerSTE(*arguments, name="rounded")
        assert layer.name == "rounded"
        model = tensorflow.keras.Sequential([tensorflow.keras.Input((64,)), layer])
        for call in (layer, model):
            y = tensorflow.constant(x)
            with tensorflow.GradientTape() as tape:
                tape.watch(y)
                found = call(y)
            assert_same(tape.gradient(found, y).numpy(), np.ones_like(x))
            assert_same(found.numpy(), peer.MXQuantizerSTE(*arguments)(y).numpy())
    with pytest.raises(ValueError, match="unknown format 'fp3'"):
        mine.MXQuantizerSTE("fp3")


@pytest.mark.parametrize("given", [{}, {"weight_format": "mxfp4_e2m1", "use_bias": False, "quantize_input": False},
                                   {"weight_format": (3, 4), "block_size": 16}])
def test_flax(theirs, given):
    jax = pytest.importorskip("jax", reason="jax is not installed")
    pytest.importorskip("flax", reason="flax is not installed")
    from pychop.jx import mx_formats as peer

    from mxe.compat.pychop.jx import mx_formats as mine
    x = jax.numpy.asarray(plain((5, 64)))
    layer, other = mine.MXDense(8, **given), peer.MXDense(8, **given)
    state = layer.init(jax.random.PRNGKey(0), x)
    jax.tree.map(np.testing.assert_array_equal, state, other.init(jax.random.PRNGKey(0), x))
    y = layer.apply(state, x)
    assert_same(np.asarray(y), np.asarray(other.apply(state, x)))
    # pychop's layer has neither of these.
    np.testing.assert_allclose(jax.jit(layer.apply)(state, x), y, rtol=1e-5, atol=1e-5)
    found = jax.jit(jax.grad(lambda state: (layer.apply(state, x) ** 2).sum()))(state)
    rounded = x if given.get("quantize_input") is False else mine.MXQuantizerSTE(
        given.get("weight_format", "mxfp8_e4m3"), given.get("block_size", 32))(x)
    np.testing.assert_allclose(found["params"]["kernel"], rounded.T @ (2 * y), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("library, name, package", [("jx", "MXDense", "flax"), ("tf", "MXQuantizerSTE", "tensorflow")])
def test_missing_package(monkeypatch, library, name, package):
    if library == "jx":
        pytest.importorskip("jax", reason="jax is not installed")
    formats = importlib.import_module(f"mxe.compat.pychop.{library}.mx_formats")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    source = importlib.util.spec_from_file_location(f"{formats.__package__}.without", formats.__file__)
    without = importlib.util.module_from_spec(source)
    source.loader.exec_module(without)
    with pytest.raises(ImportError, match=f"{name} needs {package}, which is not installed: pip install {package}"):
        getattr(without, name)(8)
