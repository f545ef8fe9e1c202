# SPDX-License-Identifier: Apache-2.0
"""Chooses the tensors that Quark quantizes, and inserts its nodes."""
from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any, Optional

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from mxe.onnx._activations import _OPERATORS
from mxe.onnx._graph import attribute, check

_FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16)

#: Types whose inputs and outputs are all quantized.
_WHOLE = ("Add", "ArgMax", "AveragePool", "Concat", "DepthToSpace", "Div", "EmbedLayerNormalization", "Erf", "Gelu",
          "GlobalAveragePool", "LeakyRelu", "LpNormalization", "Max", "Min", "Mul", "Pad", "ReduceMean", "Sigmoid",
          "Slice", "Softmax", "SpaceToDepth", "Sub", "Tanh")

#: Types that Quark replaces by others, or folds into their neighbours, before it quantizes.
_REWRITTEN = ("BatchNormalization", "Dropout", "Identity", "ReduceMean", "Split")


@dataclasses.dataclass
class Options:
    attributes: dict[str, Any]  #: of the nodes
    without: set[str] = dataclasses.field(default_factory=set)  #: names of nodes that stay as they are
    op_types: Optional[list[str]] = None  #: default: all that Quark has a rule for
    more_op_types: Optional[list[str]] = None
    nodes: Optional[list[str]] = None  #: names; default: all
    op_types_without_output: Optional[list[str]] = None
    nodes_without_output: Optional[list[str]] = None
    all_op_types: bool = False
    bias: bool = True
    weights_only: bool = False
    refine: bool = True  #: blocks of products and Softmax run along the axis that is summed
    force: bool = False  #: moves quantize their inputs, too


class _Chooser:
    """Tensors to quantize, in the order in which Quark finds them."""

    def __init__(self, model: onnx.ModelProto, options: Options) -> None:
        self.graph, self.options = model.graph, options
        self.opset = next((one.version for one in model.opset_import if one.domain in ("", "ai.onnx")), 1)
        self.constants = {one.name: one for one in model.graph.initializer}
        inferred = onnx.shape_inference.infer_shapes(model).graph
        self.types = {one.name: one.type.tensor_type.elem_type for one in (*inferred.value_info, *inferred.output,
                                                                           *inferred.input)}
        names = set(options.nodes_without_output or ())
        self.without = {output for node in model.graph.node if node.name in names for output in node.output}
        self.chosen: dict[str, None] = {}

    def tensors(self) -> list[str]:
        options = self.options
        types = set(options.op_types or (*_WHOLE, *_RULES)) | set(options.more_op_types or ())
        for node in self.graph.node:
            if options.nodes and node.name not in options.nodes:
                continue
            if (node.op_type in types or options.all_op_types) and node.name not in options.without:
                _RULES.get(node.op_type, _Chooser._whole)(self, node)
        return list(self.chosen)

    def _add(self, *names: str) -> None:
        for name in names:
            constant = self.constants.get(name)
            kind = self.types.get(name) if constant is None else constant.data_type
            is_left = constant is None and (self.options.weights_only or name in self.without)
            if kind in _FLOATS and not is_left:
                self.chosen[name] = None

    def _outputs(self, node: onnx.NodeProto, *names: str) -> None:
        if node.op_type not in (self.options.op_types_without_output or ()):
            self._add(*names)

    def _bias(self, name: str) -> None:
        if self.options.bias and name in self.constants:
            self._add(name)

    def _whole(self, node: onnx.NodeProto) -> None:
        self._add(*node.input)
        self._outputs(node, *node.output)

    def _conv(self, node: onnx.NodeProto) -> None:
        self._add(*node.input[:2])
        self._outputs(node, node.output[0])
        for name in node.input[2:]:
            self._bias(name)

    def _gemm(self, node: onnx.NodeProto) -> None:
        self._conv(node)
        if len(node.input) == 3 and node.input[2] in self.constants:
            for one in node.attribute:
                if one.name == "beta":  # Quark drops it
                    one.f = 1.0

    def _activation(self, node: onnx.NodeProto) -> None:
        if node.input[0] in self.chosen:
            self._outputs(node, node.output[0])

    def _move(self, node: onnx.NodeProto) -> None:
        if self.opset < {"MaxPool": 12, "Resize": 11}.get(node.op_type, 1):
            return
        if self.options.force:
            self._add(node.input[0])
        if self.options.force or node.input[0] in self.chosen:
            self._outputs(node, node.output[0])

    def _split(self, node: onnx.NodeProto) -> None:
        self._add(node.input[0])
        self._outputs(node, *node.output)

    def _gather(self, node: onnx.NodeProto) -> None:
        if node.input[0] in self.constants or self.options.force:
            self._add(node.input[0])
        if node.input[0] in self.chosen or self.options.force:
            self._add(node.output[0])

    def _where(self, node: onnx.NodeProto) -> None:
        if self.options.force:
            self._add(*node.input[1:3])
        if self.options.force or all(name in self.chosen for name in node.input[1:3]):
            self._outputs(node, *node.output)

    def _norm(self, node: onnx.NodeProto) -> None:
        self._add(*node.input[:2])
        for name in node.input[2:]:
            self._bias(name)
        self._outputs(node, *node.output)

    def _layer_norm(self, node: onnx.NodeProto) -> None:
        has_output = node.op_type not in (self.options.op_types_without_output or ())
        if self.options.force:
            self._add(node.input[0])
        if self.options.force or (node.input[0] in self.chosen and has_output):
            self._outputs(node, node.output[0])
            self._add(*(name for name in node.input[1:3] if name))

    def _hard_sigmoid(self, node: onnx.NodeProto) -> None:
        if abs(attribute(node, "alpha", 0.2) - 1 / 6) < 1e-6 and abs(attribute(node, "beta", 0.5) - 0.5) < 1e-6:
            self._add(node.input[0], node.output[0])

    def _prelu(self, node: onnx.NodeProto) -> None:
        self._add(*node.input[:2])
        self._outputs(node, node.output[0])


_RULES: dict[str, Callable[[_Chooser, onnx.NodeProto], None]] = {
    "Clip": _Chooser._activation, "Conv": _Chooser._conv, "ConvTranspose": _Chooser._conv, "Gather": _Chooser._gather,
    "Gemm": _Chooser._gemm, "HardSigmoid": _Chooser._hard_sigmoid, "InstanceNormalization": _Chooser._norm,
    "LayerNormalization": _Chooser._layer_norm, "MatMul": _Chooser._whole, "MaxPool": _Chooser._move,
    "PRelu": _Chooser._prelu, "Relu": _Chooser._activation, "Reshape": _Chooser._move, "Resize": _Chooser._move,
    "Split": _Chooser._split, "Squeeze": _Chooser._move, "Transpose": _Chooser._move, "Unsqueeze": _Chooser._move,
    "Where": _Chooser._where}


def quantized(model: onnx.ModelProto, options: Options, domain: str) -> onnx.ModelProto:
    """Inserts a node behind each chosen tensor, into the model itself."""
    graph = model.graph
    _constants_to_initializers(graph)
    _sort(graph)
    infinite = {one.name for one in graph.initializer if _is_infinite(one)}
    options.without |= {node.name for node in graph.node if infinite & set(node.input)}
    chooser = _Chooser(model, options)
    for name in chooser.tensors():
        _insert(graph, chooser, name, domain)
    _sort(graph)
    if options.refine:
        _refine(graph, chooser.constants)
    if domain not in [one.domain for one in model.opset_import]:
        model.opset_import.append(helper.make_opsetid(domain, 1))
    del graph.value_info[:]
    check(model)
    return model


def _constants_to_initializers(graph: onnx.GraphProto) -> None:
    for node in [one for one in graph.node if one.op_type == "Constant" and attribute(one, "value") is not None]:
        tensor = attribute(node, "value")
        graph.initializer.add().CopyFrom(tensor)
        graph.initializer[-1].name = node.output[0]
        graph.node.remove(node)


def _is_infinite(tensor: onnx.TensorProto) -> bool:
    """True for a single Inf, as of masks."""
    return not tensor.dims and tensor.data_type in _FLOATS and bool(np.isinf(numpy_helper.to_array(tensor)))


def _sort(graph: onnx.GraphProto) -> None:
    """Sorts the nodes by their inputs, in the order of onnxruntime's quantizers, on which the axes depend."""
    nodes = list(graph.node)
    waits = [sum(1 for name in node.input if name) for node in nodes]
    readers: dict[str, list[int]] = {}
    for index, node in enumerate(nodes):
        for name in node.input:
            if name:
                readers.setdefault(name, []).append(index)
    order = [index for index, count in enumerate(waits) if count == 0]

    def arrive(name: str) -> None:
        for index in readers.get(name, ()):
            waits[index] -= 1
            if waits[index] == 0:
                order.append(index)

    for name in sorted({one.name for one in (*graph.initializer, *graph.input)}):
        arrive(name)
    for index in order:  # grows
        for name in nodes[index].output:
            arrive(name)
    if len(order) != len(nodes):
        return  # nodes read tensors of a graph around this one
    made = [onnx.NodeProto() for _ in nodes]
    for one, index in zip(made, order):
        one.CopyFrom(nodes[index])
    del graph.node[:]
    graph.node.extend(made)


def _insert(graph: onnx.GraphProto, chooser: _Chooser, name: str, domain: str) -> None:
    source, result = name, f"{name}_DequantizeLinear_Output"
    if name in {one.name for one in graph.output}:
        source, result = f"{name}_QuantizeLinear_Input", name
        for node in graph.node:
            node.output[:] = [source if one == name else one for one in node.output]
    else:
        for node in graph.node:
            node.input[:] = [result if one == name else one for one in node.input]
    attributes = dict(chooser.options.attributes)
    constant = chooser.constants.get(name)
    if constant is not None and len(constant.dims) <= 1:
        attributes["axis"] = 0
    if domain == "com.mxe":
        attributes["preset"] = ""  # Quark's rounding
    graph.node.append(helper.make_node(_OPERATORS[domain], [source], [result], name=f"{name}_DequantizeLinear",
                                       domain=domain, **attributes))


def _refine(graph: onnx.GraphProto, constants: dict[str, onnx.TensorProto]) -> None:
    makers = {output: node for node in graph.node if node.op_type in _OPERATORS.values() for output in node.output}
    readers = {node.input[0]: node for node in makers.values()}

    def set_axis(node: Optional[onnx.NodeProto], axis: int) -> None:
        for one in node.attribute if node is not None else ():
            if one.name == "axis":
                one.i = axis

    for node in graph.node:
        if node.op_type not in ("Gemm", "MatMul", "Softmax"):
            continue
        a, b, *_ = [makers.get(name) for name in (*node.input, "")]
        if node.op_type == "MatMul":
            axes = [_from_end(constants, one, back) for one, back in ((a, 1), (b, 2))]
            set_axis(a, axes[0])
            if a is not None:
                set_axis(readers.get(node.output[0]), axes[0])
            set_axis(b, axes[1])
        elif node.op_type == "Gemm":
            set_axis(a, 0 if attribute(node, "transA", 0) else 1)
            set_axis(b, 1 if attribute(node, "transB", 0) else 0)
        else:
            set_axis(a, attribute(node, "axis", -1))


def _from_end(constants: dict[str, onnx.TensorProto], node: Optional[onnx.NodeProto], back: int) -> int:
    """The axis counted from 0 for constants, else from the end."""
    tensor = None if node is None else constants.get(node.input[0])
    return len(tensor.dims) - back if tensor is not None and tensor.dims else -back


def rewritten(model: onnx.ModelProto) -> list[str]:
    """Types of nodes that Quark rewrites first, or computes because all their inputs are constants."""
    constants = {one.name for one in model.graph.initializer}
    constants.update(node.output[0] for node in model.graph.node if node.op_type == "Constant")
    kinds = set()
    for node in model.graph.node:
        if node.input and all(name in constants for name in node.input):
            constants.update(node.output)
            kinds.add(node.op_type)
        elif node.op_type in _REWRITTEN:
            kinds.add(node.op_type)
    return sorted(kinds)


def _behind(maker: Optional[onnx.NodeProto], makers: dict[str, onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """The node and those that it reads through operators with one operand, up to a Conv."""
    while maker is not None:
        yield maker
        if maker.op_type == "Conv":
            return
        maker = makers.get(maker.input[0]) if len(maker.input) else None


def equalized(model: onnx.ModelProto) -> list[str]:
    """Names of convolutions that follow another one, whose weights Quark's include_cle changes."""
    makers = {output: node for node in model.graph.node for output in node.output}
    return [node.name or node.output[0] for node in model.graph.node if node.op_type == "Conv" and any(
        one.op_type == "Conv" for one in _behind(makers.get(node.input[0]), makers))]
