# SPDX-License-Identifier: Apache-2.0
"""mxe.compat.torchao: values by formulas in NumPy, layouts, views and errors."""
import numpy as np
import pytest

import mxe

torch = pytest.importorskip("torch", reason="torch is not installed")

from mxe.compat.torchao.prototype import mx_formats, qat  # noqa: E402
from mxe.compat.torchao.prototype.mx_formats import constants, mx_tensor, nvfp4_tensor, utils  # noqa: E402
from mxe.compat.torchao.prototype.mx_formats.mx_tensor import MXTensor, QuantizeTensorToMXKwargs, ScaleCalculationMode  # noqa: E402
from mxe.compat.torchao.prototype.mx_formats.nvfp4_tensor import (  # noqa: E402
    NVFP4Tensor,
    per_tensor_amax_to_scale,
)
from mxe.compat.torchao.quantization import quantize_  # noqa: E402
from mxe.compat.torchao.quantization.qat import QATConfig  # noqa: E402
from mxe.compat.torchao.quantization.quantize_.common import KernelPreference  # noqa: E402

DTYPES = constants.SUPPORTED_ELEM_DTYPES
FP4 = torch.float4_e2m1fn_x2
#: (exponent bits, mantissa bits, bias) of the elements.
FIELDS = {torch.float8_e4m3fn: (4, 3, 7), torch.float8_e5m2: (5, 2, 15), constants.DTYPE_FP6_E2M3: (2, 3, 1),
          constants.DTYPE_FP6_E3M2: (3, 2, 3), FP4: (2, 1, 1)}


def numbers(*shape, dtype=torch.float32, seed=1):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def elements(codes, dtype):
    """Numbers of codes, from their bit fields."""
    ebits, mbits, bias = FIELDS[dtype]
    codes = codes.astype(int)
    exponent, mantissa = codes >> mbits & (1 << ebits) - 1, codes & (1 << mbits) - 1
    values = np.where(exponent == 0, mantissa * 2.0 ** (1 - bias - mbits),
                      (1 + mantissa / 2.0 ** mbits) * 2.0 ** (exponent - bias))
    if dtype is torch.float8_e4m3fn:
        values = np.where(codes & 127 == 127, np.nan, values)
    elif dtype is torch.float8_e5m2:
        values = np.where(codes & 127 == 124, np.inf, np.where(codes & 127 > 124, np.nan, values))
    return np.where(codes >> ebits + mbits & 1, -values, values)


def unpacked(data):
    return np.stack([data & 15, data >> 4], -1).reshape(*data.shape[:-1], -1)


def stored(q):
    """Codes of an MXTensor or NVFP4Tensor, one a byte."""
    data = q.qdata.view(torch.uint8).numpy()
    return unpacked(data) if q.qdata.shape[-1] < q.shape[-1] else data


def swizzled(scales):
    """The bytes of [rows, blocks] scales as cuBLAS documents them."""
    rows, blocks = scales.shape
    down, across = -(-rows // 128), -(-blocks // 4)
    result = np.zeros(down * across * 512, np.uint8)
    for row in range(rows):
        for block in range(blocks):
            tile = row // 128 * across + block // 4
            result[tile * 512 + row % 32 * 16 + row % 128 // 32 * 4 + block % 4] = scales[row, block]
    return result


def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and torch.equal(a.nan_to_num(7e7), b.nan_to_num(7e7))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("mode", list(ScaleCalculationMode))
def test_mx_values(dtype, mode):
    for kind in (torch.float32, torch.bfloat16):
        x = numbers(3, 4, 64, dtype=kind)
        x[0, 0, 0], x[1, 1, 40:], x[2, 0, 5] = float("nan"), 0, float("inf")
        q = MXTensor.to_mx(x, dtype, 32, mode)
        expected = mxe.quantize(x, constants._FORMATS[dtype], f"torchao-{mode.value}")
        assert np.array_equal(q.scale.view(torch.uint8).numpy(), np.asarray(expected.scales))
        assert np.array_equal(stored(q), np.asarray(expected.codes))
        assert (q.elem_dtype, q.block_size, q.orig_dtype, q.shape, q.dtype) == (dtype, 32, kind, x.shape, kind)
        assert q.qdata.shape[-1] == (32 if dtype is FP4 else 64) and q.scale.shape == (3, 4, 2)
        codes = np.asarray(q.scale.view(torch.uint8))
        scales = np.where(codes == 255, np.nan, np.exp2(codes - 127.0)).repeat(32, -1)
        values = torch.from_numpy(elements(stored(q), dtype) * scales)
        for target in (torch.float32, torch.bfloat16):
            assert same(q.dequantize(target), values.to(target))
        assert same(q.dequantize(), values.to(kind))
        scale, data = mx_tensor.to_mx(x, dtype, 32, mode)
        assert torch.equal(scale.view(torch.uint8), q.scale.view(torch.uint8))
        assert same(mx_tensor.to_dtype(data, scale, dtype, 32, torch.float32), values.float())
        transposed = mx_tensor.to_dtype(data[0].t(), scale[0].t(), dtype, 32, torch.float32)
        assert same(transposed, values[0].float().t())


def test_float16_overflows_as_in_torchao():
    """Elements and scales are rounded to float16 before they are multiplied."""
    q = MXTensor.to_mx(torch.tensor([[2.0 ** 20] * 32, [2.0 ** -30] * 32, [1.5] * 32]), torch.float8_e4m3fn)
    assert q.dequantize(torch.float16)[:, 0].tolist() == [float("inf"), 0.0, 1.5]
    assert q.dequantize(torch.float64)[:, 0].tolist() == [2.0 ** 20, 2.0 ** -30, 1.5]


def test_rules_of_scales():
    from mxe.compat.torchao.prototype.mx_formats.mx_tensor import (
        _e8m0_scale_to_reciprocal_fp32,
        _f32_to_e8m0_rceil,
        _to_mx_rceil,
        get_fp_scale,
    )
    x = torch.tensor([0, 2.0 ** -127, 2.0 ** -127 * 1.0001, 1.0, 1.0001, 3e38, float("inf"), float("nan")])
    assert _f32_to_e8m0_rceil(x).tolist() == [0, 0, 1, 127, 128, 255, 255, 255]
    codes = torch.arange(256, dtype=torch.uint8)
    assert same(get_fp_scale(codes), torch.tensor([2.0 ** (code - 127) for code in range(255)] + [float("nan")]))
    reciprocal = _e8m0_scale_to_reciprocal_fp32(codes)
    assert torch.equal(reciprocal[:255], torch.tensor([2.0 ** (127 - code) for code in range(255)]))
    assert bool(reciprocal[255].isnan())
    data = numbers(4, 32)
    largest = data.abs().amax(-1, keepdim=True)
    found, scaled = _to_mx_rceil(data, largest, 448.0)
    assert torch.equal(found[:, 0], MXTensor.to_mx(data, torch.float8_e4m3fn, 32,
                                                   ScaleCalculationMode.RCEIL).scale.view(torch.uint8)[:, 0])
    assert torch.equal(scaled * torch.exp2(found.float() - 127), data)


def test_sizes_of_packed_codes():
    assert mx_tensor.tensor_size_hp_to_fp4x2((3, 8), True) == [3, 4]
    assert mx_tensor.tensor_size_hp_to_fp4x2((8, 3), False) == [4, 3]
    assert mx_tensor.tensor_size_fp4x2_to_hp((2, 4, 3), False) == [2, 8, 3]
    with pytest.raises(AssertionError, match="2 or 3 axes, not 4"):
        mx_tensor.tensor_size_fp4x2_to_hp((1, 2, 4, 3), False)


@pytest.mark.parametrize("shape", [(128, 4), (130, 5), (3, 1), (256, 8)])
def test_swizzled_scales_by_formula(shape):
    scales = torch.arange(shape[0] * shape[1]).reshape(shape).to(torch.uint8)
    blocked = utils.to_blocked(scales)
    assert np.array_equal(blocked.numpy(), swizzled(scales.numpy()))
    assert torch.equal(utils.to_blocked(scales, use_triton_kernel=True), blocked)
    assert torch.equal(utils.from_blocked(blocked, *shape), scales)


@pytest.mark.parametrize("shape", [(130, 96), (128, 128), (1, 64, 64), (2, 128, 160)])
def test_swizzled_scales_in_tensors(shape):
    """From inside, and scales swizzled outside."""
    x = numbers(*shape)
    for dtype in DTYPES:
        plain, inside = (MXTensor.to_mx(x, dtype, is_swizzled_scales=swizzle) for swizzle in (False, True))
        check_swizzled(plain, inside, utils.hp_data_dims_to_swizzled_scale_dims_mx)
    for whole in (None, torch.tensor(0.25)):
        plain, inside = (NVFP4Tensor.to_nvfp4(x, per_tensor_scale=whole, is_swizzled_scales=swizzle)
                         for swizzle in (False, True))
        check_swizzled(plain, inside, utils.hp_data_dims_to_swizzled_scale_dims_nvfp4)
        assert torch.equal(plain.get_hp_scales(), inside.get_hp_scales())


def check_swizzled(plain, inside, dims):
    assert inside.is_swizzled_scales and not plain.is_swizzled_scales
    *leading, rows, columns = plain.shape
    assert list(inside.scale.shape) == [*leading, *dims(rows, columns)]
    flat = plain.scale.view(torch.uint8).reshape(-1, plain.scale.shape[-1]).numpy()
    made = swizzled(flat)
    assert np.array_equal(inside.scale.view(torch.uint8).numpy().reshape(-1), made)
    outside = plain._with(plain.qdata, torch.from_numpy(made).view(plain.scale.dtype).reshape(inside.scale.shape),
                          is_swizzled_scales=True)
    for one in (inside, outside, outside.transpose(-2, -1).transpose(-2, -1)):
        assert torch.equal(one.dequantize(), plain.dequantize())
    assert torch.equal(outside.transpose(-2, -1).dequantize(), plain.dequantize().transpose(-2, -1))


@np.errstate(over="ignore", invalid="ignore")
def nvfp4_by_formula(x, whole):
    """Scale codes and values of torchao's rule in float32."""
    blocks = x.float().numpy().reshape(*x.shape[:-1], -1, 16)
    wanted = np.abs(blocks).max(-1) / np.float32(6)
    wanted = wanted if whole is None else wanted / np.float32(whole)
    scales = torch.from_numpy(wanted).clamp(2.0 ** -6, 448).to(torch.float8_e4m3fn)
    floats = scales.float().numpy()
    if whole is None:
        factor, scaled = floats, blocks * (np.float32(1) / floats)[..., None]
    else:
        factor = np.float32(whole) * floats
        scaled = blocks * ((np.float32(1) / np.float32(whole)) / floats)[..., None]
    grid = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)
    near = np.abs(np.minimum(np.abs(scaled), 6)[..., None] - grid)
    even = near + np.array([0, 1e-9] * 4)  # of two elements as near, the even code
    values = np.copysign(grid[even.argmin(-1)], scaled) * factor[..., None]
    return scales, torch.from_numpy(values.reshape(x.shape).astype(np.float32))


@pytest.mark.parametrize("whole", [None, 1.0, 0.003, 3e-39])
def test_nvfp4_values(whole):
    for kind in (torch.float32, torch.bfloat16):
        x = numbers(5, 64, dtype=kind)
        x[0, :16] = 0
        scale = None if whole is None else torch.tensor(whole)
        q = NVFP4Tensor.to_nvfp4(x, per_tensor_scale=scale)
        scales, values = nvfp4_by_formula(x, whole)
        assert torch.equal(q.scale.view(torch.uint8), scales.view(torch.uint8))
        if whole != 3e-39:  # 1 / whole overflows: codes of zeros are those of NaN
            assert torch.equal(q.dequantize(torch.float32), values)
        assert torch.equal(q.dequantize(), q.dequantize(torch.float32).to(kind))
        got, data = nvfp4_tensor.nvfp4_quantize(x, 16, scale)
        assert torch.equal(data, q.qdata) and torch.equal(got.view(torch.uint8), q.scale.view(torch.uint8))
        assert torch.equal(nvfp4_tensor.unpack_uint4(data), torch.from_numpy(stored(q)))
        assert torch.equal(nvfp4_tensor.pack_uint4(torch.from_numpy(stored(q))), data)
        by = q.scale.float() if scale is None else scale * q.scale.float()
        assert torch.equal(q.get_hp_scales(), by)
    amax = numbers(7).abs().max()
    assert per_tensor_amax_to_scale(amax.bfloat16()).item() == np.float32(amax.bfloat16().float()) / np.float32(2688)


def test_scales_of_whole_tensors_without_reciprocal():
    """An array of zeros has the scale 0, and its values are NaN, as in torchao."""
    zeros = NVFP4Tensor.to_nvfp4(torch.zeros(2, 32), per_tensor_scale=torch.tensor(0.0))
    assert bool(zeros.dequantize().isnan().all()) and zeros.scale.view(torch.uint8).unique().tolist() == [127]
    x = torch.tensor([[1.0, -2.0] + [0.5] * 14])
    zero = NVFP4Tensor.to_nvfp4(x, per_tensor_scale=torch.tensor(0.0))
    assert stored(zero)[0, :3].tolist() == [7, 15, 7] and zero.scale.item() == 448
    assert zero.dequantize()[0].tolist() == [0.0] * 16
    for value, code in ((float("inf"), 8), (float("nan"), 127)):
        odd = NVFP4Tensor.to_nvfp4(x, per_tensor_scale=torch.tensor(value))
        assert odd.scale.view(torch.uint8).item() == code and bool(odd.dequantize().isnan().all())
    for code in (127, 255):  # NaN of both signs, as files of torchao have them
        for whole in (None, torch.tensor(2.0)):
            scale = torch.full((1, 1), code, dtype=torch.uint8).view(torch.float8_e4m3fn)
            assert bool(NVFP4Tensor(zero.qdata, scale, 16, torch.float32, whole).dequantize().isnan().all())
    with pytest.raises(ValueError, match="tensor scale -1.0 is below 0"):
        NVFP4Tensor.to_nvfp4(x, per_tensor_scale=torch.tensor(-1.0))


def test_scales_of_experts():
    x = numbers(3, 128, 64, dtype=torch.bfloat16) * torch.tensor([1.0, 100.0, 0.01]).view(3, 1, 1).bfloat16()
    whole = per_tensor_amax_to_scale(x.abs().amax((1, 2))).view(3, 1, 1)
    for swizzle in (False, True):
        q = NVFP4Tensor.to_nvfp4(x, per_tensor_scale=whole, is_swizzled_scales=swizzle)
        assert q.get_hp_scales().shape == (3, 128, 4)
        for expert in range(3):
            one = NVFP4Tensor.to_nvfp4(x[expert], per_tensor_scale=whole[expert, 0, 0], is_swizzled_scales=swizzle)
            mine = q[expert]
            assert mine.per_tensor_scale.shape == () and mine.per_tensor_scale == whole[expert]
            assert torch.equal(mine.qdata, one.qdata) and torch.equal(q.dequantize()[expert], one.dequantize())
            assert torch.equal(mine.dequantize(), one.dequantize())
    for call in (lambda: q[0:1], lambda: q.view(384, 64)):
        with pytest.raises(AssertionError, match="per-expert scale not supported"):
            call()
    with pytest.raises(AssertionError, match=r"per-expert scales must be \[3, 1, 1\] for data of 3 axes"):
        NVFP4Tensor.to_nvfp4(x, per_tensor_scale=whole[:2])
    with pytest.raises(AssertionError, match=r"one for each expert, \[E, 1, 1\], got \[3\]"):
        NVFP4Tensor(q.qdata, q.scale, 16, torch.bfloat16, whole.view(3))


def test_constructors():
    x = numbers(4, 64)
    for dtype in DTYPES:
        q = MXTensor.to_mx(x, dtype)
        made = MXTensor(q.qdata, q.scale, dtype, 32, torch.float32, None, None, False)
        assert torch.equal(made.dequantize(), q.dequantize()) and made.kernel_preference is None
    kwargs = QuantizeTensorToMXKwargs(elem_dtype=torch.float8_e5m2)
    q = MXTensor.to_mx(x, torch.float8_e5m2)
    made = MXTensor.from_qdata_and_scales(q.qdata, q.scale, torch.bfloat16, block_size=32, act_quant_kwargs=kwargs,
                                          kernel_preference=KernelPreference.AUTO)
    assert (made.elem_dtype, made.dtype, made.act_quant_kwargs) == (torch.float8_e5m2, torch.bfloat16, kwargs)
    assert torch.equal(made.dequantize(torch.float32), q.dequantize())
    inside = MXTensor.to_mx(x, torch.float8_e4m3fn, is_swizzled_scales=True)
    again = MXTensor.from_qdata_and_scales(inside.qdata, inside.scale, torch.float32, is_swizzled_scales=True)
    assert torch.equal(again.dequantize(), inside.dequantize())
    p = NVFP4Tensor.to_nvfp4(x, per_tensor_scale=torch.tensor(0.5), act_per_tensor_scale=torch.tensor(0.25))
    made = NVFP4Tensor(p.qdata, p.scale, 16, torch.float32, p.per_tensor_scale, p.act_per_tensor_scale)
    assert torch.equal(made.dequantize(), p.dequantize()) and made.act_per_tensor_scale == 0.25
    assert "NVFP4Tensor: scale: " in repr(p) and "MXTensor: elem_dtype: " in repr(q)
    assert "self.is_swizzled_scales=False" in p._quantization_type() and "self.block_size=32" in q._quantization_type()


X = numbers(4, 64)
Q = MXTensor.to_mx(X, torch.float8_e4m3fn)
P = NVFP4Tensor.to_nvfp4(X)


@pytest.mark.parametrize("call, error, text", [
    (lambda: MXTensor.to_mx(X.half(), torch.float8_e4m3fn), AssertionError, "float16 is not supported yet"),
    (lambda: MXTensor.to_mx(X, torch.int8), AssertionError, "unsupported elem_dtype torch.int8 .allowed: torch.float8"),
    (lambda: MXTensor.to_mx(X, torch.float8_e4m3fn, 48), AssertionError, "must be divisible by block_size 48"),
    (lambda: MXTensor.to_mx(X, torch.float8_e4m3fn, 0), AssertionError, "must be divisible by block_size 0"),
    (lambda: MXTensor.to_mx(X.t(), torch.float8_e4m3fn, 4), AssertionError, "must be contiguous"),
    (lambda: MXTensor.to_mx(X[0], torch.float8_e4m3fn, is_swizzled_scales=True), AssertionError,
     "swizzled scales need two axes or more"),
    (lambda: MXTensor(Q.qdata, Q.scale.view(torch.uint8), torch.float8_e4m3fn, 32, torch.float32, None, None, False),
     AssertionError, "scale.dtype must be `torch.float8_e8m0fnu`, got torch.uint8"),
    (lambda: MXTensor(Q.qdata, Q.scale[:, :1], torch.float8_e4m3fn, 32, torch.float32, None, None, False),
     AssertionError, r"64 columns in blocks of 32 need scales \[4, 2\], not \[4, 1\]"),
    (lambda: MXTensor(Q.qdata, Q.scale, torch.float8_e4m3fn, 32, torch.float32, None, None, True),
     AssertionError, r"need scales \[32, 16\], not \[4, 2\]"),
    (lambda: MXTensor(Q.qdata.view(torch.uint8), Q.scale, torch.float8_e4m3fn, 32, torch.float32, None, None, False),
     AssertionError, "qdata.dtype must be torch.float8_e4m3fn for elem_dtype torch.float8_e4m3fn, got torch.uint8"),
    (lambda: MXTensor(Q.qdata, Q.scale, "fp3", 32, torch.float32, None, None, False), AssertionError,
     "unsupported elem_dtype fp3"),
    (lambda: MXTensor.from_qdata_and_scales(Q.qdata.view(torch.uint8), Q.scale, torch.float32), AssertionError,
     "only supports typed MX qdata"),
    (lambda: NVFP4Tensor.to_nvfp4(X, 32), AssertionError, "NVFP4 requires block_size=16, got 32"),
    (lambda: NVFP4Tensor.to_nvfp4(X.double()), AssertionError, "float64 not supported"),
    (lambda: NVFP4Tensor.to_nvfp4(X[:, :24].contiguous()), AssertionError, "K dim must be divisible by block_size"),
    (lambda: NVFP4Tensor.to_nvfp4(X[0]), AssertionError, "has 2 or 3 axes, not 1"),
    (lambda: NVFP4Tensor.to_nvfp4(X.t()), AssertionError, "K dim must be divisible|Only support contiguous"),
    (lambda: NVFP4Tensor.to_nvfp4(X, use_triton_kernel=True), AssertionError, "only supports swizzled scales"),
    (lambda: NVFP4Tensor(P.qdata, P.scale.view(torch.uint8), 16, torch.float32), AssertionError,
     "scale.dtype must be `torch.float8_e4m3fn`, got torch.uint8"),
    (lambda: NVFP4Tensor(P.qdata.float(), P.scale, 16, torch.float32), AssertionError, "qdata must be uint8"),
    (lambda: NVFP4Tensor(P.qdata, P.scale[:2], 16, torch.float32), AssertionError,
     r"64 columns in blocks of 16 need scales \[4, 4\], not \[2, 4\]"),
    (lambda: NVFP4Tensor.to_nvfp4(numbers(2, 100, 64), is_swizzled_scales=True), AssertionError,
     r"swizzled scales of \[2\] matrices need a multiple of 128 rows, got 100"),
    (lambda: Q @ X.t(), AssertionError, "the second operand of a product must be an MXTensor"),
    (lambda: X @ Q.t(), AssertionError, "weight-only quant not yet supported"),
    (lambda: Q._with(Q.qdata, Q.scale, kernel_preference=None) @ Q._with(Q.qdata, Q.scale, kernel_preference=None).t(),
     AssertionError, "At least one gemm choice must be specified"),
    (lambda: Q @ Q._with(Q.qdata, Q.scale, kernel_preference=KernelPreference.AUTO).t(), AssertionError,
     "must have the same gemm config"),
    (lambda: Q._with(Q.qdata, Q.scale, kernel_preference=KernelPreference.MSLK) @ Q._with(
        Q.qdata, Q.scale, kernel_preference=KernelPreference.MSLK).t(), AssertionError,
     "is not implemented .allowed: AUTO"),
    (lambda: Q.t() @ Q, AssertionError, "must run along K"),
    (lambda: torch.addmm(torch.zeros(4), Q, Q.t(), beta=2), AssertionError, "needs beta = alpha = 1, got 2 and 1"),
    (lambda: torch.nn.functional.linear(P, X), NotImplementedError, "weight must be NVFP4Tensor"),
    (lambda: Q + 1, NotImplementedError, "MXTensor has no aten.add.Tensor: dequantize.. first"),
    (lambda: Q.view(16, 16), NotImplementedError, "tears its blocks of 32 apart"),
    (lambda: Q.t().view(-1, 32), NotImplementedError, "tears its blocks"),
    (lambda: Q[:, 0:5], AssertionError, "End index 5 must be a multiple of block_size 32"),
    (lambda: Q[:, 8:], AssertionError, "Start index 8 must be a multiple of block_size 32"),
    (lambda: Q[::2], NotImplementedError, "slices of MXTensor need step 1"),
    (lambda: Q[:, 1], NotImplementedError, r"has no \[index\] along axis 1"),
    (lambda: P[0], NotImplementedError,
     r"NVFP4Tensor \[4, 64\] has no \[index\] along axis 0 .allowed: axis 0 of 3 axes"),
    (lambda: Q.t().contiguous(), NotImplementedError, "no contiguous copy"),
    (lambda: Q.data_ptr(), RuntimeError, "MXTensor has no memory of its own: qdata and scale have"),
    (lambda: Q.to(torch.float64), AssertionError, "has the type float16, bfloat16 or float32, not torch.float64"),
    (lambda: Q.clone().copy_(X), ValueError, "Tensor is not copied into MXTensor: quantize it first"),
    (lambda: Q.clone().copy_(MXTensor.to_mx(X, torch.float8_e5m2)), ValueError, "must be alike"),
    (lambda: MXTensor.to_mx(numbers(2, 4, 64), FP4).transpose(0, 1), AssertionError, "transposes of the last two axes"),
    (lambda: quantize_(torch.nn.Linear(32, 32), "int4"), TypeError, "unknown configuration str .allowed: MXDynamic"),
    (lambda: quantize_(torch.nn.Linear(32, 32), mx_formats.MXDynamicActivationMXWeightConfig()), AssertionError,
     "Only supporting bf16 out dtype for now, got torch.float32"),
    (lambda: mx_formats.MXDynamicActivationMXWeightConfig(weight_dtype=FP4), AssertionError, "matching input/weight"),
    (lambda: mx_formats.MXDynamicActivationMXWeightConfig(activation_dtype=torch.int8, weight_dtype=torch.int8),
     AssertionError, "elem_dtype must be one of"),
    (lambda: quantize_(torch.nn.Linear(32, 24), mx_formats.NVFP4WeightOnlyConfig()), RuntimeError,
     r"last 2 dims divisible by 16, got \[24, 32\]"),
    (lambda: mx_formats.NVFP4DynamicActivationNVFP4WeightConfig(step="both"), ValueError, "both"),
    (lambda: quantize_(torch.nn.Linear(32, 32), mx_formats.NVFP4DynamicActivationNVFP4WeightConfig(
        step="prepare_for_loading")), ValueError, "unexpected step .* .allowed: prepare, convert"),
    (lambda: QATConfig(step="now"), ValueError, "`step` must be one of"),
    (lambda: QATConfig(), ValueError, "Must specify `base_config`"),
    (lambda: QATConfig(mx_formats.NVFP4WeightOnlyConfig(), qat.MXFakeQuantizeConfig()), ValueError,
     "Cannot specify both `base_config` and `activation_config`"),
    (lambda: QATConfig(mx_formats.NVFP4WeightOnlyConfig(), weight_config=qat.MXFakeQuantizeConfig()), ValueError,
     "Cannot specify both `base_config` and `weight_config`"),
    (lambda: QATConfig(weight_config=qat.MXFakeQuantizeConfig(), step="convert"), ValueError, "in the convert step"),
    (lambda: QATConfig(qat.MXFakeQuantizeConfig()), ValueError, "was passed as `base_config`"),
    (lambda: quantize_(torch.nn.Linear(32, 32), QATConfig(mx_formats.NVFP4WeightOnlyConfig())), ValueError,
     "there is no training for NVFP4WeightOnlyConfig"),
    (lambda: quantize_(torch.nn.Linear(32, 32), QATConfig(weight_config=qat.MXFakeQuantizeConfig())), ValueError,
     "Weight only MX QAT not supported yet"),
    (lambda: quantize_(torch.nn.Linear(32, 32), QATConfig(
        None, qat.MXFakeQuantizeConfig(), qat.NVFP4FakeQuantizeConfig())), ValueError,
     "there is no training with NVFP4FakeQuantizeConfig for weights and MXFakeQuantizeConfig"),
    (lambda: quantize_(torch.nn.ReLU(), QATConfig(weight_config=qat.MXFakeQuantizeConfig()), lambda *_: True),
     ValueError, "does not have QAT support"),
    (lambda: qat.MXFakeQuantizedLinear(32, 32), ValueError, "Must specify `weight_config`"),
    (lambda: qat.MXFakeQuantizeConfig(torch.float8_e5m2, kernel_preference=KernelPreference.AUTO), AssertionError,
     "unsupported kernel_preference"),
    (lambda: qat.MXFakeQuantizeConfig(block_size=16, kernel_preference=KernelPreference.AUTO), AssertionError,
     "block_size must be 32, got 16"),
    (lambda: nvfp4_tensor.pack_uint4(torch.zeros(2, 3, dtype=torch.uint8)), AssertionError, "must be even, got 3"),
])
def test_errors(call, error, text):
    with pytest.raises(error, match=text):
        call()


def test_views():
    x = numbers(2, 128, 64)
    for q in (MXTensor.to_mx(x, torch.float8_e4m3fn), MXTensor.to_mx(x, FP4, is_swizzled_scales=True),
              NVFP4Tensor.to_nvfp4(x, is_swizzled_scales=True),
              NVFP4Tensor.to_nvfp4(x, per_tensor_scale=torch.tensor(0.1))):
        values = q.dequantize()
        for view in (lambda t: t.view(256, 64), lambda t: t.view(-1, 32) if not q.is_swizzled_scales else t,
                     lambda t: t.transpose(1, 2), lambda t: t.transpose(-2, -1).transpose(-1, -2), lambda t: t.detach(),
                     lambda t: t.clone(), lambda t: t[1], lambda t: t.view(256, 64)[128:],
                     lambda t: t.view(256, 64)[:128].t(), lambda t: t[0].t()):
            assert torch.equal(view(q).dequantize(), view(values)) and view(q).shape == view(values).shape
        assert q[1].qdata.data_ptr() == q.qdata[1].data_ptr()
        assert q.to(torch.bfloat16).dtype == torch.bfloat16 and q.to("cpu").dtype == torch.float32
        assert not q.is_pinned()
        names, attributes = q.__tensor_flatten__()
        again = type(q).__tensor_unflatten__({name: getattr(q, name) for name in names}, attributes, None, None)
        assert torch.equal(again.dequantize(), values)
    q = MXTensor.to_mx(x[0], torch.float8_e4m3fn)
    assert torch.equal(q[:, 32:].dequantize(), q.dequantize()[:, 32:])
    assert torch.equal(q[5:7].dequantize(), q.dequantize()[5:7]) and torch.equal(q[3].dequantize(), q.dequantize()[3])
    assert torch.equal(q.sum(0), q.dequantize().sum(0))
    assert q[:, 0:64].scale.data_ptr() == q.scale.data_ptr()
    wide = MXTensor.to_mx(numbers(256, 512), torch.float8_e4m3fn, is_swizzled_scales=True)
    for part in ((slice(128, 256), slice(None)), (slice(None), slice(128, 384)), (slice(None), slice(384, None))):
        assert torch.equal(wide[part].dequantize(), wide.dequantize()[part]) and wide[part].is_swizzled_scales
    with pytest.raises(RuntimeError, match="Column slicing .* start index to be a multiple of 128, got 64"):
        wide[:, 64:]
    with pytest.raises(RuntimeError, match="Row slicing .* multiple of 128 or equal to tensor size 256, got 100"):
        wide[:100]
    column = MXTensor.to_mx(numbers(1, 32), FP4).t()
    assert column.shape == (32, 1) and torch.equal(column.dequantize().t(), column.t().dequantize())
