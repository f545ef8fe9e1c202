# SPDX-License-Identifier: Apache-2.0
"""ONNX: shapes of models, quantized weights and activations, checked with ONNX's programs."""
import numpy as np
import pytest
from conftest import assert_same, plain

import mxe

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

import mxe.onnx  # noqa: E402

WEIGHTS = {"conv": plain((8, 4, 3, 3)), "dense": plain((70, 45), 2), "last": plain((7, 45), 3)}


def model(opset=17):
    initializers = [numpy_helper.from_array(values, name) for name, values in WEIGHTS.items()]
    initializers.append(numpy_helper.from_array(np.array([-1, 70], np.int64), "rows"))
    nodes = [helper.make_node("Conv", ["x", "conv"], ["c"], name="convolve", group=2,
                              pads=[1, 1, 1, 1]),
             helper.make_node("Flatten", ["c"], ["f"]),
             helper.make_node("Reshape", ["f", "rows"], ["r"]),
             helper.make_node("MatMul", ["r", "dense"], ["d"], name="hidden"),
             helper.make_node("Gemm", ["d", "last"], ["g"], name="output", transB=1),
             helper.make_node("Transpose", ["g"], ["t"], perm=[1, 0]),
             helper.make_node("MatMul", ["t", "g"], ["y"])]
    graph = helper.make_graph(
        nodes, "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT,
                                                       ["batch", 8, 5, 7])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [7, 7])], initializers)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    onnx.checker.check_model(made)
    return made


def with_weights(change):
    made = model()
    for tensor in made.graph.initializer:
        if tensor.name in WEIGHTS:
            tensor.CopyFrom(numpy_helper.from_array(change(tensor.name, WEIGHTS[tensor.name]),
                                                    tensor.name))
    return made


def fake(name, values, format, preset="ocp"):
    if name == "conv":
        return mxe.fake_quantize(values.reshape(8, -1), format, preset).reshape(values.shape)
    return mxe.fake_quantize(values, format, preset, axis=0 if name == "dense" else 1)


def evaluate(made, x, **options):
    return ReferenceEvaluator(made, **options).run(None, {"x": x})[0]


def weights_in(made):
    made = mxe.onnx._graph.load(made)
    del made.graph.output[:]
    names = {}
    for node in made.graph.node:
        if node.op_type == "DequantizeLinear":
            made.graph.output.append(helper.make_tensor_value_info(node.output[0],
                                                                   TensorProto.FLOAT, None))
            names[node.output[0]] = node.output[0].split(".")[0]
    values = ReferenceEvaluator(made).run(None, {"x": plain((5, 8, 5, 7))})
    return dict(zip(names.values(), values))


@pytest.mark.parametrize("format, preset", [("mxfp8_e4m3", "ocp"), ("mxfp8_e5m2", "ocp"),
                                            ("mxfp4_e2m1", "ocp"),
                                            ("mxfp4_e2m1", "torchao-rceil")])
def test_weights(format, preset):
    made = mxe.onnx.quantize_weights(model(), format, preset)
    types = {tensor.data_type for tensor in made.graph.initializer}
    assert TensorProto.FLOAT8E8M0 in types and TensorProto.FLOAT not in types
    assert [one.version for one in made.opset_import if not one.domain] == [24]
    found = weights_in(made)
    assert set(found) == set(WEIGHTS)
    for name, values in found.items():
        expected = fake(name, WEIGHTS[name], format, preset)
        assert_same(np.asarray(values, np.float32).reshape(expected.shape), expected)
    x = plain((5, 8, 5, 7), 9)
    assert_same(evaluate(made, x),
                evaluate(with_weights(lambda *at: fake(*at, format, preset)), x))


@pytest.mark.parametrize("format", ["mxfp8_e4m3", "mxfp8_e5m2", "mxint8"])
def test_weights_in_onnxruntime(format):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

    def run(made):
        options = runtime.SessionOptions()
        options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = runtime.InferenceSession(made.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
        return session.run(None, {"x": plain((5, 8, 5, 7), 9)})[0]

    made = mxe.onnx.quantize_weights(model(), format, ort=True)
    assert [one.version for one in made.opset_import if not one.domain] == [21]
    assert_same(run(made), run(with_weights(lambda *at: fake(*at, format))))


def test_the_model_stays_as_it_is(tmp_path):
    original = model()
    text = original.SerializeToString()
    onnx.save(original, tmp_path / "model.onnx")
    made = mxe.onnx.quantize_weights(tmp_path / "model.onnx", "mxfp4_e2m1",
                                     select=lambda name: name == "hidden")
    assert original.SerializeToString() == text
    assert {tensor.name for tensor in made.graph.initializer} == {
        "conv", "last", "rows", "dense.hidden.codes", "dense.hidden.scales"}


def test_weights_of_constant_nodes_and_old_inputs():
    made = model(opset=13)
    made.ir_version = 3  # lists initializers among the inputs
    for tensor in made.graph.initializer:
        if tensor.name != "conv":
            made.graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type,
                                                                  tensor.dims))
    conv = next(tensor for tensor in made.graph.initializer if tensor.name == "conv")
    made.graph.node.insert(0, helper.make_node("Constant", [], ["conv"], value=conv))
    made.graph.initializer.remove(conv)
    new = mxe.onnx.quantize_weights(made, "mxfp8_e4m3")
    assert [one.name for one in new.graph.input] == ["x", "rows"]
    assert "Constant" not in {node.op_type for node in new.graph.node}
    assert set(weights_in(new)) == set(WEIGHTS)


HALF = {"float32": TensorProto.FLOAT, "float16": TensorProto.FLOAT16,
        "bfloat16": TensorProto.BFLOAT16, "float64": TensorProto.DOUBLE}
ROWS = plain((70, 45), 2)  # of a product with K = 70


def as_type(values, name):
    if name == "bfloat16":
        return values.astype(pytest.importorskip("ml_dtypes").bfloat16)
    return values.astype(name)


def moved(stored, nodes, type_, product="MatMul", opset=17, **attributes):
    """x times a weight that nodes compute from the constant w."""
    nodes = [helper.make_node(kind, inputs.split(), outputs.split(), **others)
             for kind, inputs, outputs, others in nodes]
    weight = nodes[-1].output[0] if nodes else "w"
    nodes.append(helper.make_node(product, ["x", weight], ["y"], name="dense", **attributes))
    initializers = [numpy_helper.from_array(stored, "w"),
                    numpy_helper.from_array(np.array([70, 45], np.int64), "sizes"),
                    numpy_helper.from_array(np.array([0], np.int64), "first")]
    used = {name for node in nodes for name in node.input}
    graph = helper.make_graph(
        nodes, "graph", [helper.make_tensor_value_info("x", HALF[type_], [5, 70])],
        [helper.make_tensor_value_info("y", HALF[type_], [5, 45])],
        [one for one in initializers if one.name in used])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


# Stored constant, nodes that compute the weight from it, attributes of the product.
MOVES = {
    "as it is": (lambda w: w, [], {}),
    "Transpose": (lambda w: w.T, [("Transpose", "w", "t", {"perm": [1, 0]})], {}),
    "Transpose without perm": (lambda w: w.T, [("Transpose", "w", "t", {})], {}),
    "Identity": (lambda w: w, [("Identity", "w", "i", {})], {}),
    "Identity, Transpose, Identity": (
        lambda w: w.T, [("Identity", "w", "i", {}), ("Transpose", "i", "t", {}),
                        ("Identity", "t", "i2", {})], {}),
    "Gemm": (lambda w: w.T, [("Identity", "w", "i", {})], {"product": "Gemm", "transB": 1}),
    "Gemm with Transpose": (lambda w: w, [("Transpose", "w", "t", {})],
                            {"product": "Gemm", "transB": 1}),
    "Reshape": (lambda w: w.reshape(7, 450), [("Reshape", "w sizes", "r", {})], {}),
    "Squeeze, Flatten": (lambda w: w[None], [("Squeeze", "w first", "s", {}),
                                             ("Flatten", "s", "f", {})], {}),
}


def expected_of(type_, format, preset="ocp"):
    """The weight that the product reads: quantized, then in its type again."""
    return as_type(np.asarray(mxe.fake_quantize(as_type(ROWS, type_), format, preset, axis=0),
                              np.float32), type_)


@pytest.mark.parametrize("type_", HALF)
@pytest.mark.parametrize("move", MOVES)
def test_weights_of_other_types_and_layouts(move, type_):
    stored, nodes, attributes = MOVES[move]
    made = moved(np.ascontiguousarray(stored(as_type(ROWS, type_))), nodes, type_, **attributes)
    for format, ort in (("mxfp4_e2m1", False), ("mxfp8_e4m3", False), ("mxfp8_e5m2", True),
                        ("mxint8", True)):
        new = mxe.onnx.quantize_weights(made, format, ort=ort)
        assert [node.op_type for node in new.graph.node] == [
            "DequantizeLinear", *([] if type_ == "float32" else ["Cast"]),
            attributes.get("product", "MatMul")]
        assert len(new.graph.initializer) == 2  # codes and scales
        del new.graph.output[:]
        read = new.graph.node[-1].input[1]
        new.graph.output.append(helper.make_tensor_value_info(read, HALF[type_], None))
        found = evaluate(new, as_type(np.zeros((5, 70), np.float32), type_))
        found = found.T if attributes.get("transB") else found
        expected = expected_of(type_, format)
        assert found.dtype == expected.dtype
        assert_same(np.asarray(found, np.float64), np.asarray(expected, np.float64))


@pytest.mark.parametrize("stored", ["float16", "bfloat16", "float64"])
def test_weights_that_are_cast(stored):
    for nodes, layout in (([("Cast", "w", "c", {"to": TensorProto.FLOAT})], lambda w: w),
                          ([("Transpose", "w", "t", {}),
                            ("Cast", "t", "c", {"to": TensorProto.FLOAT})], lambda w: w.T)):
        made = moved(np.ascontiguousarray(layout(as_type(ROWS, stored))), nodes, "float32")
        new = mxe.onnx.quantize_weights(made, "mxfp4_e2m1")
        assert [node.op_type for node in new.graph.node] == ["DequantizeLinear", "MatMul"]
        values = as_type(ROWS, stored).astype(np.float32)
        assert_same(weights_read(new), mxe.fake_quantize(values, "mxfp4_e2m1", axis=0))


def weights_read(made):
    read = made.graph.node[-1].input[1]
    del made.graph.output[:]
    made.graph.output.append(helper.make_tensor_value_info(read, TensorProto.FLOAT, None))
    return np.asarray(evaluate(made, np.zeros((5, 70), np.float32)))


@pytest.mark.parametrize("move", ["as it is", "Transpose", "Identity, Transpose, Identity",
                                  "Reshape"])
@pytest.mark.parametrize("type_", ["float32", "float16"])
def test_moved_weights_in_onnxruntime(move, type_):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")

    def run(made):
        options = runtime.SessionOptions()
        options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = runtime.InferenceSession(made.SerializeToString(), options,
                                           providers=["CPUExecutionProvider"])
        return session.run(None, {"x": plain((5, 70), 9).astype(type_)})[0]

    stored, nodes, attributes = MOVES[move]
    made = moved(np.ascontiguousarray(stored(as_type(ROWS, type_))), nodes, type_, **attributes)
    for format in ("mxfp8_e4m3", "mxint8"):
        same = moved(np.ascontiguousarray(expected_of(type_, format)), [], type_)
        assert_same(run(mxe.onnx.quantize_weights(made, format, ort=True)), run(same))


def test_moved_weights_that_others_read():
    """Another node reads the weight, too, so the constant stays for that node."""
    nodes = [("Transpose", "w", "t", {}), ("Relu", "t", "r", {}), ("Identity", "t", "i", {})]
    made = moved(np.ascontiguousarray(ROWS.T), nodes, "float32")
    made.graph.output.append(helper.make_tensor_value_info("r", TensorProto.FLOAT, [70, 45]))
    new = mxe.onnx.quantize_weights(made, "mxfp8_e4m3")
    assert [node.op_type for node in new.graph.node] == ["Transpose", "Relu", "DequantizeLinear",
                                                         "MatMul"]
    y, r = ReferenceEvaluator(new).run(None, {"x": plain((5, 70), 9)})
    assert_same(r, np.maximum(ROWS, 0))
    np.testing.assert_allclose(y, plain((5, 70), 9) @ mxe.fake_quantize(ROWS, "mxfp8_e4m3", axis=0),
                               rtol=1e-5, atol=1e-5)


def test_weights_that_are_computed():
    """The weight depends on an input, so it is no constant."""
    made = moved(plain((1, 70)), [("Add", "w x", "a", {}), ("Transpose", "a", "t", {})], "float32")
    with pytest.raises(ValueError, match="no constant weights"):
        mxe.onnx.quantize_weights(made, "mxfp8_e4m3")


def test_weights_of_the_graph_around():
    """The branches of If read weights of the graph around them, one behind a Transpose there."""
    branch = helper.make_graph(
        [helper.make_node("Identity", ["t"], ["i"]), helper.make_node("MatMul", ["x", "i"], ["y"])],
        "then", [], [helper.make_tensor_value_info("y", TensorProto.FLOAT, [5, 45])])
    other = helper.make_graph(
        [helper.make_node("MatMul", ["x", "v"], ["y2"])], "else", [],
        [helper.make_tensor_value_info("y2", TensorProto.FLOAT, [5, 45])])
    graph = helper.make_graph(
        [helper.make_node("Transpose", ["w"], ["t"]),
         helper.make_node("If", ["take"], ["z"], then_branch=branch, else_branch=other)], "graph",
        [helper.make_tensor_value_info("take", TensorProto.BOOL, []),
         helper.make_tensor_value_info("x", TensorProto.FLOAT, [5, 70])],
        [helper.make_tensor_value_info("z", TensorProto.FLOAT, [5, 45])],
        [numpy_helper.from_array(np.ascontiguousarray(ROWS.T), "w"),
         numpy_helper.from_array(ROWS + 1, "v")])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    new = mxe.onnx.quantize_weights(made, "mxfp4_e2m1")
    assert [node.op_type for node in new.graph.node] == ["If"]
    assert not new.graph.initializer
    x = plain((5, 70), 9)
    for take, weight in ((True, ROWS), (False, ROWS + 1)):
        found = ReferenceEvaluator(new).run(None, {"take": np.array(take), "x": x})[0]
        np.testing.assert_allclose(found, x @ mxe.fake_quantize(weight, "mxfp4_e2m1", axis=0),
                                   rtol=1e-5, atol=1e-5)


def test_shapes():
    found = mxe.onnx.shapes(model(), batch=5)
    assert list(found) == ["convolve", "hidden", "output", "y"]
    assert found["convolve"] == (5 * 35, 4, 36, 2)
    assert found["hidden"] == (20, 45, 70, 1)
    assert found["output"] == (20, 7, 45, 1)
    assert found["y"] == (7, 7, 20, 1)
    assert mxe.onnx.shapes(model(), inputs={"x": (10, 8, 5, 7)})["hidden"].m == 40
    estimated = mxe.estimate(found, "mxfp8_e4m3", "mxfp4_e2m1", config="small")
    assert [job.name for job in estimated] == list(found)
    assert estimated[0].shape == "2*175x4x36" and estimated.cycles > 0


@pytest.mark.parametrize("a, b, expected", [
    ([2, 3, 5, 70], [2, 3, 70, 7], (5, 7, 70, 6)), ([4, 5, 70], [70, 7], (20, 7, 70, 1)),
    ([5, 70], [4, 70, 7], (5, 7, 70, 4)), ([70], [70, 7], (1, 7, 70, 1)),
    ([3, 1, 5, 70], [1, 2, 70, 7], (5, 7, 70, 6))])
def test_shapes_of_matmul(a, b, expected):
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
              for name, shape in (("a", a), ("b", b))]
    graph = helper.make_graph([helper.make_node("MatMul", ["a", "b"], ["y"])], "graph", inputs,
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
    assert mxe.onnx.shapes(helper.make_model(graph)) == {"y": expected}


def test_shapes_of_quantized_models():
    expected = mxe.onnx.shapes(model(), batch=5)
    for made in (mxe.onnx.quantize_weights(model(), "mxfp4_e2m1"),
                 mxe.onnx.quantize_weights(model(), "mxfp8_e4m3", ort=True),
                 mxe.onnx.quantize_activations(model(), "mxint8"),
                 mxe.onnx.quantize_activations(model(), "mxint8", domain="com.amd.quark"),
                 mxe.onnx.quantize_activations(model(), "mxint8", domain="com.vai.quantize")):
        assert list(mxe.onnx.shapes(made, batch=5).values()) == list(expected.values())


def test_nodes_of_one_name():
    made = model()
    nodes = [helper.make_node("MatMul", ["r", "dense"], [f"d{i}"], name="hidden") for i in range(3)]
    made.graph.node.extend(nodes)
    for result in (mxe.onnx.quantize_weights(made, "mxfp4_e2m1"),
                   mxe.onnx.quantize_weights(made, "mxint8", ort=True),
                   mxe.onnx.quantize_activations(made, "mxint8", convolutions=True)):
        quantized = [node.input for node in result.graph.node if node.name == "hidden"]
        assert len(quantized) == 4
        assert len({name for pair in quantized for name in pair} - {"r", "dense"}) == 4
    # A name that the package would use already exists.
    taken = model()
    taken.graph.initializer.append(numpy_helper.from_array(plain((3,)), "dense.hidden.codes"))
    taken.graph.node.append(helper.make_node("Relu", ["dense.hidden.codes"], ["r.hidden.quantized"]))
    mxe.onnx.quantize_activations(mxe.onnx.quantize_weights(taken, "mxfp4_e2m1"), "mxint8")


def test_models_beyond_the_size_of_protobuf(monkeypatch):
    expected = [mxe.onnx.quantize_weights(model(opset), "mxfp4_e2m1") for opset in (17, 24)]
    both = mxe.onnx.quantize_activations(expected[0], "mxint8")
    monkeypatch.setattr(mxe.onnx._graph, "LARGE", 0)
    monkeypatch.setattr(mxe.onnx._workload, "MOST_VALUES", 40)
    made = [mxe.onnx.quantize_weights(model(opset), "mxfp4_e2m1") for opset in (17, 24)]
    x = plain((5, 8, 5, 7), 9)
    for one, other in zip(made, expected):
        assert_same(evaluate(one, x), evaluate(other, x))
        assert [value.name for value in one.graph.input] == ["x"]
    assert mxe.onnx.quantize_activations(expected[0], "mxint8") == both
    with pytest.raises(onnx.checker.ValidationError):
        mxe.onnx._graph.check(helper.make_model(helper.make_graph(
            [helper.make_node("MatMul", ["a"], ["b"])], "g", [], [])))


def lstm():
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
              for name, shape in (("x", [5, 2, 8]), ("w", [1, 16, 8]), ("r", [1, 16, 4]))]
    node = helper.make_node("LSTM", ["x", "w", "r"], ["y"], hidden_size=4)
    return helper.make_model(helper.make_graph([node], "graph", values, [
        helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]))


@pytest.mark.parametrize("format, preset", [("mxfp8_e4m3", "ocp"), ("mxfp6_e2m3", "ocp"),
                                            ("mxint8", "quark-onnx-std")])
def test_activations(format, preset):
    made = mxe.onnx.quantize_activations(model(), format, preset)
    assert [node.op_type for node in made.graph.node].count("MXQuantizeDequantize") == 3
    x = plain((5, 8, 5, 7), 9)
    c = evaluate_to(model(), "r", x)
    d = mxe.fake_quantize(c, format, preset) @ WEIGHTS["dense"]
    g = mxe.fake_quantize(d, format, preset) @ WEIGHTS["last"].T
    y = mxe.fake_quantize(np.ascontiguousarray(g.T), format, preset) @ g
    np.testing.assert_allclose(evaluate(made, x, new_ops=[mxe.onnx.MXQuantizeDequantize]), y,
                               rtol=1e-5)


def evaluate_to(made, name, x):
    del made.graph.output[:]
    made.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    return evaluate(made, x)


def test_activations_as_quark_has_them():
    made = mxe.onnx.quantize_activations(model(), "mxfp6_e3m2", domain="com.amd.quark",
                                         select=lambda name: name == "hidden")
    node, = [node for node in made.graph.node if node.domain]
    attributes = {one.name: helper.get_attribute_value(one) for one in node.attribute}
    assert (node.domain, node.op_type) == ("com.amd.quark", "MXQuantizeDequantize")
    assert attributes == {"element_dtype": b"fp6_e3m2", "axis": -1, "block_size": 32,
                          "rounding_mode": 2}
    old = mxe.onnx.quantize_activations(model(), "mxint8", domain="com.vai.quantize",
                                        rounding_mode=1)
    assert {node.op_type for node in old.graph.node if node.domain} == {"MXFixNeuron"}


@pytest.mark.parametrize("text, call", [
    ("cannot express weights in mxfp6_e2m3", lambda: mxe.onnx.quantize_weights(model(), "mxfp6_e2m3")),
    ("cannot express weights in mxint8", lambda: mxe.onnx.quantize_weights(model(), "mxint8")),
    ("CPU has no mxfp4_e2m1",
     lambda: mxe.onnx.quantize_weights(model(), "mxfp4_e2m1", ort=True)),
    ("scales in E8M0", lambda: mxe.onnx.quantize_weights(model(), "mxfp4_e2m1", "quark-onnx")),
    ("no constant weights", lambda: mxe.onnx.quantize_weights(
        model(), "mxfp4_e2m1", select=lambda name: False)),
    ("unknown format", lambda: mxe.onnx.quantize_weights(model(), "fp3")),
    ("no input 'z'", lambda: mxe.onnx.shapes(model(), inputs={"z": (1, 2)})),
    ("dimension 'rows'", lambda: mxe.onnx.shapes(model(), rows=3)),
    (r"shape of 'x' is unknown: \[\?, 8, 5, 7\]", lambda: mxe.onnx.shapes(model())),
    ("operator LSTM is not supported", lambda: mxe.onnx.shapes(lstm())),
    ("the operator has no mxfp4_e1m2",
     lambda: mxe.onnx.quantize_activations(model(), "mxfp4_e1m2", domain="com.amd.quark")),
    ("unknown domain", lambda: mxe.onnx.quantize_activations(model(), "mxint8", domain="x")),
    ("rounding_mode cannot", lambda: mxe.onnx.quantize_activations(model(), "mxint8",
                                                                   rounding_mode=3)),
    ("has no presets", lambda: mxe.onnx.quantize_activations(model(), "mxint8", "torchao-floor",
                                                             domain="com.amd.quark")),
    ("no MatMul or Gemm", lambda: mxe.onnx.quantize_activations(model(), "mxint8",
                                                                select=lambda name: False))])
def test_bad_input(text, call):
    with pytest.raises(ValueError, match=text) as caught:
        call()
    assert "\n" not in str(caught.value)
