# SPDX-License-Identifier: Apache-2.0
"""Models and options for the comparison of mxe.compat.quark.onnx with AMD Quark, and their quantization.

    python quark_models.py PACKAGE FOLDER [FILE]

PACKAGE is quark.onnx or mxe.compat.quark.onnx. Writes MODEL.CASE.onnx into FOLDER, and their nodes to FILE, a line for
each case. quark_nodes.json is FILE of Quark 0.13.
"""
import importlib
import json
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def constant(name, *shape, seed=1):
    random = np.random.default_rng([seed, len(name), *shape])
    return numpy_helper.from_array(random.standard_normal(shape).astype(np.float32), name)


def whole(name, *values):
    return numpy_helper.from_array(np.array(values, np.int64), name)


def made(nodes, inputs, outputs, constants, opset=17):
    values = [[helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in some.items()]
              for some in (inputs, outputs)]
    graph = helper.make_graph([helper.make_node(op, ins, outs, name=f"{outs[0]}_{op}".lower(), **attributes)
                               for op, ins, outs, attributes in nodes], "graph", *values, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def convolutions():
    nodes = [("Conv", ["x", "w", "b"], ["c"], {"pads": [1] * 4}), ("Relu", ["c"], ["r"], {}),
             ("MaxPool", ["r"], ["p"], {"kernel_shape": [1, 1]}), ("Add", ["p", "r"], ["s"], {}),
             ("Clip", ["s", "low", "high"], ["t"], {}), ("LeakyRelu", ["t"], ["l"], {}),
             ("ConvTranspose", ["l", "d"], ["u"], {}), ("PRelu", ["u", "slope"], ["v"], {}),
             ("InstanceNormalization", ["v", "scale", "shift"], ["i"], {}),
             ("HardSigmoid", ["i"], ["h"], {"alpha": 1 / 6, "beta": 0.5}),
             ("HardSigmoid", ["h"], ["k"], {"alpha": 0.2}),
             ("Pad", ["k", "pads"], ["q"], {}), ("Concat", ["q", "q"], ["o"], {"axis": 1}),
             ("GlobalAveragePool", ["o"], ["g"], {}), ("Flatten", ["g"], ["f"], {}),
             ("Gemm", ["f", "m", "n"], ["y"], {"transB": 1, "beta": 0.5}), ("Sigmoid", ["y"], ["z"], {})]
    scalars = [numpy_helper.from_array(np.float32(value), name) for name, value in (("low", -1), ("high", 4))]
    return made(nodes, {"x": [1, 3, 8, 8]}, {"y": [1, 10], "z": [1, 10]},
                [constant("w", 40, 3, 3, 3), constant("b", 40), constant("d", 40, 4, 1, 1), constant("slope", 4, 1, 1),
                 constant("scale", 4), constant("shift", 4), whole("pads", 0, 0, 1, 1, 0, 0, 1, 1),
                 constant("m", 10, 8), constant("n", 10), *scalars])


def attention():
    nodes = [("MatMul", ["x", "wq"], ["q"], {}), ("MatMul", ["x", "wk"], ["k"], {}), ("MatMul", ["x", "wv"], ["v"], {}),
             ("Add", ["q", "bq"], ["qb"], {}), ("Reshape", ["qb", "heads"], ["q4"], {}),
             ("Reshape", ["k", "heads"], ["k4"], {}), ("Transpose", ["q4"], ["qt"], {"perm": [0, 2, 1, 3]}),
             ("Transpose", ["k4"], ["kt"], {"perm": [0, 2, 3, 1]}), ("MatMul", ["qt", "kt"], ["s"], {}),
             ("Mul", ["s", "factor"], ["sm"], {}), ("Softmax", ["sm"], ["p"], {"axis": -1}),
             ("Reshape", ["v", "heads"], ["v4"], {}), ("Transpose", ["v4"], ["vt"], {"perm": [0, 2, 1, 3]}),
             ("MatMul", ["p", "vt"], ["a"], {}), ("Transpose", ["a"], ["at"], {"perm": [0, 2, 1, 3]}),
             ("Reshape", ["at", "flat"], ["af"], {}), ("MatMul", ["af", "wo"], ["o"], {}),
             ("Add", ["o", "x"], ["e"], {}),
             ("LayerNormalization", ["e", "g", "h"], ["n"], {}), ("Erf", ["n"], ["f"], {}), ("Sqrt", ["f"], ["sq"], {}),
             ("Softmax", ["o"], ["so"], {"axis": 1}), ("Gather", ["table", "ids"], ["em"], {}),
             ("Unsqueeze", ["em", "zero"], ["eu"], {}), ("Where", ["mask", "n", "eu"], ["wh"], {}),
             ("Squeeze", ["n", "zero"], ["y"], {}), ("Gemm", ["y", "y2"], ["z"], {"transA": 1})]
    weights = [constant(f"w{one}", 64, 64) for one in "qkvo"]
    mask = numpy_helper.from_array(np.ones((1, 5, 64), bool), "mask")
    return made(nodes, {"x": [1, 5, 64]}, {"y": [5, 64], "z": [64, 3], "sq": [1, 5, 64], "so": [1, 5, 64],
                                           "wh": [1, 5, 64]},
                [*weights, constant("bq", 64), whole("heads", 1, 5, 2, 32), whole("flat", 1, 5, 64), constant("factor"),
                 constant("g", 64), constant("h", 64), constant("table", 9, 64), whole("ids", 1, 2, 3, 4, 5),
                 whole("zero", 0), mask, constant("y2", 5, 3)])


MODELS = {"convolutions": convolutions, "attention": attention}

#: Options of QuantizationConfig, and the members of its extra_options, by case.
CASES = {
    "int8": ({}, {"MXAttributes": {"element_dtype": "int8", "axis": 1, "block_size": 8, "rounding_mode": 2}}),
    "no attributes": ({}, {}),
    "fp4": ({}, {"MXAttributes": {"element_dtype": "fp4_e2m1", "axis": -1, "rounding_mode": 1}}),
    "forced": ({}, {"ForceQuantizeNoInputCheck": True}),
    "no outputs": ({}, {"OpTypesToExcludeOutputQuantization": ["Conv", "MatMul", "Reshape", "LayerNormalization"],
                        "NodesToExcludeOutputQuantization": ["r_relu", "sm_mul"]}),
    "no bias": ({}, {"QuantizeBias": False}),
    "weights": ({}, {"WeightsOnly": True}),
    "axes": ({}, {"RefineBlockAxis": False}),
    "types": ({"op_types_to_quantize": ["Conv", "MatMul", "Softmax"], "extra_op_types_to_quantize": ["Transpose"]}, {}),
    "all types": ({}, {"QuantizeAllOpTypes": True}),
    "nodes": ({"nodes_to_quantize": ["c_conv", "s_add", "q_matmul", "p_softmax"]}, {}),
    "excluded": ({"nodes_to_exclude": ["c_conv", "^.*_add"]}, {}),
}
#: Names of specifications of QConfig.
SPECS = ("MXInt8Spec", "MXFP4E2M1Spec", "MXFP6E2M3Spec", "MXFP6E3M2Spec", "MXFP8E4M3Spec", "MXFP8E5M2Spec")


class Reader:
    """One input for calibration, which Quark requires, also for MX formats."""

    def __init__(self, model):
        self.left = [{one.name: np.ones([size.dim_value for size in one.type.tensor_type.shape.dim], np.float32)
                      for one in model.graph.input}]

    def get_next(self):
        return self.left.pop() if self.left else None


def quantizer(package, case):
    if case in SPECS:
        spec = getattr(package, case)
        return package.ModelQuantizer(package.QConfig(
            global_config=package.QLayerConfig(input_tensors=spec(), weight=spec()), SkipPreprocess=True))
    fields, extra = CASES[case]
    formats = importlib.import_module(f"{package.__name__}.quantization.quant_utils")
    config = importlib.import_module(f"{package.__name__}.quantization.config")
    kind = formats.ExtendedQuantType.QMX
    return package.ModelQuantizer(config.Config(global_quant_config=config.QuantizationConfig(
        quant_format=formats.ExtendedQuantFormat.QDQ, activation_type=kind, weight_type=kind, include_cle=False,
        optimize_model=False, extra_options={**extra, "SkipPreprocess": True}, **fields)))


def described(model):
    """{name: [domain, type, inputs, outputs, attributes]} of the nodes that quantize, and the readers of others."""
    return {node.name: [node.domain, node.op_type, list(node.input), list(node.output),
                        {one.name: value.decode() if isinstance(value := helper.get_attribute_value(one), bytes) else
                         value for one in node.attribute} if node.domain else {}] for node in model.graph.node}


def condensed(model):
    """[the attributes that all nodes share, {name: [inputs, outputs, axis]}]; the axis is None without a domain."""
    nodes = described(model)
    shared, short = {}, {}
    for name, (domain, op, inputs, outputs, attributes) in nodes.items():
        axis = attributes.pop("axis", None)
        shared.update({**attributes, "domain": domain, "type": op} if domain else {})
        short[name] = [inputs, outputs, axis]
    return [shared, short]


def changes(nodes, common):
    """Entries that differ from those of another case; None for those that are missing."""
    return {name: nodes.get(name) for name in sorted({*nodes, *common}) if nodes.get(name) != common.get(name)}


def main():
    package, folder = importlib.import_module(sys.argv[1]), pathlib.Path(sys.argv[2])
    lines = []
    for name, model in MODELS.items():
        for case in (*CASES, *SPECS):
            onnx.save(model(), folder / "in.onnx")
            output = folder / f"{name}.{case}.onnx"
            quantizer(package, case).quantize_model(str(folder / "in.onnx"), str(output), Reader(model()))
            shared, nodes = condensed(onnx.load(output))
            if case == next(iter(CASES)):
                common = nodes
                lines.append(f'"{name}": {json.dumps(common, sort_keys=True)}')
            lines.append(f'"{name}.{case}": {json.dumps([shared, changes(nodes, common)], sort_keys=True)}')
    if len(sys.argv) > 3:
        pathlib.Path(sys.argv[3]).write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
