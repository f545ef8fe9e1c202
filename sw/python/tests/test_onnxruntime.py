# SPDX-License-Identifier: Apache-2.0
"""The operators for onnxruntime against the reference and against AMD Quark's library."""
import os

import numpy as np
import pytest
from conftest import assert_same, awkward

import mxe

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
from onnx import TensorProto, helper  # noqa: E402
from test_resnet import Network  # noqa: E402

import mxe.onnx  # noqa: E402

QUARK = os.environ.get("MXE_QUARK_OPERATORS")  # Quark's library (tests/python/quark_operators.py)
ELEMENTS = {"fp8_e4m3": "mxfp8_e4m3", "fp8_e5m2": "mxfp8_e5m2", "fp6_e3m2": "mxfp6_e3m2",
            "fp6_e2m3": "mxfp6_e2m3", "fp4_e2m1": "mxfp4_e2m1", "int8": "mxint8"}
PRESETS = ("quark-onnx-std", "quark-onnx-dpu", "quark-onnx-py3")
QUARKS = (("com.amd.quark", "MXQuantizeDequantize"), ("com.vai.quantize", "MXFixNeuron"))


def session(made, library=None):
    options = runtime.SessionOptions()
    options.log_severity_level = 4
    options.register_custom_ops_library(library or mxe.onnx.custom_op_library())
    return runtime.InferenceSession(made.SerializeToString(), options,
                                    providers=["CPUExecutionProvider"])


def node(x, domain="com.mxe", kind="MXQuantizeDequantize", **attributes):
    element = helper.np_dtype_to_tensor_dtype(x.dtype)
    sizes = [f"d{i}" for i in range(x.ndim)]
    graph = helper.make_graph([helper.make_node(kind, ["x"], ["y"], domain=domain, **attributes)],
                              "graph", [helper.make_tensor_value_info("x", element, sizes)],
                              [helper.make_tensor_value_info("y", element, None)])
    return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 21),
                                                                  helper.make_opsetid(domain, 1)])


def run(x, library=None, **options):
    return session(node(x, **options), library).run(None, {"x": x})[0]


@pytest.mark.parametrize("axis, block", [(-1, 32), (1, 16), (0, 32), (2, 7)])
@pytest.mark.parametrize("element", [*ELEMENTS, "fp4_e1m2"])
def test_values_are_those_of_the_reference(element, axis, block):
    x = awkward((5, 70, 45), axis + block)
    for preset in ("ocp", "ocp-rceil", "quark-onnx-py3"):
        expected = mxe.fake_quantize(x, ELEMENTS.get(element, "mxfp4_e1m2"), preset, axis=axis,
                                     block=block)
        assert_same(run(x, element_dtype=element, axis=axis, block_size=block, preset=preset),
                    expected)


@pytest.mark.parametrize("shape, axis", [((7, 300, 70), 1), ((7, 300, 70), -3), ((70000,), 0),
                                         ((3000, 3, 9), -2), ((2, 90000), -1)])
@pytest.mark.parametrize("preset", ["ocp", "quark-onnx-py3"])
def test_large_arrays(shape, axis, preset):
    x = awkward(shape)
    assert_same(run(x, axis=axis, preset=preset),
                mxe.quantize(x, "mxfp8_e4m3", preset, axis=axis).dequantize()
                if preset == "ocp" else mxe.fake_quantize(x, "mxfp8_e4m3", preset, axis=axis))


@pytest.mark.parametrize("domain, kind", QUARKS)
@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize("element", ELEMENTS)
def test_quarks_attributes(element, mode, domain, kind):
    x = awkward((3, 40, 33), mode)
    assert_same(run(x, domain=domain, kind=kind, element_dtype=element, rounding_mode=mode, axis=-2,
                    block_size=32),
                mxe.fake_quantize(x, ELEMENTS[element], PRESETS[mode], axis=-2))


def test_defaults():
    x = awkward((4, 64, 3))
    assert_same(run(x), mxe.fake_quantize(x, "mxfp8_e4m3", "quark-onnx-py3", axis=-1))
    theirs = dict(zip(("domain", "kind"), QUARKS[0]))
    assert_same(run(x, **theirs), mxe.fake_quantize(x, "mxint8", "quark-onnx-std", axis=1))
    row = awkward((70,))
    assert_same(run(row, **theirs), mxe.fake_quantize(row, "mxint8", "quark-onnx-std"))
    single = np.full((1, 1), 1.23456, np.float32)
    assert_same(run(single, **theirs), single)
    assert_same(run(single), mxe.fake_quantize(single, "mxfp8_e4m3", "quark-onnx-py3"))
    empty = np.zeros((2, 0, 5), np.float32)
    assert run(empty).shape == empty.shape


def test_float16():
    with np.errstate(over="ignore"):
        x = awkward((8, 96)).astype(np.float16)
        expected = mxe.fake_quantize(x.astype(np.float32), "mxfp6_e2m3").astype(np.float16)
    found = run(x, element_dtype="fp6_e2m3", preset="ocp")
    np.testing.assert_array_equal(found.view(np.uint16), expected.view(np.uint16))


def test_shape_is_known_before_the_run():
    made = node(np.ones((2, 3, 32), np.float32))
    assert session(made).get_outputs()[0].shape == ["d0", "d1", "d2"]


@pytest.mark.parametrize("text, attributes", [
    ("unknown element_dtype 'fp3'", {"element_dtype": "fp3"}),
    ("unknown preset", {"preset": "nobody"}), ("block_size cannot be 0", {"block_size": 0}),
    ("rounding_mode cannot be 3", {"rounding_mode": 3}), ("axis 2 does not exist", {"axis": 2})])
def test_bad_attributes(text, attributes):
    with pytest.raises(Exception, match=text):
        run(np.ones((2, 32), np.float32), **attributes)


@pytest.mark.skipif(not QUARK, reason="MXE_QUARK_OPERATORS names no library of AMD Quark's")
@pytest.mark.parametrize("shape, axis", [((6, 70, 45), 1), ((6, 70, 45), -1), ((64, 96), 0),
                                         ((77,), 1), ((1, 1), 0)])
@pytest.mark.parametrize("element", ELEMENTS)
def test_values_are_those_of_quarks_library(element, shape, axis):
    x = awkward(shape, len(shape) + axis)
    for domain, kind in QUARKS:
        for mode in (0, 1, 2):
            options = {"domain": domain, "kind": kind, "element_dtype": element, "axis": axis,
                       "block_size": 32, "rounding_mode": mode}
            assert_same(run(x, **options), run(x, QUARK, **options))


@pytest.mark.parametrize("format, preset, domain", [
    ("mxfp8_e4m3", "ocp", "com.mxe"), ("mxfp6_e3m2", "ocp", "com.mxe"),
    ("mxint8", "ocp", "com.amd.quark")])
def test_resnet(format, preset, domain):
    weights = mxe.onnx.quantize_weights(Network(16).build(10), "mxfp8_e4m3", ort=True)
    made = mxe.onnx.quantize_activations(weights, format, preset, domain=domain, convolutions=True)
    onnx.checker.check_model(made)
    nodes = [one for one in made.graph.node if one.domain == domain]
    assert len(nodes) == 54
    x = np.random.default_rng(1).standard_normal((2, 3, 64, 64)).astype(np.float32)
    y, = session(made).run(None, {"x": x})
    names = dict.fromkeys(name for one in nodes for name in (one.input[0], one.output[0]))
    names.pop("x")
    for name in names:
        made.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    again, *values = session(made).run(None, {"x": x})
    np.testing.assert_allclose(again, y, rtol=1e-3, atol=1e-4)
    found = {"x": x, **dict(zip(names, values))}
    chosen = preset if domain == "com.mxe" else "quark-onnx-py3"
    for one in nodes:
        source = found[one.input[0]]
        assert_same(found[one.output[0]],
                    mxe.fake_quantize(source, format, chosen, axis=1))
    if QUARK and domain != "com.mxe":
        assert_same(session(made, QUARK).run(None, {"x": x})[0], again)
