# SPDX-License-Identifier: Apache-2.0
"""mxe.compat.microxcaling against the original package, forward and backward, and against mxe."""
import argparse
import importlib
import os
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
                       (lambda: ours.quantize_mx_op(x, specs, "int8", axes=[0, 1]), "one axis"),
                       (lambda: ours.quantize_mx_op(x, specs, "int8", axes=[0], round="dither"),
                        "unknown rounding 'dither'"),
                       (lambda: ours.quantize_elemwise_op(x, {**specs, "bfloat": 8}),
                        "more than 9"),
                       (lambda: ours.quantize_elemwise_op(x, {**specs, "bfloat": 16, "fp": 16}),
                        "only one"),
                       (lambda: ours.matmul(x, x.t(), mx_specs=specs, mode_config="ww"),
                        "unknown mode")):
        with pytest.raises(ValueError, match=text):
            call()
