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


def elements():
    from mxe.compat.torchmx import dtypes
    return dtypes.SUPPORTED_ELEM_DTYPES


def numbers(*shape):
    random = torch.Generator().manual_seed(len(shape))
    return torch.randn(*shape, generator=random).bfloat16()


def test_constructor_and_stored_codes():
    from mxe.compat.torchmx import dtypes
    from mxe.compat.torchmx.mx_tensor import MXTensor, dequantize_mx, quantize_mx
    from mxe.compat.torchmx.utils import unpack_uint4
    x = numbers(3, 64)
    for dtype in elements():
        scales, data = torch.ops.torchmx.quantize_mx(x, dtype.name, 32)
        assert data.dtype == (torch.int8 if dtype is dtypes.int8 else torch.uint8)
        assert list(data.shape) == [3, 32 if dtype is dtypes.float4_e2m1 else 64]
        q = MXTensor.to_mx(x, dtype)
        made = MXTensor(scales, data, dtype, 32, torch.bfloat16)
        for one in (q, made, MXTensor(scales.t(), data.t(), dtype, 32, torch.bfloat16, block_dim=0).t()):
            assert torch.equal(one._data, data) and torch.equal(one._scale_e8m0, scales)
            assert torch.equal(one.to_dtype(torch.float32), mxe_values(x, dtype))
            assert (one._block_dim, one._padding, one._elem_dtype) == (1, 0, dtype)
        for kind in (torch.bfloat16, torch.float32):
            assert torch.equal(dequantize_mx(data, scales, dtype.name, 32, kind, 1), q.to_dtype(kind))
        torch.library.opcheck(quantize_mx, (x, dtype.name, 32))
        torch.library.opcheck(dequantize_mx, (data, scales, dtype.name, 32, torch.bfloat16, 1))
    for length in (9, 10, 11):
        padded = MXTensor.to_mx(numbers(2, length), dtypes.float4_e2m1, 4)
        assert padded._padding == 12 - length and padded._data.shape == (2, (length + 1) // 2)
        again = MXTensor(padded._scale_e8m0, padded._data, dtypes.float4_e2m1, 4, torch.bfloat16, 12 - length)
        assert torch.equal(again.to_dtype(torch.bfloat16), padded.to_dtype(torch.bfloat16))
    codes = torch.tensor([[0x12, 0x34]], dtype=torch.uint8)
    assert unpack_uint4(codes).tolist() == [[1, 2, 3, 4]]


def mxe_values(x, dtype):
    import mxe
    return mxe.fake_quantize(x.float(), dtype.format, "torchmx")


def test_views_that_keep_blocks_whole():
    from mxe.compat.torchmx import MXTensor
    for dtype in elements():
        q = MXTensor.to_mx(numbers(2, 3, 8), dtype, 2)
        expected = q.to_dtype(torch.bfloat16)
        for shape in ((48,), (6, 8), (3, 16), (2, 3, 2, 4), (2, 3, 8)):
            assert torch.equal(q.view(shape).to_dtype(torch.bfloat16), expected.view(shape))
        assert torch.equal(q.sum([0]), expected.sum([0]))
        odd = MXTensor.to_mx(numbers(2, 3, 5), dtype, 2)
        for call in (lambda q=q: q.view(16, 3), lambda odd=odd: odd.view(30), lambda q=q: q.transpose(1, 2).view(48)):
            with pytest.raises(AssertionError):
                call()


def test_gradients_of_the_functions():
    from mxe.compat.torchmx import MXTensor, dtypes
    from mxe.compat.torchmx.mx_tensor import FromMXConstrFunc, NoopFwToMXBw, ToMXConstrFunc
    x = numbers(2, 11).requires_grad_()
    FromMXConstrFunc.apply(ToMXConstrFunc.apply(x, dtypes.int8, 4), torch.float32).sum().backward()
    assert torch.equal(x.grad, torch.ones_like(x))
    padded = MXTensor.to_mx(x, dtypes.float4_e2m1, 4).to_dtype(torch.float32)
    with pytest.raises(ValueError, match="float4_e2m1 has no gradient"):
        padded.sum().backward()
    y = numbers(2, 8).requires_grad_()
    gradient, = torch.autograd.grad(NoopFwToMXBw.apply(y, dtypes.float6_e3m2, 4), y, numbers(2, 8))
    assert isinstance(gradient, MXTensor)
    assert torch.equal(gradient.to_dtype(torch.bfloat16), MXTensor.to_mx(
        numbers(2, 8), dtypes.float6_e3m2, 4).to_dtype(torch.bfloat16))


def test_steps_of_quantizing():
    from mxe.compat.torchmx import MXTensor, dtypes
    from mxe.compat.torchmx import mx_quantization_utils as steps
    x = torch.cat((numbers(40, 32), numbers(40, 32) * torch.exp2(torch.arange(-20., 20.))[:, None].bfloat16()))
    x[3, 5], x[4, 6], x[5] = float("nan"), -float("inf"), 0
    for dtype in elements():
        scales = steps.get_e8m0_shared_exponent(x, dtype)
        expected = MXTensor.to_mx(x, dtype)
        assert torch.equal(scales[:, None], expected._scale_e8m0)
        encode = [steps.quantize_mx_with_e8m0_shared_exponent_simulated]
        if dtype is not dtypes.int8:
            encode.append(steps.quantize_mx_with_e8m0_shared_exponent_hw_exact)
        for one in encode:
            assert torch.equal(one(x, dtype, scales[:, None]), expected._data)
        if dtype is not dtypes.int8:
            values = steps.dequantize_to_dtype(expected._data, dtype, torch.float32)
            assert torch.equal((values * steps.get_fp_scale(scales)[:, None]).nan_to_num(1.0),
                               expected.to_dtype(torch.float32).nan_to_num(1.0))
    assert steps.round_to_even(torch.tensor([5, 6, 7, 10, 14]), 2).tolist() == [1, 2, 2, 2, 4]
    assert steps.round_to_even(torch.tensor([5, 6]), torch.tensor([1, 0])).tolist() == [2, 6]
    assert steps.leading_one_position(torch.tensor([0, 1, 5, 64], dtype=torch.int16)).tolist() == [-1, 0, 2, 6]
    for name, kind in (("bfloat16", torch.bfloat16), ("fp32", torch.float32), ("fp64", torch.float64)):
        sign, exponent, mantissa = getattr(steps, f"unpack_{name}")(torch.tensor([-1.5, 2.0], dtype=kind))
        bits = torch.finfo(kind)
        assert sign.tolist() == [1, 0]
        assert (exponent[1] - exponent[0]).item() == 1 and mantissa[1].item() == 0
        assert mantissa[0].item() * 2 * bits.eps == 1.0


def test_other_floats():
    from mxe.compat.torchmx.custom_float_cast import hp_to_floatx
    x = torch.tensor([1.0625, 1.1875, -300.0, 0.0, float("inf"), 2.0 ** -9, 3 * 2.0 ** -10])
    assert hp_to_floatx(x, 4, 3, 240.0).tolist() == [1.0, 1.25, -240.0, 0.0, float("inf"), 2.0 ** -9, 2.0 ** -8]
    assert hp_to_floatx(x, 4, 3, 240.0, "truncate").tolist()[:2] == [1.0, 1.125]
    assert hp_to_floatx(x, 4, 3, 240.0, keep_subnormals=False).tolist()[5:] == [0.0, 0.0]
    for arguments in ((x.bfloat16(), 4, 3, 240.0), (x, 4, 3, 240.0, "nearest")):
        with pytest.raises(AssertionError):
            hp_to_floatx(*arguments)


def test_configurations():
    from mxe.compat.torchmx import MXConfig, QAttentionConfig, QLinearConfig
    one = MXConfig("float4_e2m1", 16)
    linear = QLinearConfig(one, MXConfig("int8"))
    for config in (QAttentionConfig(linear), QAttentionConfig(linear, one, one, one, MXConfig("float6_e2m3"))):
        assert QAttentionConfig.load_from_dict(config.to_dict()) == config
        assert config.is_qkv_quantization_enabled == (config.key_config is one)
    with pytest.raises(AssertionError, match="missing are: value_config, attention_weights_config"):
        QAttentionConfig(linear, one, one)


def test_weights_that_quantize_their_layers_input():
    from mxe.compat.torchmx import MXTensor, dtypes, mx_dynamic_activation_mx_weights
    linear, x = torch.nn.Linear(64, 8).bfloat16(), numbers(3, 64)
    expected = torch.nn.functional.linear(MXTensor.to_mx(x, dtypes.float8_e4m3),
                                          MXTensor.to_mx(linear.weight.detach(), dtypes.float6_e3m2), linear.bias)
    with torch.no_grad():
        assert torch.equal(mx_dynamic_activation_mx_weights()(linear)(x), expected)
    with pytest.raises(ValueError, match="rows of 65"):
        mx_dynamic_activation_mx_weights()(torch.nn.Linear(65, 8).bfloat16())


def test_errors_of_the_constructor():
    from mxe.compat.torchmx import MXTensor, dtypes
    scales, data = torch.ops.torchmx.quantize_mx(numbers(3, 64), "int8", 32)
    for text, arguments in (("scales must be uint8", (scales.int(), data, dtypes.int8)),
                            ("unsupported elem_dtype float32", (scales, data, dtypes.float32)),
                            ("data must be uint8 or int8", (scales, data.int(), dtypes.int8)),
                            ("need .3, 32. elements, not .3, 64.", (scales[:, :1], data, dtypes.int8))):
        with pytest.raises(AssertionError, match=text):
            MXTensor(*arguments, 32, torch.bfloat16)
    with pytest.raises(KeyError, match="unknown element type 'fp3'"):
        torch.ops.torchmx.quantize_mx(numbers(3, 64), "fp3", 32)
    with pytest.raises(AssertionError, match="a multiple of 32"):
        torch.ops.torchmx.quantize_mx(numbers(3, 65), "int8", 32)
    with pytest.raises(AssertionError, match="bfloat16"):
        MXTensor.to_mx(numbers(3, 64).float(), dtypes.int8)


def test_layers_of_llama_and_qwen2():
    """With transformers 4.44, whose layers torchmx takes."""
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    if not transformers.__version__.startswith("4.44"):
        pytest.skip(f"transformers {transformers.__version__} has other layers than 4.44")
    from mxe.compat.torchmx import MXConfig, QAttentionConfig, QLinearConfig, quantize_llm_
    from mxe.compat.torchmx.layers import mx_llama_attention as llama
    from mxe.compat.torchmx.layers import mx_qwen2_attention as qwen2
    one = MXConfig("float8_e4m3")
    config = QAttentionConfig(QLinearConfig(one, one), one, one, one, one)
    sizes = {"hidden_size": 64, "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 64}
    x, at = numbers(1, 32, 64), torch.arange(32)[None]
    for layer in (llama.LlamaAttention(transformers.LlamaConfig(**sizes), 0),
                  qwen2.Qwen2Attention(transformers.Qwen2Config(**sizes), 0)):
        model = torch.nn.ModuleList([layer.bfloat16().eval()])
        expected = model[0](x, position_ids=at)[0]
        quantize_llm_(model, config, QLinearConfig(one, one))
        found = model[0](x, position_ids=at)[0]
        assert type(model[0]).__name__.startswith("MXInference")
        assert (found - expected).norm() < 0.15 * expected.norm() and not torch.equal(found, expected)
    with pytest.raises(AssertionError, match="must be a LlamaMLP"):
        llama.MXInferenceLlamaMLP.from_float(torch.nn.Linear(2, 2), QLinearConfig(one, one))
