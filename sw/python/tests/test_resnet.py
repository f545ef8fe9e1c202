# SPDX-License-Identifier: Apache-2.0
"""A network with the shapes of ResNet-50 as ONNX: its products, and its weights quantized."""
import numpy as np
import pytest
from conftest import assert_same

import mxe

onnx = pytest.importorskip("onnx", reason="onnx is not installed")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

import mxe.onnx  # noqa: E402

STAGES = (3, 4, 6, 3)


class Network:
    def __init__(self, width):
        self.width, self.nodes, self.weights = width, [], []
        self.random = np.random.default_rng(0)

    def weight(self, *shape):
        values = self.random.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))
        self.weights.append(numpy_helper.from_array(values.astype(np.float32),
                                                    f"w{len(self.weights)}"))
        return self.weights[-1].name

    def node(self, kind, *inputs, **attributes):
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def convolve(self, x, inputs, outputs, kernel, stride=1, relu=True):
        pads = [kernel // 2] * 4
        x = self.node("Conv", x, self.weight(outputs, inputs, kernel, kernel),
                      strides=[stride] * 2, pads=pads)
        return self.node("Relu", x) if relu else x

    def bottleneck(self, x, inputs, inner, stride):
        y = self.convolve(x, inputs, inner, 1)
        y = self.convolve(y, inner, inner, 3, stride)
        y = self.convolve(y, inner, 4 * inner, 1, relu=False)
        if stride != 1 or inputs != 4 * inner:
            x = self.convolve(x, inputs, 4 * inner, 1, stride, relu=False)
        return self.node("Relu", self.node("Add", x, y))

    def build(self, classes):
        x = self.convolve("x", 3, self.width, 7, 2)
        x = self.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
        inputs = self.width
        for stage, blocks in enumerate(STAGES):
            inner = self.width << stage
            for block in range(blocks):
                x = self.bottleneck(x, inputs, inner, 2 if stage and not block else 1)
                inputs = 4 * inner
        x = self.node("Flatten", self.node("GlobalAveragePool", x))
        self.nodes.append(helper.make_node("Gemm", [x, self.weight(classes, inputs)], ["y"],
                                           transB=1))
        graph = helper.make_graph(
            self.nodes, "resnet",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 3, "size", "size"])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", classes])],
            self.weights)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def test_products():
    """53 convolutions and one matrix: 4.09 G multiplications for an image of 224 x 224."""
    found = mxe.onnx.shapes(Network(64).build(1000), batch=1, size=224)
    assert len(found) == 54
    macs = sum(one.m * one.n * one.k * one.products for one in found.values())
    assert macs == 4_089_184_256
    estimated = mxe.estimate(found, "mxfp8_e4m3", "mxfp4_e2m1")
    peak = 256  # of base: 8 PEs, blocks of 32
    assert macs / peak < estimated.cycles < 1.5 * macs / peak


@pytest.mark.parametrize("format", ["mxfp8_e4m3", "mxint8"])
def test_weights_in_onnxruntime(format):
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    model = Network(16).build(10)
    made = mxe.onnx.quantize_weights(model, format, ort=True)
    assert [node.op_type for node in made.graph.node].count("DequantizeLinear") == 54
    expected = {}
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor)
        rows = mxe.fake_quantize(values.reshape(len(values), -1), format)
        expected[tensor.name] = rows
        tensor.CopyFrom(numpy_helper.from_array(rows.reshape(values.shape), tensor.name))
    matrices = [node.output[0] for node in made.graph.node if node.op_type == "DequantizeLinear"]
    for name in matrices:
        made.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    x = np.random.default_rng(1).standard_normal((2, 3, 64, 64)).astype(np.float32)
    (y, *weights), (expected_y,) = (
        runtime.InferenceSession(one.SerializeToString(),
                                 providers=["CPUExecutionProvider"]).run(None, {"x": x})
        for one in (made, model))
    for name, values in zip(matrices, weights):
        exact = expected[name.split(".")[0]]
        # mxint8 has no negative zero.
        assert_same(values, exact + np.float32(0) if format == "mxint8" else exact)
    np.testing.assert_allclose(y, expected_y, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("format", ["mxfp8_e5m2", "mxfp4_e2m1"])
def test_standard_weights(format):
    made = mxe.onnx.quantize_weights(Network(8).build(10), format)
    assert [node.op_type for node in made.graph.node].count("DequantizeLinear") == 54
