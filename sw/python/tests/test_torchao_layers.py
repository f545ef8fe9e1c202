# SPDX-License-Identifier: Apache-2.0
"""mxe.compat.torchao: products, layers, training, state dicts, files and graphs; signatures and values of torchao if it
is installed."""
import copy
import dataclasses
import importlib
import inspect
import io
import subprocess
import sys

import pytest

import mxe

torch = pytest.importorskip("torch", reason="torch is not installed")

from torch import nn  # noqa: E402

from mxe.compat import torchao as ao  # noqa: E402
from mxe.compat.torchao.prototype import mx_formats, qat  # noqa: E402
from mxe.compat.torchao.prototype.mx_formats.mx_tensor import MXTensor, QuantizeTensorToMXKwargs, ScaleCalculationMode  # noqa: E402
from mxe.compat.torchao.prototype.mx_formats.nvfp4_tensor import (  # noqa: E402
    NVFP4Tensor,
    QuantizeTensorToNVFP4Kwargs,
    per_tensor_amax_to_scale,
)
from mxe.compat.torchao.quantization import quantize_  # noqa: E402
from mxe.compat.torchao.quantization.qat import QATConfig, QATStep  # noqa: E402
from mxe.compat.torchao.quantization.quantize_.common import KernelPreference, QuantizationStep  # noqa: E402
from mxe.compat.torchao.quantization.utils import compute_error  # noqa: E402

FP4 = torch.float4_e2m1fn_x2
AUTO, EMULATED = KernelPreference.AUTO, KernelPreference.EMULATED


def numbers(*shape, dtype=torch.bfloat16, seed=1):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def scale_of(x):
    return per_tensor_amax_to_scale(x.abs().max())


@pytest.mark.parametrize("dtype, format", [(torch.float8_e4m3fn, "mxfp8_e4m3"), (FP4, "mxfp4_e2m1")])
def test_products_of_mx(dtype, format):
    x, w, bias = numbers(5, 96), numbers(16, 96, seed=2), numbers(16, seed=3)
    for swizzle in (False, True):
        kwargs = QuantizeTensorToMXKwargs(dtype, 32, ScaleCalculationMode.RCEIL, AUTO, swizzle)
        weight = MXTensor.to_mx(w, dtype, 32, ScaleCalculationMode.RCEIL, AUTO, kwargs, swizzle)
        a, b = (mxe.quantize(one, format, "torchao-rceil") for one in (x, w))
        expected = mxe.matmul(a, b, transpose_b=True, bias=bias).bfloat16()
        assert torch.equal(nn.functional.linear(x, weight, bias), expected)
        assert torch.equal(torch.addmm(bias, x, weight.t()), expected)
        assert torch.equal(nn.functional.linear(x.view(1, 5, 96), weight, bias)[0], expected)
        plain = mxe.matmul(a, b, transpose_b=True).bfloat16()
        quantized = MXTensor.to_mx(x, dtype, 32, ScaleCalculationMode.RCEIL, AUTO, is_swizzled_scales=swizzle)
        for product in (x @ weight.t(), quantized @ weight.t(), nn.functional.linear(quantized, weight)):
            assert torch.equal(product, plain)
        with torch.inference_mode():
            assert torch.equal(nn.functional.linear(x, weight, bias), expected)
        weight.kernel_preference = kwargs.kernel_preference = EMULATED
        values = MXTensor.to_mx(x, dtype, 32, ScaleCalculationMode.RCEIL).dequantize()
        assert torch.equal(nn.functional.linear(x, weight, bias), torch.addmm(bias, values, weight.dequantize().t()))
    with pytest.raises(AssertionError, match="AUTO needs blocks of 32, got 16, 16"):
        one = MXTensor.to_mx(x, dtype, 16, kernel_preference=AUTO)
        one @ one.t()


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float32])
def test_products_of_nvfp4(kind):
    x, w, bias = numbers(5, 96, dtype=kind), numbers(16, 96, dtype=kind, seed=2), numbers(16, dtype=kind, seed=3)
    for swizzle, scaled in ((False, False), (False, True), (True, True)):
        kwargs = QuantizeTensorToNVFP4Kwargs(is_swizzled_scales=swizzle, use_dynamic_per_tensor_scale=scaled)
        weight = NVFP4Tensor.to_nvfp4(w, per_tensor_scale=scale_of(w) if scaled else None, is_swizzled_scales=swizzle,
                                      act_quant_kwargs=kwargs)
        a, b = (mxe.quantize(one, "nvfp4", "nvfp4-torchao2", tensor_scale=float(scale_of(one))) if scaled else
                mxe.quantize(one, "nvfp4", "nvfp4-torchao1") for one in (x, w))
        a, b = (mxe.Array.from_codes(one.codes, one.scales, "nvfp4", "nvfp4-torchao1") for one in (a, b))
        product = mxe.matmul(a, b, transpose_b=True).to(kind)
        if scaled:
            product = product * (scale_of(x) * scale_of(w)).to(kind)
        with_bias = product + bias
        if not scaled and kind == torch.bfloat16:
            with_bias = mxe.matmul(a, b, transpose_b=True, bias=bias).to(kind)
        quantized = NVFP4Tensor.to_nvfp4(x, per_tensor_scale=scale_of(x) if scaled else None)
        for one in (x @ weight.t(), quantized @ weight.t(), nn.functional.linear(x, weight),
                    nn.functional.linear(x.view(1, 5, 96), weight)[0]):
            assert torch.equal(one, product) and one.dtype == kind
        for one in (nn.functional.linear(x, weight, bias), torch.addmm(bias, x, weight.t())):
            assert torch.equal(one, with_bias)
        weight.act_quant_kwargs = None
        assert torch.equal(nn.functional.linear(x, weight, bias), nn.functional.linear(x, weight.dequantize(), bias))
        assert torch.equal(quantized @ weight.t(), quantized.dequantize() @ weight.dequantize().t())
    one_scale = NVFP4Tensor.to_nvfp4(w, per_tensor_scale=scale_of(w), act_quant_kwargs=QuantizeTensorToNVFP4Kwargs())
    rows = NVFP4Tensor.to_nvfp4(x)
    assert torch.equal(x @ one_scale.t(), (rows @ one_scale._with(
        one_scale.qdata, one_scale.scale, per_tensor_scale=None).t()) * scale_of(w).to(kind))


def test_products_of_experts():
    x, w = numbers(2, 4, 64), numbers(2, 128, 64, seed=2)
    whole = per_tensor_amax_to_scale(w.abs().amax((1, 2))).view(2, 1, 1)
    kwargs = QuantizeTensorToNVFP4Kwargs(use_dynamic_per_tensor_scale=True)
    weight = NVFP4Tensor.to_nvfp4(w, per_tensor_scale=whole, is_swizzled_scales=True, act_quant_kwargs=kwargs)
    found = torch.bmm(x, weight.transpose(-2, -1))
    for expert in range(2):
        assert torch.equal(found[expert], nn.functional.linear(x[expert], weight[expert]))
    rows, ends = numbers(7, 64), torch.tensor([3, 3], dtype=torch.int32)
    grouped = torch._grouped_mm(rows[:3], weight.transpose(-2, -1), offs=ends)
    assert torch.equal(grouped, nn.functional.linear(rows[:3], weight[0]))
    ends = torch.tensor([2, 7], dtype=torch.int32)
    grouped = torch._grouped_mm(rows, weight.transpose(-2, -1), offs=ends)
    assert torch.equal(grouped[2:], nn.functional.linear(rows[2:], weight[1]))
    with pytest.raises(AssertionError, match="transposes of the last two axes, not of 0 and 1 of 3"):
        nn.functional.linear(x[0], weight)


def model(bias=True):
    made = nn.Sequential(nn.Linear(64, 32, bias), nn.ReLU(), nn.Sequential(nn.Linear(32, 16, bias))).bfloat16()
    with torch.no_grad():
        for seed, parameter in enumerate(made.parameters()):
            parameter.copy_(numbers(*parameter.shape, seed=seed) / 4)
    return made


CONFIGS = [mx_formats.MXDynamicActivationMXWeightConfig(),
           mx_formats.MXDynamicActivationMXWeightConfig(kernel_preference=EMULATED),
           mx_formats.MXDynamicActivationMXWeightConfig(activation_dtype=FP4, weight_dtype=FP4),
           mx_formats.NVFP4DynamicActivationNVFP4WeightConfig(),
           mx_formats.NVFP4DynamicActivationNVFP4WeightConfig(use_dynamic_per_tensor_scale=False),
           mx_formats.NVFP4WeightOnlyConfig(), mx_formats.NVFP4WeightOnlyConfig(use_dynamic_per_tensor_scale=False)]


@pytest.mark.parametrize("config", CONFIGS, ids=lambda one: type(one).__name__[:8])
def test_layers(config):
    original, x = model(), numbers(4, 64, seed=9)
    quantized = copy.deepcopy(original)
    assert quantize_(quantized, config) is None
    for layer in (quantized[0], quantized[2][0]):
        assert isinstance(layer.weight, (MXTensor, NVFP4Tensor)) and not layer.weight.requires_grad
        assert layer.weight.is_swizzled_scales and type(layer.weight).__name__ in repr(layer)
    assert compute_error(original(x), quantized(x)) > (9 if "4" in str(config) else 20)
    leaf = x.clone().requires_grad_()
    out = nn.functional.linear(leaf, quantized[0].weight, quantized[0].bias)
    out.backward(torch.ones_like(out))
    assert torch.equal(leaf.grad, torch.ones_like(out) @ quantized[0].weight.dequantize())
    kept = model()
    quantize_(kept, config, lambda module, name: name == "2.0")
    assert type(kept[0].weight) is nn.Parameter and isinstance(kept[2][0].weight, (MXTensor, NVFP4Tensor))
    compiled = torch.compile(copy.deepcopy(quantized), backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(x), quantized(x))
    with torch.inference_mode():
        assert torch.equal(quantized(x[None])[0], quantized(x))


@pytest.mark.parametrize("config", CONFIGS, ids=lambda one: type(one).__name__[:8])
def test_export(config):
    quantized, x = model(), numbers(4, 64, seed=9)
    quantize_(quantized, config)
    program = torch.export.export(quantized, (x,))
    assert torch.equal(program.module()(x), quantized(x))
    file = io.BytesIO()
    torch.export.save(program.run_decompositions(), file)
    file.seek(0)
    assert torch.equal(torch.export.load(file).module()(x), quantized(x))


def test_static_scales_of_activations():
    calibration, x = numbers(8, 64, seed=5), numbers(4, 64, seed=9)
    observed = model()
    quantize_(observed, mx_formats.NVFP4DynamicActivationNVFP4WeightConfig(step="prepare"))
    assert type(observed[0]) is mx_formats.NVFP4ObservedLinear
    assert torch.equal(observed(calibration), model()(calibration))
    assert observed[0].amax == calibration.abs().max()
    observed(x)
    assert observed[0].amax == torch.cat([calibration, x]).abs().max()
    config = mx_formats.NVFP4DynamicActivationNVFP4WeightConfig(step=QuantizationStep.CONVERT)
    assert not config.use_dynamic_per_tensor_scale
    quantize_(observed, config)
    weight = observed[0].weight
    assert type(observed[0]) is nn.Linear and weight.act_per_tensor_scale == scale_of(torch.cat([calibration, x]))
    rows = NVFP4Tensor.to_nvfp4(x, per_tensor_scale=weight.act_per_tensor_scale)
    assert torch.equal(observed[0](x), nn.functional.linear(rows, weight, observed[0].bias))
    untouched = model()
    quantize_(untouched, config)
    assert type(untouched[0].weight) is nn.Parameter


@pytest.mark.parametrize("config", CONFIGS[:5], ids=lambda one: type(one).__name__[:8])
def test_training(config):
    trained, x = model(), numbers(2, 3, 64, seed=9).requires_grad_()
    quantize_(trained, QATConfig(config, step="prepare"))
    layer = trained[0]
    family = "NVFP4" if "NVFP4" in type(config).__name__ else "MX"
    assert type(layer) is getattr(qat, f"{family}FakeQuantizedLinear")
    out = layer(x)
    out.backward(numbers(*out.shape, seed=4))
    a, b = (layer._quantized(one.detach().view(-1, 64), one_config).dequantize() for one, one_config in (
        (x, layer.activation_config), (layer.weight, layer.weight_config)))
    gradient = numbers(*out.shape, seed=4).view(-1, 32)
    assert torch.equal(x.grad.view(-1, 64), gradient @ b) and torch.equal(layer.weight.grad, gradient.t() @ a)
    assert layer.bias.grad is None
    trained(x.detach()).sum().backward()
    converted = copy.deepcopy(trained)
    expected = model()
    quantize_(converted, QATConfig(config, step="convert"))
    quantize_(expected, config)
    assert torch.equal(converted(x), expected(x)) and torch.equal(converted[0](x), trained[0](x))
    quantize_(trained, QATConfig(step=QATStep.CONVERT))
    assert type(trained[0]) is nn.Linear and torch.equal(trained(x), model()(x))


def test_training_by_formats():
    one = nn.Sequential(nn.Linear(64, 32)).bfloat16()
    quantize_(one, QATConfig(None, qat.MXFakeQuantizeConfig(), qat.MXFakeQuantizeConfig(torch.float8_e4m3fn),
                             step="PREPARE"))
    assert one[0].activation_config.dtype is FP4 and one[0].weight_config.dtype is torch.float8_e4m3fn
    other = nn.Linear(64, 32)
    layer = qat.NVFP4FakeQuantizedLinear.from_linear(other, *[qat.NVFP4FakeQuantizeConfig()] * 2)
    assert layer.weight is other.weight and layer.to_linear().weight is other.weight


@pytest.mark.parametrize("config", CONFIGS, ids=lambda one: type(one).__name__[:8])
def test_state_dicts(config):
    saved, x = model(), numbers(4, 64, seed=9)
    quantize_(saved, config)
    file = io.BytesIO()
    torch.save(saved.state_dict(), file)
    file.seek(0)
    states = [saved.state_dict(), torch.load(file, weights_only=True)]
    for state in states:
        for assign in (False, True):
            fresh = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Sequential(nn.Linear(32, 16))).bfloat16()
            quantize_(fresh, config)
            fresh.load_state_dict(state, assign=assign)
            assert torch.equal(fresh(x), saved(x))
    fresh.share_memory()
    assert fresh[0].weight.qdata.is_shared() and torch.equal(copy.deepcopy(fresh)(x), saved(x))


HIDDEN = """
import sys
sys.modules["torchao"] = None
import torch
from mxe.compat import torchao
state = torchao.load(sys.argv[1])
for name in ("mx", "mx4", "nv"):
    assert type(state[name]).__module__.startswith("mxe.compat.torchao"), type(state[name])
    assert torch.equal(state[name].dequantize(torch.float32), state[name + "_values"]), name
print(state["nv"].act_quant_kwargs, state["mx"].act_quant_kwargs.scaling_mode)
"""


def test_torchaos_tensors_and_files(tmp_path):
    pytest.importorskip("torchao", reason="torchao is not installed: its files are not read")
    from torchao.prototype.mx_formats import mx_tensor as theirs_mx
    from torchao.prototype.mx_formats import nvfp4_tensor as theirs_nv
    x = numbers(128, 64)
    kwargs = theirs_mx.QuantizeTensorToMXKwargs(scaling_mode=theirs_mx.ScaleCalculationMode.RCEIL)
    state = {"mx": theirs_mx.MXTensor.to_mx(x, torch.float8_e4m3fn, act_quant_kwargs=kwargs, is_swizzled_scales=True),
             "mx4": theirs_mx.MXTensor.to_mx(x, FP4),
             "nv": theirs_nv.NVFP4Tensor.to_nvfp4(x, per_tensor_scale=scale_of(x), is_swizzled_scales=True,
                                                  act_quant_kwargs=theirs_nv.QuantizeTensorToNVFP4Kwargs())}
    state |= {f"{name}_values": one.dequantize(torch.float32) for name, one in state.items()}
    state["mx"] = nn.Parameter(state["mx"], requires_grad=False)
    torch.save(state, tmp_path / "theirs.pt")
    done = subprocess.run([sys.executable, "-c", HIDDEN, tmp_path / "theirs.pt"], capture_output=True, text=True,
                          check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == (f"{QuantizeTensorToNVFP4Kwargs()} ScaleCalculationMode.RCEIL")
    for ours in (ao.from_torchao(state), ao.load(tmp_path / "theirs.pt")):
        assert type(ours["mx"]).__name__ == "MXTensor" and type(ours["nv"]) is NVFP4Tensor
        for name in ("mx", "mx4", "nv"):
            assert torch.equal(ours[name].dequantize(torch.float32), state[f"{name}_values"])
    back = ao.to_torchao(ours)
    for name in ("mx", "mx4", "nv"):
        assert type(back[name].data if name == "mx" else back[name]) is type(state[name].data if name == "mx" else
                                                                             state[name])
        assert torch.equal(back[name].dequantize(torch.float32), state[f"{name}_values"])
        copied = state[name].detach().clone()
        copied.copy_(back[name])  # torchao checks all attributes
        mine = ours[name].detach().clone()
        mine.copy_(state[name])
        assert torch.equal(mine.dequantize(torch.float32), state[f"{name}_values"])
    assert ours["mx"].act_quant_kwargs.scaling_mode == theirs_mx.ScaleCalculationMode.RCEIL
    assert ao.from_torchao(x) is x


def test_torchaos_values():
    pytest.importorskip("torchao", reason="torchao is not installed: its values are not compared")
    from torchao.prototype.mx_formats import mx_tensor as theirs_mx
    from torchao.prototype.mx_formats import nvfp4_tensor as theirs_nv
    from torchao.prototype.mx_formats import utils as theirs_utils
    for kind in (torch.bfloat16, torch.float32):
        x = numbers(130, 192, dtype=kind)
        for mode in ("floor", "rceil", "ceil", "even"):
            for dtype in theirs_mx.SUPPORTED_ELEM_DTYPES:
                one, other = (module.MXTensor.to_mx(x, dtype, 32, module.ScaleCalculationMode(mode))
                              for module in (theirs_mx, sys.modules[MXTensor.__module__]))
                agree(one, other)
        for scale in (None, theirs_nv.per_tensor_amax_to_scale(x.abs().max()), torch.tensor(3.0)):
            for swizzle in (False, True):
                agree(*(cls.to_nvfp4(x, per_tensor_scale=scale, is_swizzled_scales=swizzle)
                        for cls in (theirs_nv.NVFP4Tensor, NVFP4Tensor)))
        experts = numbers(2, 128, 64, dtype=kind)
        whole = theirs_nv.per_tensor_amax_to_scale(experts.abs().amax((1, 2))).view(2, 1, 1)
        agree(*(cls.to_nvfp4(experts, per_tensor_scale=whole, is_swizzled_scales=True)
                for cls in (theirs_nv.NVFP4Tensor, NVFP4Tensor)))
    scales = torch.arange(200 * 9).view(200, 9).to(torch.uint8)
    assert torch.equal(theirs_utils.to_blocked(scales), mx_formats.mx_tensor._swizzled(scales).reshape(-1))
    layers = [model(), model()]
    from torchao.prototype.mx_formats import MXDynamicActivationMXWeightConfig
    from torchao.quantization import quantize_ as quantize_theirs
    from torchao.quantization.quantize_.common import KernelPreference as Preference
    quantize_theirs(layers[0], MXDynamicActivationMXWeightConfig(kernel_preference=Preference.EMULATED))
    quantize_(layers[1], CONFIGS[1])
    assert torch.equal(layers[0](numbers(4, 64)), layers[1](numbers(4, 64)))
    layers[0].load_state_dict(ao.to_torchao(layers[1].state_dict()))
    layers[1].load_state_dict(layers[0].state_dict())
    assert torch.equal(layers[0](numbers(4, 64)), layers[1](numbers(4, 64)))


def agree(theirs, ours):
    assert torch.equal(theirs.qdata.view(torch.uint8), ours.qdata.view(torch.uint8))
    assert torch.equal(theirs.scale.view(torch.uint8), ours.scale.view(torch.uint8))
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        assert torch.equal(theirs.dequantize(dtype), ours.dequantize(dtype))


#: Public names of torchao's modules, and of their classes.
NAMES = {
    "prototype.mx_formats": ["MXDynamicActivationMXWeightConfig", "NVFP4DynamicActivationNVFP4WeightConfig",
                             "NVFP4ObservedLinear", "NVFP4ObservedLinear.forward", "NVFP4ObservedLinear.from_float",
                             "NVFP4WeightOnlyConfig", "ScaleCalculationMode"],
    "prototype.mx_formats.config": ["MXFP8Dim0CastKernelChoice", "MXFP8Dim1CastKernelChoice", "ScaleCalculationMode"],
    "prototype.mx_formats.kernels": ["pack_uint4", "unpack_uint4"],
    "prototype.mx_formats.mx_tensor": ["MXTensor.__new__", "MXTensor.to_mx", "MXTensor.dequantize",
                                       "MXTensor.from_qdata_and_scales", "QuantizeTensorToMXKwargs", "get_fp_scale",
                                       "tensor_size_fp4x2_to_hp", "tensor_size_hp_to_fp4x2", "to_dtype", "to_mx"],
    "prototype.mx_formats.nvfp4_tensor": ["NVFP4Tensor.__new__", "NVFP4Tensor.to_nvfp4", "NVFP4Tensor.dequantize",
                                          "NVFP4Tensor.get_hp_scales", "QuantizeTensorToNVFP4Kwargs", "nvfp4_quantize",
                                          "per_tensor_amax_to_scale"],
    "prototype.mx_formats.utils": ["ceil_div", "from_blocked", "hp_data_dims_to_swizzled_scale_dims_mx",
                                   "hp_data_dims_to_swizzled_scale_dims_nvfp4", "to_blocked"],
    "prototype.qat": ["MXFakeQuantizeConfig", "MXFakeQuantizedLinear", "MXFakeQuantizedLinear.from_linear",
                      "MXFakeQuantizedLinear.to_linear", "NVFP4FakeQuantizeConfig", "NVFP4FakeQuantizedLinear",
                      "NVFP4FakeQuantizedLinear.from_linear", "NVFP4FakeQuantizedLinear.to_linear"],
    "quantization": ["quantize_"],
    "quantization.qat": ["QATConfig", "QATStep"],
    "quantization.quantize_.common": ["KernelPreference"],
    "quantization.utils": ["compute_error"],
}
#: Parts that the installed release may lack.
NEWER = ("MXTensor.from_qdata_and_scales", "MXTensor.to_mx", "KernelPreference")


def found(module, name):
    value = module
    for part in name.split("."):
        value = getattr(value, part)
    return value


def parameters(callable):
    """Names, kinds and default values; enumerators count by value."""
    return [(one.name, one.kind, str(getattr(one.default, "value", one.default)))
            for one in inspect.signature(callable).parameters.values()]


@pytest.mark.parametrize("module", NAMES)
def test_signatures(module):
    pytest.importorskip("torchao", reason="torchao is not installed: signatures are not compared")
    theirs, ours = (importlib.import_module(f"{root}.{module}") for root in ("torchao", "mxe.compat.torchao"))
    for name in NAMES[module]:
        mine = found(ours, name)
        if name in NEWER and not hasattr(theirs, name.partition(".")[0]):
            continue
        try:
            its = found(theirs, name)
        except AttributeError:
            assert name in NEWER, name
            continue
        if name == "quantize_":  # their default filter is an own function
            assert [one[:2] for one in parameters(its)] == [one[:2] for one in parameters(mine)]
        elif isinstance(its, type) and hasattr(its, "__members__"):
            assert {one.name: one.value for one in its}.items() <= {one.name: one.value for one in mine}.items()
        elif dataclasses.is_dataclass(its):
            assert [one.name for one in dataclasses.fields(its)] == [one.name for one in dataclasses.fields(mine)]
            assert parameters(its) == parameters(mine), name
        elif parameters(its) != parameters(mine):
            assert name in NEWER and {one[0] for one in parameters(its)} <= {one[0] for one in parameters(mine)}, name


def test_constants():
    pytest.importorskip("torchao", reason="torchao is not installed: constants are not compared")
    from torchao.prototype.mx_formats import constants as theirs

    from mxe.compat.torchao.prototype.mx_formats import constants as ours
    for name in [name for name in vars(theirs) if name.isupper()]:
        assert getattr(theirs, name) == getattr(ours, name), name
