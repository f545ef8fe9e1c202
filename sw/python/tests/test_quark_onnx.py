# SPDX-License-Identifier: Apache-2.0
"""mxe.compat.quark.onnx: the nodes of AMD Quark 0.13 for two models, their values, options and errors."""
import dataclasses
import inspect
import json
import os
import pathlib

import numpy as np
import pytest
from conftest import assert_same

import mxe

onnx = pytest.importorskip("onnx", reason="onnx is not installed")

import quark_models  # noqa: E402
from onnx import helper, numpy_helper  # noqa: E402

import mxe.compat.quark.onnx as ours  # noqa: E402
import mxe.onnx  # noqa: E402
from mxe.compat.quark.onnx import Config, ModelQuantizer, QConfig, QLayerConfig, QuantizationConfig  # noqa: E402
from mxe.compat.quark.onnx.quantization.config import (  # noqa: E402
    DefaultConfigMapping,
    get_default_config,
    get_default_config_mapping,
)

RECORDED = pathlib.Path(__file__).with_name("quark_nodes.json")
EVERY = [(name, case) for name in quark_models.MODELS for case in (*quark_models.CASES, *quark_models.SPECS)]


def inputs_of(model, seed=3):
    random = np.random.default_rng(seed)
    return {one.name: random.standard_normal([size.dim_value for size in one.type.tensor_type.shape.dim]).astype(
        np.float32) for one in model.graph.input}


def quantized(name, case="int8"):
    return quark_models.quantizer(ours, case).quantize_model(quark_models.MODELS[name]())


@pytest.mark.parametrize("name, case", EVERY)
def test_nodes_are_those_of_quark(name, case):
    """quark_nodes.json was made by Quark 0.13."""
    recorded = json.loads(RECORDED.read_text())
    shared, changed = recorded[f"{name}.{case}"]
    expected = {key: value for key, value in {**recorded[name], **changed}.items() if value is not None}
    assert quark_models.condensed(quantized(name, case)) == [shared, expected]


@pytest.mark.parametrize("name, case", EVERY)
def test_quark_itself(name, case, tmp_path):
    """The same nodes, and in onnxruntime the same bits."""
    theirs = pytest.importorskip("quark.onnx", reason="AMD Quark is not installed: recorded nodes are compared only")
    onnx.save(quark_models.MODELS[name](), tmp_path / "in.onnx")
    made = []
    for package in (theirs, ours):
        path = tmp_path / f"{package.__name__}.onnx"
        reader = quark_models.Reader(quark_models.MODELS[name]())
        one = quark_models.quantizer(package, case)
        assert one.quantize_model(str(tmp_path / "in.onnx"), str(path), reader) is None
        made.append(onnx.load(path))
    assert quark_models.described(made[0]) == quark_models.described(made[1])
    libraries = [mxe.onnx.custom_op_library(), os.environ.get("MXE_QUARK_OPERATORS")]
    results = [outputs for library in libraries if library for outputs in [run(one, library) for one in made]]
    for result in results[1:]:
        for one, other in zip(results[0], result):
            assert_same(one, other)


def run(model, library):
    onnxruntime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed: models are not run")
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(library)
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    return session.run(None, inputs_of(model))


@pytest.mark.parametrize("domain", ["com.amd.quark", "com.vai.quantize", "com.mxe"])
@pytest.mark.parametrize("case", ["int8", "fp4", "no attributes"])
def test_values_in_onnxruntime(case, domain):
    """Every node's result is mxe.fake_quantize of its operand, with the node's attributes."""
    config = quark_models.quantizer(ours, case).config
    model = ModelQuantizer(Config(config), domain=domain).quantize_model(quark_models.convolutions())
    nodes = [node for node in model.graph.node if node.domain]
    assert {node.domain for node in nodes} == {domain} and len(nodes) == len(
        [node for node in quantized("convolutions", case).graph.node if node.domain])
    del model.graph.output[:]
    for node in nodes:
        model.graph.output.extend(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None)
                                  for name in (node.input[0], node.output[0]))
    constants = {one.name: numpy_helper.to_array(one) for one in model.graph.initializer}
    shown = without(model, constants)
    seen = dict(zip([one.name for one in shown.graph.output], run(shown, ours.get_library_path())))
    seen |= inputs_of(model)
    for node in nodes:
        found = {one.name: helper.get_attribute_value(one) for one in node.attribute}
        x = constants.get(node.input[0], seen.get(node.input[0]))
        format = {"int8": "mxint8", "fp4_e2m1": "mxfp4_e2m1"}[found["element_dtype"].decode()]
        preset = f"quark-onnx-{('std', 'dpu', 'py3')[found['rounding_mode']]}"
        assert_same(seen[node.output[0]], mxe.fake_quantize(x, format, preset, axis=min(found["axis"], x.ndim - 1),
                                                            block=found["block_size"]))


def without(model, constants):
    """The model without outputs that are constants or inputs."""
    names = {*constants, *(one.name for one in model.graph.input)}
    kept = {one.name: one for one in model.graph.output if one.name not in names}
    del model.graph.output[:]
    model.graph.output.extend(kept.values())
    return model


def test_files_and_readers(tmp_path):
    source, target = tmp_path / "in.onnx", tmp_path / "out.onnx"
    model = quark_models.attention()
    onnx.save(model, source)
    before = source.read_bytes()
    one = quark_models.quantizer(ours, "int8")
    assert one.quantize_model(str(source), str(target), quark_models.Reader(model)) is None
    assert source.read_bytes() == before and model.SerializeToString() == quark_models.attention().SerializeToString()
    returned = one.quantize_model(source)
    assert quark_models.described(onnx.load(target)) == quark_models.described(returned)
    imports = {entry.domain: entry.version for entry in returned.opset_import}
    assert imports == {"": 17, "com.amd.quark": 1} and returned.ir_version == 10
    with pytest.raises(FileNotFoundError, match="Input model file .*none.onnx does not exist"):
        one.quantize_model(str(tmp_path / "none.onnx"))


def test_default_configurations():
    assert get_default_config_mapping() is DefaultConfigMapping and list(DefaultConfigMapping) == [
        "MXFP8E5M2", "MXFP8E4M3", "MXFP6E3M2", "MXFP6E2M3", "MXFP4E2M1", "MXINT8"]
    elements = ("fp8_e5m2", "fp8_e4m3", "fp6_e3m2", "fp6_e2m3", "fp4_e2m1", "int8")
    for name, element in zip(DefaultConfigMapping, elements):
        config = get_default_config(name)
        assert config.extra_options["MXAttributes"] == {"element_dtype": element, "axis": 1, "block_size": 32,
                                                        "rounding_mode": 2}
        config.extra_options["MXAttributes"]["axis"] = 7
        assert get_default_config(name).extra_options["MXAttributes"]["axis"] == 1
        assert QConfig.get_default_config(name).global_quant_config == get_default_config(name)
        config = get_default_config(name)
        config.include_cle = False
        config.extra_options["SkipPreprocess"] = True
        made = ModelQuantizer(Config(config)).quantize_model(quark_models.attention())
        spec = quark_models.SPECS[("int8", "fp4_e2m1", "fp6_e2m3", "fp6_e3m2", "fp8_e4m3", "fp8_e5m2").index(element)]
        assert quark_models.described(made) == quark_models.described(quantized("attention", spec))
    for quant_format in (ours.VitisQuantFormat.MXFixNeuron, ours.VitisQuantFormat.QDQ):
        config = QuantizationConfig(quant_format=quant_format, weight_type=ours.VitisQuantType.QMX,
                                    include_cle=False, extra_options={"SkipPreprocess": True})
        made = ModelQuantizer(Config(config)).quantize_model(quark_models.attention())
        assert quark_models.described(made) == quark_models.described(quantized("attention", "no attributes"))
    assert str(ours.ExtendedQuantType.QMX) == "QMX" and ours.get_library_path("cpu") == mxe.onnx.custom_op_library()


def test_warnings():
    """Quark rewrites graphs before it quantizes them."""
    model = quark_models.attention()
    model.graph.node.extend([helper.make_node("Split", ["x"], ["s1", "s2"], axis=2, num_outputs=2)])
    with pytest.warns(UserWarning, match="Quark rewrites Gather, Split, Unsqueeze before it quantizes"):
        ModelQuantizer(Config(get_default_config("MXINT8"))).quantize_model(
            onnx.version_converter.convert_version(model, 18))
    nodes = [("Conv", ["x", "w"], ["c"], {}), ("Relu", ["c"], ["r"], {}), ("Conv", ["r", "v"], ["y"], {})]
    pair = quark_models.made(nodes, {"x": [1, 3, 8, 8]}, {"y": [1, 4, 8, 8]},
                             [quark_models.constant("w", 4, 3, 1, 1), quark_models.constant("v", 4, 4, 1, 1)])
    with pytest.warns(UserWarning, match="include_cle has no effect: the weights of y_conv, which Quark equalizes"):
        ModelQuantizer(Config(get_default_config("MXINT8"))).quantize_model(pair)


def test_constants_and_infinite_masks():
    """Constant nodes become initializers, and nodes that read a single Inf stay as they are."""
    nodes = [("Add", ["x", "c"], ["a"], {}), ("Add", ["a", "m"], ["y"], {})]
    model = quark_models.made(nodes, {"x": [2, 32]}, {"y": [2, 32]},
                              [numpy_helper.from_array(np.float32(-np.inf), "m")])
    model.graph.node.insert(0, helper.make_node("Constant", [], ["c"], value=quark_models.constant("c", 32)))
    made = ModelQuantizer(QConfig(QLayerConfig(ours.MXInt8Spec(), weight=ours.MXInt8Spec()))).quantize_model(model)
    found = quark_models.described(made)
    assert set(found) == {"x_DequantizeLinear", "c_DequantizeLinear", "a_add", "a_DequantizeLinear", "y_add"}
    assert [one.name for one in made.graph.initializer] == ["m", "c"]


def spec(**changes):
    return ours.MXInt8Spec(**changes)


def legacy(extra=None, **fields):
    extra = {"SkipPreprocess": True, **(extra or {})}
    return Config(QuantizationConfig(include_cle=False, extra_options=extra, **fields))


@pytest.mark.parametrize("config, text", [
    (legacy({"MXAttributes": {"element_dtype": "fp3"}}), "element_dtype cannot be 'fp3' .allowed: int8, fp4_e2m1"),
    (legacy({"MXAttributes": {"rounding_mode": 3}}), "rounding_mode cannot be 3 .allowed: 0, 1, 2"),
    (legacy({"MXAttributes": {"block_size": 0}}), "block_size cannot be 0 .allowed: whole numbers from 1 on"),
    (legacy({"MXAttributes": {"axis": 0.5}}), "axis cannot be 0.5 .allowed: whole numbers.$"),
    (legacy({"MXAttributes": {"block": 32}}), "MXAttributes has block .allowed: element_dtype, axis, block_size"),
    (legacy({"BFPAttributes": {"axis": 1}}), "extra_options has BFPAttributes, which is not supported"),
    (legacy(quant_format="QDQ"), "quant_format QDQ is not supported .allowed: ExtendedQuantFormat.QDQ"),
    (legacy(weight_type=ours.ExtendedQuantType.QInt8), "weight_type QInt8 is not supported .allowed"),
    (legacy(activation_type=ours.ExtendedQuantType.QBFP), "activation_type QBFP is not supported"),
    (legacy(per_channel=True), "per_channel=True is not supported"),
    (legacy(include_fast_ft=True), "include_fast_ft=True is not supported"),
    (legacy(subgraphs_to_exclude=[(["a"], ["b"])]), "subgraphs_to_exclude=.* is not supported"),
    (legacy(nodes_to_exclude=["^none.*"]), "no node has a name that matches .none"),
    (legacy(nodes_to_exclude=[(["a"], ["b"])]), "cannot be excluded .allowed: names of nodes, and patterns"),
    (QConfig(QLayerConfig(weight=spec())), "You must specify `input_tensors` and `weight`"),
    (QConfig(QLayerConfig(spec(), weight=ours.MXFP4E2M1Spec())), "all tensors must have the same MX format"),
    (QConfig(QLayerConfig(spec(), weight=spec(), bias=ours.QTensorConfig())), "all tensors must have the same MX"),
    (QConfig(QLayerConfig(spec(), weight=spec(quant_granularity=ours.QuantGranularity.Channel))), "granularity"),
    (QConfig(QLayerConfig(spec(), weight=spec()), algo_config=["CLE"]), "algo_config is not supported"),
    (QConfig(QLayerConfig(spec(), weight=spec()), {"a": ["b"]}), "specific_layer_config is not supported"),
])
def test_errors(config, text):
    with pytest.raises(ValueError, match=text):
        ModelQuantizer(config).quantize_model(quark_models.convolutions())


def test_errors_of_calls():
    with pytest.raises(ValueError, match="quantization config must be one of Config and QConfig"):
        ModelQuantizer(QuantizationConfig())
    with pytest.raises(ValueError, match="unknown domain 'ai.onnx' .allowed: com.mxe, com.amd.quark, com.vai.quantize"):
        ModelQuantizer(legacy(), domain="ai.onnx")
    with pytest.raises(ValueError, match="algorithms are not supported"):
        ModelQuantizer(legacy()).quantize_model(quark_models.attention(), algorithms=["CLE"])
    with pytest.raises(ValueError, match="Unexpected config name: XINT8 .allowed: MXFP8E5M2"):
        get_default_config("XINT8")
    with pytest.raises(ValueError, match="there is no library for the device ROCM"):
        ours.get_library_path("ROCM")


def test_signatures():
    theirs = pytest.importorskip("quark.onnx", reason="AMD Quark is not installed: signatures are not compared")
    from quark.onnx.quantization import config as their_config

    def names(callable):
        return [one.name for one in inspect.signature(callable).parameters.values()
                if one.kind is not inspect.Parameter.KEYWORD_ONLY]

    for ours_, theirs_ in ((ModelQuantizer, theirs.ModelQuantizer), (QConfig, theirs.QConfig),
                           (ModelQuantizer.quantize_model, theirs.ModelQuantizer.quantize_model),
                           (QLayerConfig, theirs.QLayerConfig), (Config, their_config.Config),
                           (get_default_config, their_config.get_default_config)):
        assert names(ours_) == names(theirs_)
    mine = dataclasses.fields(QuantizationConfig)
    assert [one.name for one in mine] == [one.name for one in dataclasses.fields(their_config.QuantizationConfig)]
    for name in DefaultConfigMapping:
        its = their_config.get_default_config(name)
        assert get_default_config(name).extra_options == its.extra_options
        changed = {one.name for one in mine if str(getattr(get_default_config(name), one.name)) !=
                   str(getattr(its, one.name))}
        assert changed <= {"calibrate_method"}
    for name in quark_models.SPECS:
        assert names(getattr(theirs, name))[:4] == names(getattr(ours, name))
