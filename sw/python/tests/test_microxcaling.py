# SPDX-License-Identifier: Apache-2.0
"""mxe.compat.microxcaling against the original package, forward and backward, and against mxe."""
import argparse
import importlib
import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import assert_same, awkward, plain

import mxe

torch = pytest.importorskip("torch", reason="torch is not installed")

import mxe.compat.microxcaling as ours  # noqa: E402


@pytest.fixture(scope="module")
def theirs():
    """The original package `mx`; MXE_MICROXCALING is a checkout of it if it is not installed."""
    if folder := os.environ.get("MXE_MICROXCALING"):
        sys.path.insert(0, folder)
    try:
        return importlib.import_module("mx")
    except ImportError:
        pytest.skip("microxcaling is not installed (MXE_MICROXCALING): its values are not compared")


def specs_of(package, **options):
    return package.finalize_mx_specs({"scale_bits": 8, "block_size": 32, **options})


def tensors(*shapes):
    random = np.random.default_rng(5)
    return [torch.from_numpy((random.standard_normal(shape) * np.exp2(random.integers(
        -6, 6, shape))).astype(np.float32)).requires_grad_() for shape in shapes]


def run(call, operands):
    y = call(*operands)
    grown = torch.from_numpy(plain(tuple(y.shape), 9))
    y.backward(grown)
    found = [y.detach()] + [x.grad for x in operands]
    for x in operands:
        x.grad = None
    return found


CALLS = [
    ("linear", ((6, 70), (40, 70), (40,)), {}),
    ("linear", ((3, 6, 64), (40, 64), (40,)), {}),
    ("linear", ((6, 64), (33, 64)), {}),
    ("matmul", ((6, 70), (70, 40), (40,)), {}),
    ("matmul", ((2, 6, 70), (2, 70, 40)), {"mode_config": "aw"}),
    ("matmul", ((2, 3, 6, 70), (2, 3, 70, 40)), {"mode_config": "wa"}),
    ("bmm", ((5, 6, 70), (5, 70, 40)), {})]
OPTIONS = [
    {"w_elem_format": "fp4_e2m1", "a_elem_format": "fp8_e4m3"},
    {"w_elem_format": "fp6_e2m3", "a_elem_format": "fp6_e3m2", "round": "even"},
    {"w_elem_format": "int8", "a_elem_format": "fp8_e5m2", "bfloat": 16},
    {"w_elem_format": "fp8_e4m3", "a_elem_format": "int8", "bfloat": 16, "round": "floor"},
    {"w_elem_format": "int4", "a_elem_format": "int8", "fp": 16, "bfloat_subnorms": False},
    {"w_elem_format": "fp4", "a_elem_format": "fp4", "w_elem_format_bp": "fp8_e5m2",
     "a_elem_format_bp": "fp6_e3m2", "a_elem_format_bp_ex": "fp8_e4m3",
     "a_elem_format_bp_os": "int8", "bfloat": 12, "block_size": 16},
    {"w_elem_format": "fp8_e4m3", "a_elem_format": "fp8_e4m3", "quantize_backprop": False},
    {"w_elem_format": "fp8_e4m3", "a_elem_format": "fp8_e4m3", "block_size": 0, "scale_bits": 5,
     "mx_flush_fp32_subnorms": True},
    {"w_elem_format": "fp6_e2m3", "bfloat": 16}]


@pytest.mark.parametrize("name, shapes, arguments", CALLS)
@pytest.mark.parametrize("options", OPTIONS)
def test_values(theirs, name, shapes, arguments, options):
    options = {**options}
    results = []
    for package in (ours, theirs):
        specs = specs_of(package, **options)
        function = getattr(package, name)
        results.append(run(lambda *x, f=function, s=specs: f(*x, mx_specs=s, **arguments),
                           tensors(*shapes)))
    for mine, expected in zip(*results, strict=True):
        assert mine.dtype == expected.dtype
        assert torch.equal(mine, expected)


@pytest.mark.parametrize("options", [{"bfloat": bits} for bits in (10, 12, 16, 20, 31)] +
                         [{"fp": bits} for bits in (8, 12, 16)])
@pytest.mark.parametrize("rounding", ["nearest", "even", "floor"])
@pytest.mark.parametrize("subnormals", [True, False])
def test_values_without_scales(theirs, options, rounding, subnormals):
    from mx.elemwise_ops import quantize_elemwise_op
    x = awkward((200, 100))
    edges = np.exp2(np.arange(-149, 128, dtype=np.float64)).astype(np.float32)
    x = np.concatenate([x.ravel(), edges, np.nextafter(edges, np.float32(0)),
                        np.nextafter(edges, np.float32(np.inf)), edges * np.float32(1.5)])
    x = torch.from_numpy(x[np.isfinite(x)])
    all_options = {**options, "bfloat_subnorms": subnormals}
    mine = ours.quantize_elemwise_op(x, ours.apply_mx_specs(all_options), rounding)
    expected = quantize_elemwise_op(x.clone(), mx_specs=theirs.specs.apply_mx_specs(all_options),
                                    round=rounding)
    assert_same(mine.numpy() + np.float32(0), expected.numpy() + np.float32(0))


def test_options_are_those_of_the_real_one(theirs):
    given = {"w_elem_format": "int8", "round": "even", "a_elem_format_bp_os": "fp4"}
    assert dict(ours.finalize_mx_specs(given)) == dict(theirs.finalize_mx_specs(dict(given)))
    assert dict(ours.MxSpecs()) == dict(theirs.MxSpecs())
    words = ["--w_elem_format", "fp6_e3m2", "--bfloat", "16", "--no_quantize_backprop", "--round",
             "even"]
    made = [dict(package.get_mx_specs(package.add_mx_args(argparse.ArgumentParser()).parse_args(
        words))) for package in (ours, theirs)]
    assert made[0] == made[1]


def test_without_the_real_one():
    specs = specs_of(ours, w_elem_format="fp4_e2m1", a_elem_format="fp8_e4m3", round="even")
    layer = ours.Linear(64, 40, mx_specs=specs)
    x = torch.from_numpy(plain((6, 64)))
    a = mxe.fake_quantize(x, "mxfp8_e4m3", "microxcaling-even")
    w = mxe.fake_quantize(layer.weight, "mxfp4_e2m1", "microxcaling-even")
    y = layer(x)
    assert torch.equal(y, torch.nn.functional.linear(a, w) + layer.bias)
    y.backward(torch.ones_like(y))
    ones = torch.ones(6, 40)
    assert torch.equal(layer.weight.grad, ones.t() @ mxe.fake_quantize(
        x, "mxfp8_e4m3", "microxcaling-even", axis=0))
    compiled = torch.compile(layer, backend="aot_eager", fullgraph=True)
    assert torch.equal(compiled(x), y)
    torch._dynamo.reset()


def test_documents_example():
    mx_specs = ours.MxSpecs()
    mx_specs["scale_bits"] = 8
    mx_specs["w_elem_format"] = "fp8_e5m2"
    mx_specs["a_elem_format"] = "fp8_e5m2"
    mx_specs["block_size"] = 32
    mx_specs["bfloat"] = 16
    mx_specs["custom_cuda"] = True
    x = torch.from_numpy(plain((4, 64)))
    y = ours.Linear(64, 8, mx_specs=mx_specs)(x)
    assert torch.equal(y, y.bfloat16().float())
    q = ours.quantize_mx_op(x, mx_specs, elem_format="fp8_e5m2", axes=[-1])
    assert torch.equal(q, mxe.fake_quantize(x, "mxfp8_e5m2", "microxcaling-cuda-nearest"))


def test_errors():
    x = torch.zeros(4, 32)
    specs = ours.apply_mx_specs({"block_size": 32})
    for call, text in ((lambda: ours.MxSpecs({"bits": 8}), "unknown option 'bits'"),
                       (lambda: ours.apply_mx_specs({"bits": 8}), "unknown option 'bits'"),
                       (lambda: ours.quantize_mx_op(x, specs, "fp3", axes=[0]), "element format"),
                       (lambda: ours.quantize_mx_op(x, specs, "int8"), "need axes"),
                       (lambda: ours.quantize_mx_op(x, {**specs, "shared_exp_method": "mean"}, "int8", axes=[0]),
                        "unknown shared_exp_method 'mean'"),
                       (lambda: ours.quantize_mx_op(x, specs, "int8", axes=[0], round="up"),
                        "unknown rounding 'up'"),
                       (lambda: ours.conv2d(x, x, mx_specs=specs), "needs 4 axes"),
                       (lambda: ours.Softmax(mx_specs=specs)(x), "needs a dim"),
                       (lambda: ours.LSTM(4, 4, batch_first=True), "neither batch_first"),
                       (lambda: ours.quantize_elemwise_op(x, {**specs, "bfloat": 8}),
                        "more than 9"),
                       (lambda: ours.quantize_elemwise_op(x, {**specs, "bfloat": 16, "fp": 16}),
                        "only one"),
                       (lambda: ours.matmul(x, x.t(), mx_specs=specs, mode_config="ww"),
                        "unknown mode")):
        with pytest.raises(ValueError, match=text):
            call()


def test_names_of_the_real_one(theirs):
    assert {name for name in vars(theirs) if not name.startswith("_")} - {
        "mx_ops", "custom_extensions"} <= {*vars(ours), "norm_utils", "matmul_precision"}


LAYERS = [
    ("LayerNorm", (16,), (3, 5, 16)), ("RMSNorm", (16,), (3, 5, 16)), ("GroupNorm", (2, 8), (3, 8, 5)),
    ("BatchNorm1d", (8,), (6, 8)), ("BatchNorm2d", (8,), (6, 8, 3, 4)), ("BatchNorm3d", (4,), (3, 4, 2, 3, 4)),
    ("ReLU", (), (3, 8)), ("ReLU6", (), (3, 8)), ("LeakyReLU", (), (3, 8)), ("SiLU", (), (3, 8)), ("GELU", (), (3, 8)),
    ("Sigmoid", (), (3, 8)), ("Tanh", (), (3, 8)), ("Softmax", (-1,), (3, 8)), ("Linear", (32, 8), (3, 32)),
    ("Conv1d", (4, 6, 3), (2, 4, 7)), ("Conv2d", (4, 6, 3, 2, 1), (2, 4, 7, 6)), ("Conv3d", (2, 4, 3), (2, 2, 5, 4, 6)),
    ("AdaptiveAvgPool2d", ((3, 5),), (2, 3, 8, 9)), ("LSTM", (12, 16, 2), (5, 3, 12))]
VECTORS = [
    {"bfloat": 16, "round": "even", "w_elem_format": "fp8_e4m3", "a_elem_format": "fp6_e3m2", "block_size": 8},
    {"bfloat": 12, "quantize_backprop": False, "a_elem_format": "fp8_e5m2", "w_elem_format": "fp8_e5m2",
     "round": "floor"},
    {"fp": 16, "bfloat_subnorms": False, "a_elem_format": "int4", "block_size": 0}]


@pytest.mark.parametrize("name, arguments, shape", LAYERS, ids=[layer[0] for layer in LAYERS])
@pytest.mark.parametrize("options", VECTORS)
def test_values_of_layers(theirs, name, arguments, shape, options):
    """Outputs, gradients and running statistics, in training and after it."""
    made = []
    for package in (ours, theirs):
        torch.manual_seed(1)
        made.append(getattr(package, name)(*arguments, mx_specs=specs_of(package, **options)))
    made[1].load_state_dict(made[0].state_dict())
    for is_training in (True, False):
        found = []
        for layer in made:
            x = torch.from_numpy(plain(shape)).requires_grad_()
            y = layer.train(is_training)(x)
            y = y[0] if isinstance(y, tuple) else y
            y.backward(torch.from_numpy(plain(tuple(y.shape), 9)))
            found.append([y, x.grad, *(one.grad for one in layer.parameters()), *layer.buffers()])
        for mine, expected in zip(*found, strict=True):
            assert torch.equal(mine, expected)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float64"])
@pytest.mark.parametrize("rounding", ["nearest", "even", "floor"])
def test_values_of_the_steps(theirs, dtype, rounding):
    """Several axes, no shared exponents, and the arithmetic of other types."""
    from mx import elemwise_ops as their_elements
    from mx import mx_ops as their_ops

    from mxe.compat.microxcaling import elemwise_ops, mx_ops
    x = torch.from_numpy(awkward((20, 64))).to(getattr(torch, dtype))
    for format in ("int8", "int4", "fp8_e5m2", "fp8_e4m3", "fp6_e3m2", "fp6_e2m3", "fp4", "fp16", "bfloat16"):
        for switches in ({}, {"saturate_normals": True}, {"allow_denorm": False}):
            mine, expected = (package._quantize_elemwise(x, format, rounding, **switches)
                              for package in (elemwise_ops, their_elements))
            assert torch.equal(mine.nan_to_num(7.0), expected.nan_to_num(7.0))
        for method, axes, block, scale_bits, flush in (
                ("max", [-1], 32, 8, False), ("max", [0], 7, 8, True), ("max", [0, 1], 8, 8, False),
                ("none", [-1], 0, 8, False), ("max", [-1], 16, 5, False)):
            mine, expected = (package._quantize_mx(x, scale_bits, format, method, axes, block, rounding, flush)
                              for package in (mx_ops, their_ops))
            assert torch.equal(mine.nan_to_num(7.0), expected.nan_to_num(7.0))


def test_layers_without_the_real_one():
    """Without mx_specs torch's layers; with them, rounded steps and blocks along the sum."""
    for name, arguments, shape in LAYERS:
        if name in ("GELU", "RMSNorm"):  # other formulas than torch's
            continue
        torch.manual_seed(1)
        plain_layer, layer = getattr(torch.nn, name)(*arguments), getattr(ours, name)(*arguments)
        layer.load_state_dict(plain_layer.state_dict())
        if name == "LayerNorm":
            layer.eps = plain_layer.eps
        x = torch.from_numpy(plain(shape))
        a, b = layer(x), plain_layer(x)
        assert torch.equal(a[0], b[0]), name
    specs = specs_of(ours, w_elem_format="fp4_e2m1", a_elem_format="fp8_e4m3", bfloat=16, round="even")
    x, w = torch.from_numpy(plain((2, 64, 5, 5))), torch.from_numpy(plain((8, 64, 3, 3)))

    def rounded(x):
        return ours.quantize_elemwise_op(x, specs, "even")

    # Like microxcaling's, convolutions round MX elements to nearest, whatever round says.
    expected = rounded(torch.nn.functional.conv2d(
        mxe.fake_quantize(rounded(x), "mxfp8_e4m3", "microxcaling-nearest", axis=1),
        mxe.fake_quantize(rounded(w), "mxfp4_e2m1", "microxcaling-nearest", axis=1)))
    assert torch.equal(ours.conv2d(x, w, mx_specs=specs), expected)
    assert torch.equal(ours.simd_add(x, x, specs), rounded(rounded(x) + rounded(x)))
    y = ours.silu(x, mx_specs=specs)
    assert torch.equal(y, rounded(y)) and (y - torch.nn.functional.silu(x)).abs().max() < 0.05


def outputs_and_gradients(layer, *operands):
    """The output, and the gradients of the operands and of the layer's parameters."""
    operands = [x.clone().requires_grad_() for x in operands]
    y = layer(*operands)
    y = y[0] if isinstance(y, tuple) else y
    y.backward(torch.from_numpy(plain(tuple(y.shape), 9)))
    parameters = layer.parameters() if isinstance(layer, torch.nn.Module) else ()
    return [y.detach(), *(x.grad for x in (*operands, *parameters))]


def assert_close(mine, expected, bound=1e-4):
    for a, b in zip(mine, expected, strict=True):
        assert a.shape == b.shape
        assert (a - b).norm() <= bound * (b.norm() + 1)


UNROUNDED = {"GELU": 2e-2}  # another formula than torch's
MORE_LAYERS = [("ConvTranspose2d", (4, 6, 3, 2), (2, 4, 5, 4)), ("Conv2d", (4, 6, 3, 2, 1, 1, 2), (2, 4, 7, 6))]


@pytest.mark.parametrize("name, arguments, shape", LAYERS + MORE_LAYERS)
def test_layers_without_rounding(name, arguments, shape):
    """Options that round nothing: outputs and gradients of the single steps are those of torch's layer."""
    torch.manual_seed(1)
    plain_layer = getattr(torch.nn, name)(*arguments)
    layer = getattr(ours, name)(*arguments, mx_specs=ours.apply_mx_specs({}))
    if name == "RMSNorm":
        layer.bias.requires_grad_(False)
    layer.load_state_dict(plain_layer.state_dict(), strict=name != "RMSNorm")
    if hasattr(layer, "eps"):
        layer.eps = plain_layer.eps = 1e-5
    x = torch.from_numpy(plain(shape))
    mine, expected = outputs_and_gradients(layer, x), outputs_and_gradients(plain_layer, x)
    assert_close([one for one in mine if one is not None], expected, UNROUNDED.get(name, 1e-4))
    if name.startswith("BatchNorm"):
        count = x.numel() // shape[1]  # microxcaling's running variance is that of the batch, torch's an estimate
        variance = 0.9 + (plain_layer.running_var - 0.9) * (count - 1) / count
        assert_close([layer.running_mean, layer.running_var], [plain_layer.running_mean, variance])


@pytest.mark.parametrize("name, plain_function, shapes", [
    ("simd_add", torch.add, ((3, 8), (8,))), ("simd_sub", torch.sub, ((3, 8), (3, 1))),
    ("simd_mul", torch.mul, ((3, 8), (1, 8))), ("simd_div", torch.div, ((3, 8), (2, 3, 8))),
    ("simd_exp", torch.exp, ((3, 8),)), ("simd_square", torch.square, ((3, 8),)),
    ("simd_log", lambda x: torch.log(x), ((3, 8),)), ("simd_sqrt", lambda x: torch.sqrt(x), ((3, 8),)),
    ("simd_norm", torch.linalg.norm, ((3, 8),)), ("simd_reduce_sum", torch.sum, ((3, 8),)),
    ("simd_reduce_mean", torch.mean, ((3, 8),)), ("matmul", torch.matmul, ((2, 3, 8), (2, 8, 5))),
    ("bmm", torch.bmm, ((2, 3, 8), (2, 8, 5))), ("linear", torch.nn.functional.linear, ((3, 8), (5, 8), (5,))),
    ("gelu", lambda x: x * torch.sigmoid(1.702 * x), ((3, 8),))])
def test_functions_without_rounding(name, plain_function, shapes):
    specs = ours.apply_mx_specs({})
    more = {"first_order_gelu": True} if name == "gelu" else {}
    operands = [torch.from_numpy(plain(shape, at)).abs() + 0.5 for at, shape in enumerate(shapes)]
    assert_close(outputs_and_gradients(lambda *x: getattr(ours, name)(*x, mx_specs=specs, **more), *operands),
                 outputs_and_gradients(plain_function, *operands), 1e-2 if name == "gelu" else 1e-4)
    if len(shapes) == 2 and name.startswith("simd"):
        assert_close(outputs_and_gradients(lambda x: getattr(ours, name)(x, 2.5, specs), operands[0]),
                     outputs_and_gradients(lambda x: plain_function(x, 2.5), operands[0]))


def test_split_adds_its_gradients():
    x = torch.from_numpy(plain((3, 8)))
    for specs in (None, ours.apply_mx_specs({"bfloat": 16})):
        def total(x, specs=specs):
            a, b = ours.simd_split(x, specs)
            return a * 2 + b
        assert torch.equal(outputs_and_gradients(total, x)[0], 3 * x)
        expected = outputs_and_gradients(lambda x: 3 * x, x)[1]
        assert_close([outputs_and_gradients(total, x)[1]], [expected], 1e-2)


def test_packed_sequences():
    specs = specs_of(ours, w_elem_format="fp8_e4m3", a_elem_format="fp8_e4m3", bfloat=16)
    torch.manual_seed(1)
    layer = ours.LSTM(8, 8, bidirectional=True, mx_specs=specs)
    x, lengths = torch.from_numpy(plain((5, 3, 8))), [5, 3, 2]
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, lengths)
    padded, _ = torch.nn.utils.rnn.pad_packed_sequence(layer(packed)[0])
    for at, length in enumerate(lengths):  # each sequence has the result that it has alone
        alone, _ = layer(x[:length, at:at + 1])
        assert torch.equal(padded[:length, at:at + 1], alone)


def test_injected_operators():
    """In a process of its own: they stay for its whole life."""
    program = """
import torch
from torch import nn
from mxe.compat.microxcaling import finalize_mx_specs, mx_mapping
x = torch.randn(4, 32)
plain = nn.Linear(32, 8)
specs = finalize_mx_specs({"w_elem_format": "fp4", "a_elem_format": "fp4", "scale_bits": 8, "block_size": 32,
                           "bfloat": 16})
mx_mapping.inject_pyt_ops(specs)
layer = nn.Linear(32, 8)
assert type(layer).__name__ == "Linear_inj" and isinstance(layer, mx_mapping.Linear)
layer.load_state_dict(plain.state_dict())
y = nn.functional.relu(layer(x))
assert not torch.equal(y, torch.clamp(x @ plain.weight.t() + plain.bias, min=0))
assert torch.equal(y, y.bfloat16().float())
assert torch.sum(x, 1, dtype=torch.float64).dtype == torch.float64
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=300)


def test_bfloat16_in_the_arithmetic_of_the_cuda_kernels():
    """They compute in float32, whatever the type; the rest of microxcaling computes in bfloat16."""
    from mxe.compat.microxcaling import elemwise_ops
    x = torch.from_numpy(awkward((20, 64))).bfloat16()
    for options, is_equal in (({"custom_cuda": True}, True), ({}, False)):
        specs = ours.apply_mx_specs({"block_size": 8, "bfloat": 16, **options})
        for call in (lambda x, s=specs: ours.quantize_mx_op(x, s, "fp6_e2m3", axes=[-1]),
                     lambda x, s=specs: ours.quantize_elemwise_op(x, s)):
            found = call(x)
            assert found.dtype == torch.bfloat16
            assert torch.equal(found.nan_to_num(7.0), call(x.float()).bfloat16().nan_to_num(7.0)) == is_equal
    x = x.nan_to_num(7.0)
    small = elemwise_ops._quantize_elemwise(x, "fp6_e2m3", custom_cuda=True)
    assert torch.equal(small, elemwise_ops._quantize_elemwise(x.float(), "fp6_e2m3", custom_cuda=True).bfloat16())
    specs = specs_of(ours, w_elem_format="fp8_e4m3", a_elem_format="fp8_e4m3", bfloat=16, round="even",
                     custom_cuda=True)
    layer = ours.Linear(64, 8, mx_specs=specs).eval()
    x = torch.from_numpy(plain((4, 64)))
    expected = layer(x)
    layer.prequantize_weights()
    assert torch.equal(layer(x), expected)


def test_prequantized_layers():
    specs = specs_of(ours, w_elem_format="fp8_e4m3", a_elem_format="fp8_e4m3", bfloat=16, round="even")
    torch.manual_seed(9)
    layer = ours.Linear(64, 8, mx_specs=specs).eval()
    x = torch.from_numpy(plain((4, 64)))
    expected = layer(x)
    layer.prequantize_weights()
    assert layer.weight.dtype == torch.bfloat16 and torch.allclose(layer(x), expected, atol=0.05)
    with pytest.raises(RuntimeError, match="call eval"):
        layer.train()(x)
    with pytest.raises(ValueError, match="round='even'"):
        ours.Linear(64, 8, mx_specs=specs_of(ours, w_elem_format="int8")).prequantize_weights()


def all_arguments():
    """Functions of autograd by module, with each argument by position, `name` last."""
    x, w, image = torch.ones(2, 32), torch.ones(4, 32), torch.ones(2, 4, 8, 8)
    return [
        ("activations", "SigmoidFunction", lambda s: (x, s, "name")),
        ("activations", "TanhFunction", lambda s: (x, s, "name")),
        ("activations", "LeakyReLUFunction", lambda s: (x, 0.1, False, s, "name")),
        ("activations", "SiLUFunction", lambda s: (x, False, s, "name")),
        ("activations", "GELUFunction", lambda s: (x, s, True, "name")),
        ("adaptive_avg_pooling", "AdaptiveAvgPool2dFunction", lambda s: (image, (2, 2), s, "name")),
        ("batchnorm", "BatchNormFunction",
         lambda s: (image, None, None, torch.ones(4), torch.ones(4), True, 0.1, 1e-5, s)),
        ("convolution", "ConvFunction", lambda s: (image, torch.ones(4, 4, 1, 1), None, 1, 0, 1, 1, s, "name")),
        ("transpose_convolution", "ConvTranspose2dFunction",
         lambda s: (image, torch.ones(4, 4, 1, 1), None, 1, 0, 0, 1, 1, s, "name")),
        ("groupnorm", "GroupNormFunction", lambda s: (image, 2, torch.ones(4), torch.ones(4), 1e-5, s, "name")),
        ("layernorm", "LayerNormFunction", lambda s: (x, torch.ones(32), torch.ones(32), 1e-5, s, "name")),
        ("layernorm", "RMSNormFunction", lambda s: (x, torch.ones(32), torch.ones(32), 1e-5, s, "name")),
        ("linear", "LinearFunction", lambda s: (x, w, None, s, False, "name")),
        ("matmul", "MatMulFunction", lambda s: (x, w.T, None, s, "name", "aa")),
        ("softmax", "SoftmaxFunction", lambda s: (x, -1, s, "name"))]


@pytest.mark.parametrize("module,function,arguments", all_arguments(),
                         ids=lambda one: one if isinstance(one, str) else "")
def test_functions_of_autograd_take_every_argument(module, function, arguments):
    found = getattr(importlib.import_module(f"mxe.compat.microxcaling.{module}"), function)
    specs = specs_of(ours, w_elem_format="fp8_e4m3", a_elem_format="fp8_e4m3")
    first, *others = arguments(specs)
    first = first.clone().requires_grad_()
    found.apply(first, *others).sum().backward()
    assert first.grad.shape == first.shape
    with pytest.raises(ValueError, match="mx_specs are missing"):
        found.apply(*arguments(None))
