# SPDX-License-Identifier: Apache-2.0
"""The matrix products of an ONNX model, found with the shape inference of the package onnx.

Uses only onnx and numpy: `mxe explore` contains the text of this file and runs it as
`python3 -c TEXT FILE OPTIONS`. OPTIONS (all optional) and the two kinds of answers are JSON:

    {"batch": 2, "sequence": 128, "context": 2048, "dimensions": {"height": 20}}
    {"layers": [[name, m, n, k, count], ...], "items": 256, "item_name": "tokens"}
    {"error": "node 'y' (LSTM): ..."}
"""
from __future__ import annotations

import sys

if __name__ == "__main__":
    sys.path[:] = [folder for folder in sys.path if folder]  # do not import from the current folder

import ast
import contextlib
import json
import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Optional

try:
    import numpy as np
    import onnx
    import onnx.inliner
    import onnx.reference
    from onnx import helper, numpy_helper
    if tuple(int(part) for part in onnx.__version__.split(".")[:2]) < (1, 18):
        raise ImportError(f"onnx is {onnx.__version__}")
except ImportError as missing:
    if __name__ != "__main__":
        raise
    print(json.dumps({"error": f"ONNX models need the Python package onnx, 1.18 or later ({missing}): "
                               f"{sys.executable} -m pip install onnx, or set MXE_PYTHON to a Python "
                               "that has it"}))
    sys.exit()

Shape = tuple[int, ...]

MOST = 1 << 31  #: largest size or count
MOST_VALUES = 1 << 10  #: largest constant whose values are followed: shapes are short
MOST_NODES = 1_000_000  #: limit of a model with its functions inlined
NEWEST_OPSET = 28  #: newer opsets may have operators that multiply matrices and are not listed here

UNSUPPORTED = {"": {"Attention", "CausalConvWithState", "ConvInteger", "DFT", "DeformConv", "Einsum",
                    "GRU", "LSTM", "LinearAttention", "MatMulInteger", "QLinearConv", "QLinearMatMul",
                    "RNN", "STFT"},
               "ai.onnx.ml": {"LinearClassifier", "LinearRegressor", "SVMClassifier",
                              "SVMRegressor"},
               "ai.onnx.preview": {"FlexAttention"}}
PRODUCTS = ("Conv", "ConvTranspose", "Gemm", "MatMul")

# Operators without shape inference in onnx whose results have the shape of the first input.
SAME_SHAPE = {"": {"GroupNormalization", "MeanVarianceNormalization"},
              "com.mxe": {"MXQuantizeDequantize"},
              "com.amd.quark": {"MXQuantizeDequantize", "BFPQuantizeDequantize",
                                "ExtendedQuantizeLinear", "ExtendedDequantizeLinear"},
              "com.vai.quantize": {"MXFixNeuron", "BFPFixNeuron", "FixNeuron", "VitisQuantizeLinear",
                                   "VitisDequantizeLinear"},
              "com.microsoft": {"QuantizeLinear", "DequantizeLinear"}}

# Operators on shapes, evaluated if all inputs are constant.
FOLDED = {"Abs", "Add", "And", "Cast", "CastLike", "Ceil", "Clip", "Concat", "ConstantOfShape", "Div",
          "Equal", "Expand", "Flatten", "Floor", "Gather", "Greater",
          "GreaterOrEqual", "Identity", "Less", "LessOrEqual", "Max", "Min", "Mod", "Mul", "Neg",
          "Not", "Or", "Pow", "Range", "Reciprocal", "ReduceMax", "ReduceMin", "ReduceProd",
          "ReduceSum", "Reshape", "Round", "ScatterND", "Sign", "Slice", "Split",
          "Sqrt", "Squeeze", "Sub", "Sum", "Tile", "Transpose", "Unsqueeze", "Where", "Xor"}


class ModelError(ValueError):
    """A problem with a model or the sizes for it: one line."""

    def __init__(self, problem: object) -> None:
        super().__init__(" ".join(str(problem).split())[:1000] or type(problem).__name__)


class Product(NamedTuple):
    """[m, k] @ [k, n], `products` times."""

    m: int
    n: int
    k: int
    products: int = 1


class Sizes(NamedTuple):

    batch: Optional[int] = None
    sequence: Optional[int] = None  #: tokens
    context: Optional[int] = None  #: tokens that the last token attends to, including itself
    dimensions: Mapping[str, int] = {}


# Exporters' names for dimensions, in lower case; encoder_sequence_length does not match.
BATCH = {"batch", "batch_size", "batchsize", "bs", "n", "b"}
SEQUENCE = {"sequence", "sequence_length", "sequence_len", "seq", "seq_length", "seq_len", "seqlen",
            "tokens", "num_tokens"}
PAST = {"past", "past_length", "past_len", "past_sequence_length", "past_sequence_len",
        "past_seq_length", "past_seq_len", "past_key_values_length"}
CONTEXT = {"context", "context_length", "context_len", "total", "total_length", "total_len",
           "total_sequence_length", "total_sequence_len", "total_seq_length", "total_seq_len"}

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "floor": math.floor, "ceil": math.ceil, "ceiling": math.ceil, "min": min, "max": max}
_OPERATORS: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a // b if a % b == 0 else a / b, ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b}


class _Open(Exception):
    """A name has no size. The text is the option that sets it."""


class _NoExpression(Exception):
    """A name is not a supported expression."""


class Dimensions:
    """Sizes for open dimensions, whose names are expressions: `batch`, `floor(height / 2)`."""

    def __init__(self, sizes: Sizes, default_batch: Optional[int] = None) -> None:
        self.sizes = sizes
        self.batch = default_batch if sizes.batch is None else sizes.batch
        self.names: set[str] = set()  #: of open dimensions, and names in their expressions
        self.used: set[str] = set()  #: options that had an effect

    def resolve(self, value: onnx.ValueInfoProto, open_is_error: bool = True) -> None:
        for axis, dimension in enumerate(value.type.tensor_type.shape.dim):
            if dimension.dim_value > 0:
                continue
            name = dimension.dim_param or f"{value.name}:{axis}"
            try:
                size = self._size(name)
            except _Open as hint:
                if not open_is_error:
                    continue
                raise ModelError(f"dimension '{name}' of the input '{value.name}' has no size: set {hint}"
                                 ) from None
            if not isinstance(size, int) or not 0 <= size <= MOST:
                raise ModelError(f"dimension '{name}' of the input '{value.name}' would be {size}; "
                                 f"allowed: whole numbers from 0 to {MOST}")
            dimension.dim_value = size

    def _size(self, name: str) -> Any:
        try:
            return self._named(name)
        except _Open:
            if re.fullmatch(r"[^\W\d]\w*(:\d+)?", name):
                raise
        try:
            if len(name) > 200:
                raise _NoExpression
            return self._value(ast.parse(name.strip(), mode="eval").body)
        except _Open as part:
            raise _Open(f"{part}, or --dim '{name}=N' for all of it") from None
        except (SyntaxError, _NoExpression, RecursionError, MemoryError):
            raise _Open(f"--dim '{name}=N'") from None
        except (ArithmeticError, ValueError, TypeError) as error:
            raise ModelError(f"dimension '{name}' cannot be computed: {error}") from None

    def _value(self, tree: ast.AST) -> Any:
        if isinstance(tree, ast.Constant) and isinstance(tree.value, (int, float)):
            return tree.value
        if isinstance(tree, ast.Name):
            return self._named(tree.id)
        if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
            return -self._value(tree.operand)
        if isinstance(tree, ast.BinOp) and type(tree.op) in _OPERATORS:
            value = _OPERATORS[type(tree.op)](self._value(tree.left), self._value(tree.right))
            return int(value) if isinstance(value, float) and value.is_integer() else value
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and not tree.keywords:
            function = _FUNCTIONS.get(tree.func.id.lower())
            if function is not None:
                return function(*[self._value(argument) for argument in tree.args])
        raise _NoExpression

    def _named(self, name: str) -> int:
        self.names.add(name)
        sizes = self.sizes
        if name in sizes.dimensions:
            return sizes.dimensions[name]

        def use(option: str, size: int) -> int:
            self.used.add(option)
            return size

        key = name.lower()
        if key in BATCH and self.batch is not None:
            return use("--batch", self.batch)
        if key in SEQUENCE:
            if sizes.sequence is not None:
                return use("--sequence", sizes.sequence)
            if sizes.context is not None:
                return 1
            raise _Open(f"--sequence N or --dim {name}=N")
        if key in CONTEXT:
            if sizes.context is not None:
                return use("--context", sizes.context)
            raise _Open(f"--context N or --dim {name}=N")
        if key in PAST:
            tokens = 1 if sizes.sequence is None else sizes.sequence
            if sizes.context is not None and sizes.context >= tokens:
                if sizes.sequence is not None:
                    self.used.add("--sequence")
                return use("--context", sizes.context - tokens)
            raise _Open(f"--context N, at least --sequence, or --dim {name}=N")
        raise _Open(f"--dim {name}=N")

    def require_all_used(self) -> None:
        options = {f"--{name}" for name in ("batch", "sequence", "context")
                   if getattr(self.sizes, name) is not None} - self.used
        options |= {f"--dim {name}={size}" for name, size in self.sizes.dimensions.items()
                    if name not in self.names}
        if options:
            raise ModelError(f"no dimension needs {min(options)} (dimensions without a size: "
                             f"{', '.join(sorted(self.names)) or 'none'})")


def _volume(sizes: Iterable[Optional[int]], most: int) -> Optional[int]:
    """The product; None if a size is unknown or negative, or if the product exceeds `most`."""
    product = 1
    for size in sizes:
        if size is None or size < 0:
            return None
        product *= size
        if product > most:
            return None
    return product


def load(path: str) -> onnx.ModelProto:
    """Does not read weights in other files."""
    try:
        if os.path.getsize(path) >= MOST:
            raise ModelError("more than 2 GiB: weights belong in another file (external data)")
        model = onnx.load(path, load_external_data=False)
    except OSError as error:
        raise ModelError(f"cannot open: {error.strerror or error}") from None
    except ModelError:
        raise
    except Exception:  # protobuf's parser raises several types
        raise ModelError("truncated, or not an ONNX model") from None
    if not model.HasField("graph"):
        raise ModelError("truncated, or not an ONNX model")
    return model


def without_weights(model: onnx.ModelProto, folder: str = "") -> onnx.ModelProto:
    """Constants of more than MOST_VALUES keep only their shapes. Others in files of `folder` are read."""
    copy = onnx.ModelProto()
    for field, value in model.ListFields():
        if field.name != "graph":
            _copy_field(copy, field.name, value)
    graph = copy.graph
    for field, value in model.graph.ListFields():
        if field.name not in ("initializer", "node"):
            _copy_field(graph, field.name, value)
    for tensor in model.graph.initializer:
        _copy_shape(graph.initializer.add(), tensor, folder)
    for node in model.graph.node:
        constant = node.op_type == "Constant" and node.domain in ("", "ai.onnx")
        tensors = [one.t for one in node.attribute if one.name == "value"] if constant else []
        if tensors and len(node.output) == 1:
            _copy_shape(graph.initializer.add(), tensors[0], folder)
            graph.initializer[-1].name = node.output[0]
        else:
            graph.node.add().CopyFrom(node)
    return copy


def _copy_field(message: Any, name: str, value: Any) -> None:
    if hasattr(value, "CopyFrom"):
        getattr(message, name).CopyFrom(value)
    elif isinstance(value, (str, bytes, int, float)):
        setattr(message, name, value)
    else:
        getattr(message, name).extend(value)


def _copy_shape(copy: onnx.TensorProto, tensor: onnx.TensorProto, folder: str) -> None:
    copy.name, copy.data_type = tensor.name, tensor.data_type
    copy.dims.extend(tensor.dims)
    if _volume(tensor.dims, MOST_VALUES) is None:
        return
    if tensor.data_location != onnx.TensorProto.EXTERNAL:
        copy.CopyFrom(tensor)
        return
    try:
        copy.CopyFrom(tensor)
        onnx.external_data_helper.load_external_data_for_tensor(copy, folder)
        copy.data_location = onnx.TensorProto.DEFAULT
        copy.ClearField("external_data")
    except Exception:  # missing, too short, or outside of the folder
        copy.ClearField("external_data")
        copy.ClearField("raw_data")
        copy.data_location = onnx.TensorProto.DEFAULT


def inlined(model: onnx.ModelProto) -> onnx.ModelProto:
    if not model.functions:
        return model
    functions = {(one.domain, one.name): one for one in model.functions}
    counts: dict[tuple[str, str], int] = {}

    def count(nodes: Iterable[onnx.NodeProto], within: tuple[tuple[str, str], ...]) -> int:
        total = 0
        for node in nodes:
            key = (node.domain, node.op_type)
            if key in within:
                raise ModelError(f"function {node.domain}.{node.op_type} calls itself")
            if key in functions and key not in counts:
                counts[key] = count(functions[key].node, (*within, key))
            total += counts[key] if key in functions else 1
            total += sum(count(graph.node, within) for graph in _graphs(node))
            if total > MOST_NODES:
                raise ModelError(f"more than {MOST_NODES} nodes when functions are inlined")
        return total

    count(model.graph.node, ())
    return onnx.inliner.inline_local_functions(model)


def _graphs(node: onnx.NodeProto) -> Iterator[onnx.GraphProto]:
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def _domain(node: onnx.NodeProto) -> str:
    return "" if node.domain == "ai.onnx" else node.domain


def _is_in(table: Mapping[str, set[str]], node: onnx.NodeProto) -> bool:
    return node.op_type in table.get(_domain(node), ())


def name_of(node: onnx.NodeProto) -> str:
    return node.name or next((one for one in node.output if one), "")


def _sizes_of(type_: Optional[onnx.TypeProto]) -> Optional[list[Optional[int]]]:
    if type_ is None or not type_.tensor_type.HasField("shape"):
        return None
    return [one.dim_value if one.HasField("dim_value") and one.dim_value >= 0 else None
            for one in type_.tensor_type.shape.dim]


class Shapes:
    """The types of all values, added node by node, and small constant values."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.opsets = [helper.make_opsetid("" if one.domain == "ai.onnx" else one.domain, one.version)
                       for one in model.opset_import]
        self.versions = {one.domain: one.version for one in self.opsets}
        if self.versions.get("", 0) < 1:
            raise ModelError("no version of the operators (opset_import)")
        if self.versions[""] > NEWEST_OPSET:
            raise ModelError(f"operators of version {self.versions['']}; allowed: 1 to {NEWEST_OPSET}")
        self.ir_version = model.ir_version
        self.types: dict[str, onnx.TypeProto] = {}
        self.constants: dict[str, np.ndarray[Any, Any]] = {}
        for tensor in model.graph.initializer:
            self._add(tensor.name, helper.make_tensor_type_proto(tensor.data_type, tensor.dims))
            if _volume(tensor.dims, MOST_VALUES) is not None:
                with contextlib.suppress(Exception):  # in another file
                    self.constants[tensor.name] = numpy_helper.to_array(tensor)
        for sparse in model.graph.sparse_initializer:
            self._add(sparse.values.name,
                      helper.make_tensor_type_proto(sparse.values.data_type, sparse.dims))
        for value in model.graph.input:
            if value.name not in self.types:
                self._add(value.name, value.type)

    def _add(self, name: str, type_: onnx.TypeProto) -> None:
        if name in self.types:
            raise ModelError(f"'{name}' is computed twice")
        self.types[name] = type_

    def add(self, node: onnx.NodeProto) -> None:
        for name in node.input:
            if name and name not in self.types:
                raise ModelError(f"nothing before it computes its input '{name}'")
        if _is_in(SAME_SHAPE, node) and node.output and any(node.input[:1]):
            results = {node.output[0]: self.types[node.input[0]]}
        else:
            results = self._inferred(node)
        values = self._values(node, results)
        for name in node.output:
            if name:
                self._add(name, results.get(name) or onnx.TypeProto())
        self.constants.update(values)

    def _inferred(self, node: onnx.NodeProto) -> dict[str, onnx.TypeProto]:
        domain = _domain(node)
        try:
            schema = onnx.defs.get_schema(node.op_type, self.versions[domain], domain)
        except Exception:
            raise ModelError(f"operator {domain + '.' if domain else ''}{node.op_type} is not "
                             "supported") from None
        if not any(_graphs(node)):
            types = {name: self.types[name] for name in node.input if name}
        else:
            types = {name: type_ for name, type_ in self.types.items() if name}
        if domain != node.domain:
            known = onnx.NodeProto()
            known.CopyFrom(node)
            known.domain = domain
            node = known
        data = {name: numpy_helper.from_array(np.asarray(self.constants[name]), name)
                for name in node.input if name in self.constants}
        try:
            return dict(onnx.shape_inference.infer_node_outputs(schema, node, types, data, None,
                                                                self.opsets, self.ir_version))
        except Exception as error:
            raise ModelError(error) from None

    def _values(self, node: onnx.NodeProto,
                results: Mapping[str, onnx.TypeProto]) -> dict[str, np.ndarray[Any, Any]]:
        if node.domain not in ("", "ai.onnx") or not node.output or not node.output[0]:
            return {}
        if node.op_type in ("Shape", "Size"):
            return self._sizes(node)
        if node.op_type == "Constant":
            inputs = {}
        elif node.op_type in FOLDED:
            if not all(name in self.constants for name in node.input if name):
                return {}
            inputs = {name: self.constants[name] for name in node.input if name}
        else:
            return {}
        for name in node.output:
            sizes = _sizes_of(results.get(name))
            if sizes is None or _volume(sizes, MOST_VALUES) is None:
                return {}
        graph = helper.make_graph([node], "graph", [_untyped(name) for name in inputs],
                                  [_untyped(name) for name in node.output])
        one = helper.make_model(graph, opset_imports=self.opsets)
        try:
            with np.errstate(divide="raise", invalid="raise"):
                found = onnx.reference.ReferenceEvaluator(one).run(None, dict(inputs))
        except Exception:
            return {}  # such as a division by zero
        return {name: np.asarray(value) for name, value in zip(node.output, found)}

    def _sizes(self, node: onnx.NodeProto) -> dict[str, np.ndarray[Any, Any]]:
        sizes = _sizes_of(self.types.get(node.input[0]) if node.input else None)
        if sizes is None or None in sizes:
            return {}
        if node.op_type == "Size":
            volume = _volume(sizes, (1 << 63) - 1)
            return {} if volume is None else {node.output[0]: np.array(volume, np.int64)}
        places = {one.name: one.i for one in node.attribute}
        return {node.output[0]: np.array(sizes[places.get("start", 0):places.get("end")],
                                         np.int64)}

    def sizes(self, name: str) -> Shape:
        sizes = _sizes_of(self.types.get(name))
        if sizes is None:
            raise ModelError(f"the shape of '{name}' is unknown")
        if None in sizes:
            text = ", ".join("?" if size is None else str(size) for size in sizes)
            raise ModelError(f"the shape of '{name}' is unknown: [{text}]")
        for size in sizes:
            if not 1 <= (size or 0) <= MOST:
                raise ModelError(f"the shape of '{name}' has the size {size}; allowed: 1 to {MOST}")
        return tuple(size for size in sizes if size is not None)


def _untyped(name: str) -> onnx.ValueInfoProto:
    value = onnx.ValueInfoProto()
    value.name = name
    return value


def _product(sizes: Sequence[int]) -> int:
    product = _volume(sizes, MOST)
    if product is None:
        raise ModelError(f"its product would have a size of more than {MOST}")
    return product


def _matmul(a: Shape, b: Shape) -> Product:
    if not a or not b:
        raise ModelError("a scalar is not a matrix")
    a = (1, *a) if len(a) == 1 else a
    b = (*b, 1) if len(b) == 1 else b
    k, n = b[-2:]
    if a[-1] != k:
        raise ModelError("the K of its operands differ")
    if _product(b[:-2]) == 1:
        return Product(_product(a[:-1]), n, k)
    rank = max(len(a), len(b)) - 2
    one, other = ((1,) * (rank - len(x) + 2) + x[:-2] for x in (a, b))
    return Product(a[-2], n, k, _product(tuple(map(max, one, other))))


def _gemm(node: onnx.NodeProto, a: Shape, b: Shape) -> Product:
    if len(a) != 2 or len(b) != 2:
        raise ModelError("its operands are not matrices")
    m, k = a[::-1] if _attribute(node, "transA", 0) else a
    k_of_b, n = b[::-1] if _attribute(node, "transB", 0) else b
    if k != k_of_b:
        raise ModelError("the K of its operands differ")
    return Product(m, n, k)


def _attribute(node: onnx.NodeProto, name: str, default: int) -> int:
    return next((one.i for one in node.attribute if one.name == name), default)


def _convolution(node: onnx.NodeProto, x: Shape, weight: Shape, y: Shape) -> Product:
    """A row per output pixel, K over channels and kernel; one product per group."""
    groups = _attribute(node, "group", 1)
    if len(x) < 3 or len(weight) != len(x) or len(y) != len(x):
        raise ModelError("its operands are not images and filters")
    if groups < 1 or x[1] != groups * weight[1] or weight[0] % groups:
        raise ModelError(f"{x[1]} channels in {groups} groups do not match {weight[0]} filters of "
                         f"{weight[1]}")
    return Product(_product((y[0], *y[2:])), weight[0] // groups, _product(weight[1:]), groups)


def _transposed_convolution(node: onnx.NodeProto, x: Shape, weight: Shape) -> Product:
    """A row per input pixel; overlapping results are added afterwards."""
    groups = _attribute(node, "group", 1)
    if len(x) < 3 or len(weight) != len(x):
        raise ModelError("its operands are not images and filters")
    if groups < 1 or x[1] != weight[0] or x[1] % groups:
        raise ModelError("its channels do not match its weights")
    return Product(_product((x[0], *x[2:])), _product(weight[1:]), x[1] // groups, groups)


def _product_of(node: onnx.NodeProto, shapes: Shapes) -> Product:
    if len(node.input) < 2 or not node.output:
        raise ModelError("an operand is missing")
    a, b = shapes.sizes(node.input[0]), shapes.sizes(node.input[1])
    if node.op_type == "MatMul":
        return _matmul(a, b)
    if node.op_type == "Gemm":
        return _gemm(node, a, b)
    if node.op_type == "Conv":
        return _convolution(node, a, b, shapes.sizes(node.output[0]))
    return _transposed_convolution(node, a, b)


def _require_no_products(graph: onnx.GraphProto) -> None:
    """Rejects products in graphs of If, Loop and Scan, whose number of runs is unknown."""
    for node in graph.node:
        if _is_in({"": set(PRODUCTS)}, node) or _is_in(UNSUPPORTED, node):
            raise ModelError(f"products in its graphs, here {node.op_type}, are not supported")
        for inner in _graphs(node):
            _require_no_products(inner)


def products(model: onnx.ModelProto) -> dict[str, Product]:
    """Products of a model `without_weights`, by node or, for a name used twice, by result."""
    try:
        model = inlined(model)
    except ModelError:
        raise
    except Exception as error:
        raise ModelError(error) from None
    shapes = Shapes(model)
    found: dict[str, Product] = {}
    for node in model.graph.node:
        try:
            if _is_in(UNSUPPORTED, node):
                raise ModelError(f"operator {node.op_type} is not supported (products are MatMul, "
                                 "Gemm, Conv and ConvTranspose)")
            for graph in _graphs(node):
                _require_no_products(graph)
            shapes.add(node)
            if _is_in({"": set(PRODUCTS)}, node):
                product = _product_of(node, shapes)
                name = name_of(node)
                found[node.output[0] if name in found else name] = product
        except ModelError as error:
            raise ModelError(f"node '{name_of(node)}' ({node.op_type}): {error}") from None
    return found


def resolve(model: onnx.ModelProto, sizes: Sizes) -> dict[str, Any]:
    """Sets the open dimensions of a model's inputs. Returns items and item_name of a run, if known: 2
    sequences of 128 are 256 tokens. Raises ModelError."""
    weights = {tensor.name for tensor in model.graph.initializer}
    inputs = [one for one in model.graph.input if one.name not in weights]
    dimensions = Dimensions(sizes, default_batch=1)
    for value in inputs:
        dimensions.resolve(value)
    dimensions.require_all_used()
    first = _sizes_of(inputs[0].type) if inputs else None
    if first is not None and len(first) == 4 and first[0]:
        return {"items": first[0], "item_name": "images"}
    if "--batch" not in dimensions.used:
        return {}
    tokens = "--sequence" in dimensions.used
    return {"items": _product((sizes.batch or 1, (sizes.sequence or 1) if tokens else 1)),
            "item_name": "tokens" if tokens else "inputs"}


def workload(path: str, sizes: Sizes) -> dict[str, Any]:
    try:
        model = without_weights(load(path), os.path.dirname(os.path.abspath(path)))
        run = resolve(model, sizes)
        found = products(model)
    except UnicodeError:
        raise ModelError("a name is not UTF-8") from None
    except RecursionError:
        raise ModelError("graphs in graphs are too deep") from None
    if not found:
        raise ModelError("no products of matrices")
    return {"layers": [[name, *product] for name, product in found.items()], **run}


def main() -> None:
    options = json.loads(sys.argv[2])
    try:
        answer = workload(sys.argv[1], Sizes(**options))
    except ModelError as error:
        answer = {"error": str(error)}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
