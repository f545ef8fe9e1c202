# SPDX-License-Identifier: Apache-2.0
"""Arrays without elements and products with M, N, K or a batch of 0, as in NumPy, torch and JAX."""
import numpy as np
import pytest
from conftest import assert_same, plain

import mxe

SHAPES = [(0, 64), (5, 0), (0,), (0, 0), (3, 0, 70), (1 << 40, 0), (0, 1 << 40)]
FORMATS = ["mxfp4_e2m1", "mxfp6_e3m2", "mxfp8_e5m2", "mxint8", "nvfp4", "int12", "e3m1"]
PRODUCTS = [((0, 64), (64, 8)), ((3, 64), (64, 0)), ((0, 3, 64), (64, 8)), ((3, 64), (0, 64, 8)),
            ((0, 3, 64), (1, 64, 8)), ((2, 0, 3, 64), (2, 1, 64, 8)), ((0, 0), (0, 0)),
            ((4, 0, 64), (64, 5))]


def zeros(shape, dtype=np.float32):
    return np.zeros(shape, dtype)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", FORMATS)
def test_quantize(shape, name):
    for axis in range(len(shape)):
        q = mxe.quantize(zeros(shape), name, axis=axis)
        blocks = list(shape)
        blocks[axis] = -(-shape[axis] // q.block)
        assert q.codes.shape == shape and q.scales.shape == tuple(blocks)
        assert q.codes.dtype == (np.uint16 if name == "int12" else np.uint8)
        assert q.scales.dtype == np.uint8 and q.scale_format == ("e4m3" if name == "nvfp4" else "e8m0")
        assert q.dequantize().shape == shape
        values = mxe.fake_quantize(zeros(shape), name, axis=axis)
        assert values.shape == shape and values.dtype == np.float32
        again = mxe.Array.from_codes(q.codes, q.scales, name, axis=axis,
                                     tensor_scale=0.5 if name == "nvfp4" else None)
        assert again.scale_format == q.scale_format and again.scales.shape == q.scales.shape


@pytest.mark.parametrize("dtype", ["float16", "float64", "bfloat16"])
def test_other_types(dtype):
    if dtype == "bfloat16":
        dtype = pytest.importorskip("ml_dtypes").bfloat16
    for shape in ((0, 64), (1 << 40, 0), (5, 0)):
        assert mxe.fake_quantize(zeros(shape, dtype), "mxfp8_e4m3", axis=0).dtype == dtype
        assert mxe.quantize(zeros(shape, dtype), "mxfp8_e4m3", axis=0).scales.dtype == np.uint8


def test_presets_with_float_scales_and_rows():
    q = mxe.quantize(zeros((0, 64)), "mxint8", "quark-onnx")
    assert q.scales.dtype == np.float32 and q.scale_format == "float32"
    q = mxe.quantize(zeros((5, 0)), "nvfp4", "nvfp4-te-row")
    assert_same(q.row_amaxes, np.ones(5, np.float32))
    assert mxe.quantize(zeros((0, 64)), "nvfp4", "nvfp4-te-row").row_amaxes.shape == (0,)
    assert mxe.quantize(zeros((0, 64)), "mxfp4_e2m1", "pychop").scales.shape == (0,)
    assert mxe.quantize(zeros((4, 0)), "nvfp4", "nvfp4-te-2d").scales.shape == (4, 0)


@pytest.mark.parametrize("shape, name, packed", [
    ((0, 64), "mxfp4_e2m1", (0, 32)), ((3, 0, 5), "mxfp4_e2m1", (3, 0, 3)),
    ((0, 64), "mxfp6_e2m3", (0, 48)), ((3, 0), "mxfp8_e4m3", (3, 0)),
    ((1 << 40, 0), "mxfp4_e2m1", (1 << 40, 0))])
def test_pack_and_swizzle(shape, name, packed):
    q = mxe.quantize(zeros(shape), name)
    assert q.pack("low").shape == packed and q.pack("low").dtype == np.uint8
    assert q.scales_swizzled().shape == (0,)
    again = mxe.Array.from_codes(q.pack("low"), q.scales, name, packed="low", length=shape[-1])
    assert again.shape == shape


def test_typed_and_files(tmp_path):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    q = mxe.quantize(zeros((0, 64)), "mxfp8_e4m3")
    codes, scales = q.typed()
    assert codes.dtype == ml_dtypes.float8_e4m3fn and scales.dtype == ml_dtypes.float8_e8m0fnu
    for name in ("mxfp8_e4m3", "mxfp4_e2m1", "nvfp4"):
        q = mxe.quantize(zeros((0, 64)), name)
        q.save(tmp_path / "q.safetensors")
        again = mxe.load(tmp_path / "q.safetensors")
        assert again.scale_format == q.scale_format and again.codes.shape == (0, 64)


def test_studies():
    for shape in SHAPES:
        assert mxe.compare(zeros(shape), ["mxint8"])[0].elements == 0
        assert mxe.quantize(zeros(shape), "mxint8").stats(zeros(shape)).elements == 0
        assert mxe.diff(zeros(shape), "mxint8", "ocp", "ocp-ceil").elements == 0
        assert mxe.explain(zeros(shape), "mxint8") == []


@pytest.mark.parametrize("a, b", PRODUCTS)
@pytest.mark.parametrize("out_format", ["fp32", "bf16", "mxfp8_e4m3"])
def test_matmul(a, b, out_format):
    x, y = zeros(a), zeros(b)
    expected = np.matmul(x, y)
    for accumulate in ("block", "exact", "sequential", "nvidia-blackwell"):
        got = mxe.matmul(x, y, "mxfp8_e4m3", "mxfp4_e2m1", out_format=out_format,
                         accumulate=accumulate)
        assert got.shape == expected.shape
        if out_format == "fp32":
            assert_same(got, expected)
        elif out_format != "bf16":
            assert got.scales.dtype == np.uint8
            assert got.scales.shape == (*expected.shape[:-1], -(-expected.shape[-1] // 32))


def test_matmul_beside_a_huge_axis():
    got = mxe.matmul(zeros((1 << 40, 0, 64)), plain((64, 8)), "mxint8", "mxint8")  # NumPy takes hours
    assert got.shape == (1 << 40, 0, 8)


def test_matmul_with_depth_zero_and_bias():
    x, y = zeros((2, 3, 0)), zeros((0, 4))
    assert_same(mxe.matmul(x, y, "mxint8", "mxint8"), np.matmul(x, y))
    bias = plain((4,))
    assert_same(mxe.matmul(x, y, "mxfp4_e2m1", "mxfp4_e2m1", bias=bias), np.matmul(x, y) + bias)
    assert_same(mxe.matmul(zeros((0, 64)), zeros((64, 4)), "mxint8", "mxint8", bias=bias),
                zeros((0, 4)))


def test_shapes_must_still_fit():
    for a, b in (((0, 64), (32, 0)), ((0, 3, 64), (2, 64, 8))):
        with pytest.raises(ValueError):
            np.matmul(zeros(a), zeros(b))
        with pytest.raises(ValueError):
            mxe.matmul(zeros(a), zeros(b), "mxint8", "mxint8")


@pytest.mark.parametrize("a, b", PRODUCTS)
def test_engine(a, b):
    with mxe.Engine("small") as engine:
        with mxe.record() as recording:
            done = engine.matmul(zeros(a), zeros(b), "mxint8", "mxint8")
        assert_same(done.value, np.matmul(zeros(a), zeros(b)))
        assert done.cycles == 0 and done.utilization == 0 and done.bytes_read == 0
        assert recording.jobs[0].cycles == 0
        coded = engine.matmul(zeros(a), zeros(b), "mxint8", "mxint8", out_format="mxfp8_e5m2")
        assert coded.value.scales.dtype == np.uint8
        x, y = plain((3, 64)), plain((64, 5))
        assert_same(engine.matmul(x, y, "mxint8", "mxint8").value,
                    mxe.matmul(x, y, "mxint8", "mxint8"))


def test_engine_refuses_depth_zero():
    with mxe.Engine("small") as engine, pytest.raises(ValueError, match="K of at least 1"):
        engine.matmul(zeros((2, 0)), zeros((0, 3)), "mxint8", "mxint8")


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


@pytest.mark.parametrize("options", [{}, {"train": True}, {"on": "torch"}, {"activation": None}])
def test_linear_without_rows(torch, options):
    from mxe.torch import MXConfig, quantize_
    model = torch.nn.Sequential(torch.nn.Linear(64, 8))
    expected = [model(torch.zeros(shape)) for shape in ((0, 64), (2, 0, 64))]
    quantize_(model, MXConfig(**options))
    for shape, like in zip(((0, 64), (2, 0, 64)), expected, strict=True):
        x = torch.zeros(shape, requires_grad=bool(options.get("train")))
        y = model(x)
        assert y.shape == like.shape and y.dtype == like.dtype
        if x.requires_grad:
            y.sum().backward()
            assert x.grad.shape == x.shape
            assert not model[0].weight.grad.any()


def test_linear_without_rows_on_an_engine(torch):
    from mxe.torch import MXConfig, quantize_
    with mxe.Engine("small") as engine:
        model = quantize_(torch.nn.Sequential(torch.nn.Linear(64, 8)), MXConfig(on=engine))
        assert model(torch.zeros(0, 64)).shape == (0, 8)


def test_tensors_without_elements(torch):
    from mxe.torch import MXTensor
    a = MXTensor.to_mx(torch.zeros(0, 64), "mxfp8_e4m3")
    b = MXTensor.to_mx(torch.randn(8, 64), "mxfp8_e4m3")
    assert a.scales.dtype == torch.uint8
    assert torch.mm(a, b.t()).shape == (0, 8)
    assert torch.nn.functional.linear(a, b).shape == (0, 8)
    assert a.dequantize().shape == (0, 64)
    cache = MXTensor.to_mx(torch.zeros(2, 0, 64), "mxfp8_e4m3")  # keys of an empty cache
    query = MXTensor.to_mx(torch.randn(2, 3, 64), "mxfp8_e4m3")
    assert torch.bmm(query, cache.transpose(1, 2)).shape == (2, 3, 0)


def test_compiled_without_rows(torch):
    from mxe.torch import MXConfig, quantize_
    model = quantize_(torch.nn.Sequential(torch.nn.Linear(64, 8)), MXConfig())
    compiled = torch.compile(model, backend="aot_eager", fullgraph=True, dynamic=True)
    with torch.no_grad():
        for rows in (3, 0, 5):
            assert compiled(torch.zeros(rows, 64)).shape == (rows, 8)


def test_fake_kernels_say_the_same_types(torch):
    from torch._subclasses.fake_tensor import FakeTensorMode

    import mxe.torch  # noqa: F401
    for name in FORMATS[:5]:
        for shape in ((0, 64), (3, 0, 70)):
            real = torch.ops.mxe.quantize(torch.zeros(shape), name)
            with FakeTensorMode() as mode:
                fake = torch.ops.mxe.quantize(mode.from_tensor(torch.zeros(shape)), name)
            assert [(t.shape, t.dtype) for t in real] == [(t.shape, t.dtype) for t in fake]


def test_jax():
    jax = pytest.importorskip("jax")
    import mxe.jax
    for a, b in PRODUCTS[:6]:
        got = jax.jit(lambda x, y: mxe.jax.matmul(x, y, "mxint8"))(zeros(a), zeros(b))
        assert got.shape == np.matmul(zeros(a), zeros(b)).shape
    codes = jax.jit(lambda x: mxe.jax.quantize(x, "mxint8"))(zeros((0, 64)))
    assert codes.scales.shape == (0, 2) and codes.scales.dtype == np.uint8
    assert mxe.jax.fake_quantize(zeros((5, 0)), "mxint8").shape == (5, 0)
