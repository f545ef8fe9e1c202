# SPDX-License-Identifier: Apache-2.0
"""Tests the program that finds the products of ONNX models, here in ONNX's text notation. Needs the package onnx."""
import importlib.util
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np
import onnx
import onnx.parser
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parents[4]
PROGRAM = ROOT / "sw/python/mxe/onnx/_workload.py"
MODELS = ROOT / "tests/cli/onnx"
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("workload", PROGRAM)
workload = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = workload
spec.loader.exec_module(workload)


def model_of(graph, version=17, others="", functions=""):
    """Text of a model: its graph, other domains (`"my": 1`) and functions."""
    return onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["": {version}{others}]> {graph} {functions}')


class ModelTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def read(self, model, version=17, **sizes):
        """The products that `mxe explore` reads from a model, or from its text."""
        made = model_of(model, version) if isinstance(model, str) else model
        (self.folder / "net.onnx").write_bytes(made.SerializeToString())
        return workload.workload(str(self.folder / "net.onnx"), workload.Sizes(**sizes))

    def layers(self, model, version=17, **sizes):
        return [tuple(layer) for layer in self.read(model, version, **sizes)["layers"]]

    def expect_error(self, message, model, version=17, **sizes):
        with self.assertRaises(workload.ModelError) as raised:
            self.read(model, version, **sizes)
        self.assertIn(message, str(raised.exception))
        self.assertNotIn("\n", str(raised.exception))


RESNET = """g (float[batch, 3, 224, 224] image, float[64, 3, 7, 7] w1, float[64, 64, 1, 1] w2, float[64, 64, 3, 3] w3,
    float[256, 64, 1, 1] w4, float[64] s, float[1000, 256] wf, float[1000] bf) => (float[batch, 1000] y) {
  conv1 = Conv <strides = [2, 2], pads = [3, 3, 3, 3], kernel_shape = [7, 7]> (image, w1)
  n1 = BatchNormalization (conv1, s, s, s, s)
  r1 = Relu (n1)
  p1 = MaxPool <kernel_shape = [3, 3], strides = [2, 2], pads = [1, 1, 1, 1]> (r1)
  conv2 = Conv (p1, w2)
  conv3 = Conv <pads = [1, 1, 1, 1]> (conv2, w3)
  conv4 = Conv (conv3, w4)
  down = Conv (p1, w4)
  sum = Add (conv4, down)
  pool = GlobalAveragePool (sum)
  flat = Flatten (pool)
  fc = Gemm <transB = 1> (flat, wf, bf)
}"""

# Attention as exporters write it: shapes computed from shapes, a mask by Where and Expand.
ATTENTION = """g (int64[batch_size, seq_len] tokens, float[1000, 48] table, float[48, 144] w, float[48, 48] wo) =>
    (float[batch_size, seq_len, 48] y) {
  x = Gather (table, tokens)
  qkv = MatMul (x, w)
  third = Constant <value = int64[3] {48, 48, 48}> ()
  q, k, v = Split <axis = 2> (qkv, third)
  shape = Shape (tokens)
  zero = Constant <value_int = 0> ()
  one = Constant <value_int = 1> ()
  axes = Constant <value_ints = [0]> ()
  b = Gather (shape, zero)
  s = Gather (shape, one)
  b1 = Unsqueeze (b, axes)
  s1 = Unsqueeze (s, axes)
  heads = Constant <value = int64[1] {4}> ()
  width = Constant <value = int64[1] {-1}> ()
  split = Concat <axis = 0> (b1, s1, heads, width)
  qs = Reshape (q, split)
  ks = Reshape (k, split)
  vs = Reshape (v, split)
  qt = Transpose <perm = [0, 2, 1, 3]> (qs)
  kt = Transpose <perm = [0, 2, 3, 1]> (ks)
  vt = Transpose <perm = [0, 2, 1, 3]> (vs)
  scores = MatMul (qt, kt)
  rank = Shape (split)
  ones = ConstantOfShape <value = int64[1] {1}> (rank)
  minus = Constant <value = int64[1] {-1}> ()
  times = Mul (ones, minus)
  wanted = Concat <axis = 0> (b1, heads, s1, s1)
  unset = Equal (wanted, times)
  sizes = Where (unset, ones, wanted)
  bias = Constant <value = float[1] {0.5}> ()
  mask = Expand (bias, sizes)
  masked = Add (scores, mask)
  weights = Softmax <axis = -1> (masked)
  context = MatMul (weights, vt)
  ct = Transpose <perm = [0, 2, 1, 3]> (context)
  last = Mul (heads, heads)
  three = Constant <value = int64[1] {3}> ()
  all = Mul (last, three)
  joined = Concat <axis = 0> (b1, s1, all)
  merged = Reshape (ct, joined)
  y = MatMul (merged, wo)
}"""


class Products(ModelTest):
    def test_matrices(self):
        found = self.layers("""g (float[7, 5] a, float[5, 3] b, float[2, 4, 7, 5] many, float[4, 5, 3] each,
            float[5] row, float[3, 7] gemm_a, float[9, 3] gemm_b) => (float[7, 3] one) {
          one = MatMul(a, b)
          rows = MatMul(many, b)
          batches = MatMul(many, each)
          lone = MatMul(a, each)
          vector = MatMul(row, b)
          matrix_vector = MatMul(a, row)
          turned = Gemm <transA = 1, transB = 1> (gemm_a, gemm_b)
          plain = Gemm (a, b)
        }""")
        self.assertEqual(found, [("one", 7, 3, 5, 1), ("rows", 56, 3, 5, 1), ("batches", 7, 3, 5, 8),
                                 ("lone", 7, 3, 5, 4), ("vector", 1, 3, 5, 1), ("matrix_vector", 7, 1, 5, 1),
                                 ("turned", 7, 9, 3, 1), ("plain", 7, 3, 5, 1)])

    def test_convolutions(self):
        found = self.layers("""g (float[N, 8, 30, 20] x, float[16, 8, 3, 5] w, float[16, 4, 3, 3] w2,
            float[8, 1, 3, 3] w8, float[8, 6, 2, 2] wt, float[8, 3, 2, 2] wt2, float[5, 6, 1, 1] w6) => (float[N] y) {
          plain = Conv (x, w)
          strided = Conv <strides = [2, 3], pads = [1, 2, 1, 2]> (x, w)
          dilated = Conv <dilations = [2, 2]> (x, w)
          same = Conv <auto_pad = "SAME_UPPER", strides = [2, 2]> (x, w)
          grouped = Conv <group = 2> (x, w2)
          depthwise = Conv <group = 8> (x, w8)
          transposed = ConvTranspose <strides = [2, 2]> (x, wt)
          transposed2 = ConvTranspose <group = 2> (x, wt2)
          y = Conv (transposed, w6)
        }""", batch=3)
        self.assertEqual(found, [
            ("plain", 3 * 28 * 16, 16, 120, 1), ("strided", 3 * 15 * 7, 16, 120, 1),
            ("dilated", 3 * 26 * 12, 16, 120, 1), ("same", 3 * 15 * 10, 16, 120, 1),
            ("grouped", 3 * 28 * 18, 8, 36, 2), ("depthwise", 3 * 28 * 18, 1, 9, 8),
            ("transposed", 3 * 600, 24, 8, 1), ("transposed2", 3 * 600, 12, 4, 2), ("y", 3 * 60 * 40, 5, 6, 1)])

    def test_resnet(self):
        made = self.read(RESNET, batch=32)
        self.assertEqual((made["items"], made["item_name"]), (32, "images"))
        lines = (ROOT / "sw/explore/workloads/resnet50_b32.csv").read_text(encoding="utf-8").splitlines()
        shipped = [line.split(",")[1:5] for line in lines if not line.startswith(("#", "layer,"))]
        self.assertEqual([list(map(str, layer[1:])) for layer in made["layers"][:5]], shipped[:5])
        self.assertEqual(made["layers"][5], ["fc", 32, 1000, 256, 1])
        self.assertEqual(self.read(RESNET)["items"], 1)

    def test_attention(self):
        made = self.read(ATTENTION, batch=2, sequence=128)
        self.assertEqual((made["items"], made["item_name"]), (256, "tokens"))
        self.assertEqual(made["layers"], [["qkv", 256, 144, 48, 1], ["scores", 128, 128, 12, 8],
                                          ["context", 128, 12, 128, 8], ["y", 256, 48, 48, 1]])

    def test_names(self):
        model = model_of("g (float[2, 8] x, float[8, 4] w) => (float[2, 4] z) { y = MatMul(x, w) z = MatMul(x, w) }")
        for node in model.graph.node:
            node.name = "same"
        self.assertEqual(self.layers(model), [("same", 2, 4, 8, 1), ("z", 2, 4, 8, 1)])

    def test_newer_operators(self):
        graph = """g (float[2, 8, 6, 6] x, float[8, 5] w, float[8] s) => (float[2, 5] y) {
          soft = Gelu (x)
          axes = Constant <value = int64[2] {2, 3}> ()
          n = GroupNormalization <num_groups = 2> (soft, s, s)
          mean = ReduceMean <keepdims = 0> (n, axes)
          y = MatMul (mean, w)
        }"""
        self.assertEqual(self.layers(graph, 21), [("y", 2, 5, 8, 1)])
        self.expect_error("node 'soft' (Gelu): operator Gelu is not supported", graph, 17)
        pool = """g (float[2, 8, 6, 6] x, float[3, 5] w) => (float[2] z) {
          y = AveragePool <kernel_shape = [2, 2], dilations = [3, 3]> (x) z = MatMul (y, w) }"""
        self.assertEqual(self.layers(pool, 19), [("z", 2 * 8 * 3, 5, 3, 1)])
        self.expect_error("operators of version 29; allowed: 1 to 28", graph, 29)

    def test_split_in_equal_parts(self):
        graph = """g (float[4, 64] x, float[%d, 5] w) => (float[4] z) {
          a, b, c = Split <axis = 1, num_outputs = 3> (x) z = MatMul (%s, w) }"""
        self.assertEqual(self.layers(graph % (22, "b"), 18), [("z", 4, 5, 22, 1)])
        self.assertEqual(self.layers(graph % (20, "c"), 18), [("z", 4, 5, 20, 1)])

    def test_computed_shapes(self):
        """Sizes that pass through floats, padding along chosen axes, a range, a size to reshape to."""
        scaled = """g (float[1, 3, 25, 24] x, float[8, 3, 1, 1] w, float[1] c) => (float[1] y) {
          start = Constant <value = int64[1] {2}> ()
          shape = Shape <start = 2> (x)
          float = Cast <to = 1> (shape)
          half = Constant <value = float {0.5}> ()
          scaled = Mul (float, half)
          floor = Floor (scaled)
          whole = Cast <to = 7> (floor)
          front = Constant <value = int64[2] {1, 3}> ()
          sizes = Concat <axis = 0> (front, whole)
          small = Resize <mode = "nearest"> (x, , , sizes)
          y = Conv (small, w)
        }"""
        self.assertEqual(self.layers(scaled), [("y", 12 * 12, 8, 3, 1)])
        padded = """g (float[1, 3, 6, 6] x, float[8, 3, 3, 3] w) => (float[1] y) {
          pads = Constant <value = int64[2] {1, 2}> ()
          axes = Constant <value = int64[1] {-1}> ()
          p = Pad (x, pads, , axes)
          y = Conv (p, w)
        }"""
        self.assertEqual(self.layers(padded, 18), [("y", 4 * 7, 8, 27, 1)])
        tiled = """g (float[4, 6] x, float[12, 5] w) => (float[1] y) {
          shape = Shape (x)
          one = Constant <value = int64[1] {1}> ()
          two = Constant <value = int64[1] {2}> ()
          repeats = Concat <axis = 0> (one, two)
          t = Tile (x, repeats)
          total = Size (t)
          columns = Constant <value = int64 {12}> ()
          rows = Div (total, columns)
          rows1 = Reshape (rows, one)
          columns1 = Reshape (columns, one)
          sizes = Concat <axis = 0> (rows1, columns1)
          r = Reshape (t, sizes)
          y = MatMul (r, w)
        }"""
        self.assertEqual(self.layers(tiled), [("y", 4, 5, 12, 1)])

    def test_functions_of_the_model(self):
        functions = """<domain: "my", opset_import: ["": 17]> Lin (x, w) => (y) { z = MatMul (x, w) y = Relu (z) }
          <domain: "my", opset_import: ["": 17, "my": 1]> Twice (x, w) => (y) { a = my.Lin (x, w) y = my.Lin (a, w) }"""
        graph = """g (float[3, 8] x, float[8, 8] w) => (float[3, 8] y) { b = my.Lin (x, w) y = my.Twice (b, w) }"""
        found = self.layers(model_of(graph, others=', "my": 1', functions=functions))
        self.assertEqual([layer[1:] for layer in found], [(3, 8, 8, 1)] * 3)
        self.assertEqual(len({layer[0] for layer in found}), 3)

    def test_recursive_and_exploding_functions(self):
        graph = "g (float[3, 8] x) => (float[3, 8] y) { y = my.F (x) }"
        self.expect_error("function my.F calls itself", model_of(
            graph, others=', "my": 1',
            functions='<domain: "my", opset_import: ["my": 1]> F (x) => (y) { y = my.F (x) }'))
        many = "".join(f'<domain: "my", opset_import: ["my": 1]> F{i} (x) => (y) {{ a = my.F{i + 1} (x) '
                       f"y = my.F{i + 1} (a) }}" for i in range(40))
        many += '<domain: "my", opset_import: ["": 17]> F40 (x) => (y) { y = Relu (x) }'
        self.expect_error("more than 1000000 nodes", model_of(
            graph.replace("my.F ", "my.F0 "), others=', "my": 1', functions=many))

    def test_branches_without_products(self):
        graph = """g (float[4, 8] a, float[8, 3] b, bool c) => (float[4, 3] y) {
          x = If <then_branch = g1 () => (float[4, 8] u) { u = Relu (a) },
                  else_branch = g2 () => (float[4, 8] v) { v = Neg (a) }> (c)
          y = MatMul (x, b) }"""
        self.assertEqual(self.layers(graph), [("y", 4, 3, 8, 1)])


class Constants(ModelTest):
    def model(self, *names):
        """Reshape to a constant. Its numbers may be in an external file, which is read if it is listed."""
        graph = "g (float[6, 8] x) => (float[1] y) { r = Reshape (x, shape) y = MatMul (r, w) }"
        model = model_of(graph)
        for name, values in (("shape", np.array([12, 4], np.int64)), ("w", np.ones((4, 5), np.float32))):
            model.graph.initializer.append(numpy_helper.from_array(values, name))
        data = b""
        for tensor in model.graph.initializer:
            if tensor.name in names:
                raw = tensor.raw_data
                onnx.external_data_helper.set_external_data(tensor, "m.data", len(data), len(raw))
                tensor.ClearField("raw_data")
                data += raw
        (self.folder / "m.data").write_bytes(data)
        return model

    def test_shapes_in_other_files(self):
        for names in itertools.chain.from_iterable(itertools.combinations(("shape", "w"), n) for n in range(3)):
            with self.subTest(names=names):
                self.assertEqual(self.layers(self.model(*names)), [("y", 12, 5, 4, 1)])

    def test_shapes_of_constant_nodes_in_other_files(self):
        model = self.model("shape")
        tensor, weight = model.graph.initializer
        node = helper.make_node("Constant", [], ["shape"], value=tensor)
        nodes = [node, *model.graph.node]
        del model.graph.initializer[:], model.graph.node[:]
        model.graph.initializer.append(weight)
        model.graph.node.extend(nodes)
        self.assertEqual(self.layers(model), [("y", 12, 5, 4, 1)])

    def test_files_that_are_not_there_or_elsewhere(self):
        model = self.model("shape", "w")
        (self.folder / "m.data").unlink()
        self.expect_error("node 'y' (MatMul): ", model)
        weights_alone = self.model("w")
        (self.folder / "m.data").unlink()
        self.assertEqual(self.layers(weights_alone), [("y", 12, 5, 4, 1)])
        for place in ("../m.data", "/etc/passwd", "/proc/self/environ", "link", "."):
            with self.subTest(place=place):
                (self.folder / "link").unlink(missing_ok=True)
                (self.folder / "link").symlink_to("/etc/passwd")
                for entry in model.graph.initializer[0].external_data:
                    if entry.key == "location":
                        entry.value = place
                self.expect_error("node 'y' (MatMul): ", model)

    def test_weights_of_more_than_2_gib(self):
        """A sparse file, which takes no disk space."""
        model = model_of("g (float[6, 8192] x) => (float[1] y) { y = MatMul (x, w) }")
        weight = model.graph.initializer.add()
        weight.name, weight.data_type = "w", TensorProto.FLOAT
        weight.dims.extend([8192, 70000])
        weight.data_location = TensorProto.EXTERNAL
        weight.external_data.add(key="location", value="m.data")
        with open(self.folder / "m.data", "wb") as file:
            file.truncate(4 * 8192 * 70000)
        self.assertEqual(self.layers(model), [("y", 6, 70000, 8192, 1)])

    def test_large_constants_take_no_time(self):
        nodes = [helper.make_node("Add", [f"v{i}", f"v{i}"], [f"v{i + 1}"]) for i in range(3000)]
        nodes.append(helper.make_node("MatMul", ["x", "w"], ["y"]))
        value = helper.make_tensor_value_info
        for length in (65536, 1024):
            graph = helper.make_graph(nodes, "g", [value("x", 1, [2, 8]), value("w", 1, [8, 4])],
                                      [value("y", 1, None)],
                                      [numpy_helper.from_array(np.ones(length, np.int64), "v0")])
            begin = time.process_time()
            self.assertEqual(self.layers(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])),
                             [("y", 2, 4, 8, 1)])
            self.assertLess(time.process_time() - begin, 5)

    def test_constants_that_grow(self):
        nodes = [helper.make_node("Concat", [f"v{i}", f"v{i}"], [f"v{i + 1}"], axis=0) for i in range(60)]
        nodes += [helper.make_node("Expand", ["one", "huge"], ["e"]), helper.make_node("Shape", ["e"], ["s"]),
                  helper.make_node("MatMul", ["x", "w"], ["y"])]
        value = helper.make_tensor_value_info
        graph = helper.make_graph(nodes, "g", [value("x", 1, [2, 8]), value("w", 1, [8, 4])], [value("y", 1, None)],
                                  [numpy_helper.from_array(np.ones(2, np.int64), "v0"),
                                   numpy_helper.from_array(np.ones(1, np.int64), "one"),
                                   numpy_helper.from_array(np.array([1 << 40, 1 << 20], np.int64), "huge")])
        self.assertEqual(self.layers(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])),
                         [("y", 2, 4, 8, 1)])


    def test_many_axes(self):
        axes = [1 << 62] * 300_000
        value = helper.make_tensor_value_info
        tensor = TensorProto(name="c", data_type=TensorProto.INT64, dims=axes)
        nodes = [helper.make_node("Size", ["v"], ["s"]), helper.make_node("Size", ["c"], ["t"]),
                 helper.make_node("MatMul", ["x", "w"], ["y"])]
        graph = helper.make_graph(nodes, "g", [value("v", 1, axes), value("x", 1, [2, 8]), value("w", 1, [8, 4])],
                                  [value("y", 1, None)], [tensor])
        begin = time.process_time()
        self.assertEqual(self.layers(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])),
                         [("y", 2, 4, 8, 1)])
        self.assertLess(time.process_time() - begin, 10)


class Dimensions(ModelTest):
    GRAPH = "g (float[rows, 4] a, float[4, past_sequence_length] b) => (float[x] y) { y = MatMul(a, b) }"

    def graph(self, dimension):
        """An array [2, DIMENSION, 4] times a matrix."""
        model = model_of("g (float[2, 1, 4] a, float[4, 3] b) => (float[1] y) { y = MatMul(a, b) }")
        model.graph.input[0].type.tensor_type.shape.dim[1].dim_param = dimension
        return model

    def rows(self, dimension, **sizes):
        return self.layers(self.graph(dimension), **sizes)[0][1] // 2

    def test_options(self):
        self.expect_error("dimension 'seq_len' of the input 'tokens' has no size: set --sequence N or --dim seq_len=N",
                          ATTENTION)
        self.expect_error("dimension 'rows' of the input 'a' has no size: set --dim rows=N", self.GRAPH)
        rows = {"dimensions": {"rows": 6}}
        self.expect_error("dimension 'past_sequence_length' of the input 'b' has no size: set --context N", self.GRAPH,
                          **rows)
        self.assertEqual(self.layers(self.GRAPH, context=10, **rows), [("y", 6, 9, 4, 1)])
        self.expect_error("the shape of 'b' has the size 0", self.GRAPH, context=1, **rows)
        self.expect_error("no dimension needs --batch (dimensions without a size: past_sequence_length, rows)",
                          self.GRAPH,
                          batch=2, context=10, **rows)
        self.expect_error("no dimension needs --dim columns=3", self.GRAPH, context=10,
                          dimensions={"rows": 6, "columns": 3})

    def test_without_a_name(self):
        model = model_of(self.GRAPH)
        model.graph.input[0].type.tensor_type.shape.dim[0].ClearField("dim_param")
        self.expect_error("dimension 'a:0' of the input 'a' has no size: set --dim a:0=N", model)
        self.assertEqual(self.layers(model, context=10, dimensions={"a:0": 5}), [("y", 5, 9, 4, 1)])

    def test_a_part_of_a_name_says_nothing(self):
        for name in ("encoder_sequence_length", "subsequences", "batches_of_images", "target_seq", "pastel",
                     "contextual", "decoder_batch_size", "totals"):
            with self.subTest(name=name):
                self.expect_error(f"dimension '{name}' of the input 'a' has no size: set --dim {name}=N",
                                  self.graph(name),
                                  batch=1, sequence=100, context=200)
                self.assertEqual(self.rows(name, dimensions={name: 7}), 7)

    def test_expressions(self):
        for name, sizes, expected in (
                ("encoder_sequence_length / 2", {"dimensions": {"encoder_sequence_length": 100}}, 50),
                ("encoder_sequence_length / 2", {"dimensions": {"encoder_sequence_length / 2": 33}}, 33),
                ("sequence_length / 2", {"sequence": 100}, 50),
                ("past_sequence_length + 1", {"context": 40}, 40),
                ("past_sequence_length + sequence_length", {"context": 40, "sequence": 3}, 40),
                ("past_sequence_length + 4", {"context": 40, "sequence": 3}, 41),
                ("floor(height/32 - 1/2) + 1", {"dimensions": {"height": 224}}, 7),
                ("2*Max(1, s0)", {"dimensions": {"s0": 9}}, 18),
                ("(batch - 1) % 4", {"batch": 7}, 2),
                ("-1*x + 10", {"dimensions": {"x": 4}}, 6),
                ("Batch_Size", {"batch": 3}, 3),
                ("batch-size", {"dimensions": {"batch-size": 5}}, 5)):
            with self.subTest(name=name):
                self.assertEqual(self.rows(name, **sizes), expected)

    def test_expressions_without_a_value(self):
        for name, sizes, message in (
                ("encoder_sequence_length / 2", {"sequence": 100},
                 "has no size: set --dim encoder_sequence_length=N, or --dim 'encoder_sequence_length / 2=N' for all of it"),
                ("sequence / 2", {"sequence": 101}, "would be 50.5; allowed: whole numbers from 0 to 2147483648"),
                ("sequence - 9", {"sequence": 5}, "would be -4; allowed"),
                ("sequence ** 9", {"sequence": 5}, "has no size: set --dim 'sequence ** 9=N'"),
                ("batch / 0", {"batch": 5}, "cannot be computed: integer modulo by zero"),
                ("__import__('os')", {}, "has no size: set"),
                ("(" * 90 + "a" + ")" * 90, {}, "has no size: set"),
                ("-" * 200_000 + "1", {}, "dimension '----"),
                ("9*" * 50_000 + "9", {}, "dimension '9*9*"),
                ("a.b", {}, "has no size: set --dim 'a.b=N'"),
                ("what is this", {}, "has no size: set --dim 'what is this=N'"),
                ("9999999999", {}, "would be 9999999999; allowed"),
                ("floor(1, 2, 3)", {}, "cannot be computed: ")):
            with self.subTest(name=name):
                self.expect_error(message, self.graph(name), **sizes)


class Quantized(ModelTest):
    def test_weights(self):
        for kind, version in ((TensorProto.FLOAT8E4M3FN, 21), (TensorProto.FLOAT4E2M1, 24)):
            model = model_of("g (float[2, 64] x) => (float[2, 16] y) { y = MatMul(x, w) }", version)
            for name, kind_of_values, dims in (("codes", kind, [64, 16]),
                                               ("scales", TensorProto.FLOAT8E8M0 if version == 24 else
                                                TensorProto.FLOAT, [2, 16])):
                tensor = model.graph.initializer.add()
                tensor.name, tensor.data_type = name, kind_of_values
                tensor.dims.extend(dims)
                tensor.raw_data = bytes(64 * 16 * 4)
            node = helper.make_node("DequantizeLinear", ["codes", "scales"], ["w"], axis=0, block_size=32)
            if version == 24:
                node.attribute.append(helper.make_attribute("output_dtype", TensorProto.FLOAT))
            model.graph.node.insert(0, node)
            self.assertEqual(self.layers(model, version), [("y", 2, 16, 64, 1)])

    def test_activations(self):
        for domain, operator in (("com.mxe", "MXQuantizeDequantize"), ("com.amd.quark", "MXQuantizeDequantize"),
                                 ("com.vai.quantize", "MXFixNeuron"), ("com.amd.quark", "BFPQuantizeDequantize")):
            model = model_of(f"g (float[2, 64] x, float[64, 16] w) => (float[2, 16] y) {{ q = {domain}.{operator} "
                             "<axis = -1, block_size = 32> (x) y = MatMul(q, w) }", others=f', "{domain}": 1')
            self.assertEqual(self.layers(model), [("y", 2, 16, 64, 1)])


class Refused(ModelTest):
    def test_operators(self):
        for nodes, message in (
                ('y = Einsum <equation = "ij,jk->ik"> (a, b)', "node 'y' (Einsum): operator Einsum is not"),
                ("y = MatMulInteger (a, b)", "node 'y' (MatMulInteger): operator MatMulInteger is not"),
                ("y = LSTM (a, b, b)", "operator LSTM is not supported (products are MatMul, Gemm, Conv"),
                ("y = Attention (a, b, b)", "node 'y' (Attention): operator Attention is not supported (pro"),
                ("y = com.microsoft.FusedMatMul (a, b)", "operator com.microsoft.FusedMatMul is not"),
                ("y = MatMull (a, b)", "node 'y' (MatMull): operator MatMull is not supported"),
                ("y = MatMul (a, c)", "node 'y' (MatMul): nothing before it computes its input 'c'"),
                ("y = Conv <strides = [0]> (a, b)", "node 'y' (Conv): "),
                ("y = MatMul (a)", "node 'y' (MatMul): "),
                ("y = MatMul (a, a)", "node 'y' (MatMul): "),
                ("y = Gemm (a, b, b, b)", "node 'y' (Gemm): "),
                ("y = Relu (a)", "no products of matrices"),
                ("y = NonZero (a) z = MatMul (y, b)", "node 'z' (MatMul): "),
                ("a = MatMul (a, b)", "node 'a' (MatMul): 'a' is computed twice"),
                ("c = Constant <value = bool {1}> () y = If <then_branch = g1 () => (float[4, 3] u) {"
                 "  u = MatMul (a, b) }, else_branch = g2 () => (float[4, 3] v) { v = MatMul (a, b) }> (c)",
                 "node 'y' (If): products in its graphs, here MatMul, are not supported")):
            with self.subTest(nodes=nodes):
                self.expect_error(message, f"g (float[4, 8] a, float[8, 3] b) => (float[4, 3] y) {{ {nodes} }}")
        model = model_of("g (float[4, 8] a) => (float[4] y) { y = ai.onnx.ml.LinearRegressor (a) }",
                         others=', "ai.onnx.ml": 3')
        self.expect_error("operator LinearRegressor is not supported", model)

    def test_sizes(self):
        graph = "g (float[h, w, 8] a, float[8, 3] b) => (float[1] y) { y = MatMul (a, b) }"
        self.expect_error("node 'y' (MatMul): its product would have a size of more than 2147483648", graph,
                          dimensions={"h": 1 << 30, "w": 1 << 30})
        self.assertEqual(self.layers(graph, dimensions={"h": 1 << 30, "w": 2}), [("y", 1 << 31, 3, 8, 1)])

    def test_damaged_files(self):
        good = model_of(RESNET).SerializeToString()
        file = self.folder / "net.onnx"

        def answer(text):
            file.write_bytes(text)
            try:
                workload.workload(str(file), workload.Sizes())
                return ""
            except workload.ModelError as error:
                return str(error)

        for text in (b"", b"layer,M,N,K,count\n", good[:100], good[:-20]):
            self.assertEqual(answer(text), "truncated, or not an ONNX model")
        self.assertEqual(answer(good), "")
        for at in range(0, len(good), 5):  # a model, or an error of one line
            bad = good[:at] + bytes([good[at] ^ (1 + at % 255)]) + good[at + 1:]
            self.assertNotIn("\n", answer(bad))


class Program(ModelTest):
    def run_program(self, *arguments, **environment):
        """Runs the program as mxe explore does, in the folder of the model."""
        text = PROGRAM.read_text(encoding="utf-8")
        return subprocess.run([sys.executable, "-c", text, *arguments], cwd=self.folder, check=False,
                              capture_output=True, encoding="utf-8", env={**os.environ, **environment})

    def test_answers(self):
        run = self.run_program(str(MODELS / "digits.onnx"), '{"batch": 450}')
        self.assertEqual(json.loads(run.stdout)["layers"][0], ["dense1", 450, 100, 64, 1])
        self.assertEqual(json.loads(run.stdout)["items"], 450)
        run = self.run_program(str(MODELS / "digits.onnx"), '{"sequence": 4}')
        self.assertEqual(json.loads(run.stdout),
                         {"error": "no dimension needs --sequence (dimensions without a size: batch)"})
        run = self.run_program("none.onnx", "{}")
        self.assertEqual(json.loads(run.stdout), {"error": "cannot open: No such file or directory"})

    def test_without_onnx(self):
        (self.folder / "site").mkdir()
        (self.folder / "site/onnx.py").write_text("__version__ = '1.12.0'\n", encoding="utf-8")
        run = self.run_program(str(MODELS / "digits.onnx"), "{}", PYTHONPATH=str(self.folder / "site"))
        self.assertIn("pip install onnx, or set MXE_PYTHON", json.loads(run.stdout)["error"])

    def test_modules_of_the_current_folder_are_not_run(self):
        (self.folder / "onnx.py").write_text("raise SystemExit('run')\n", encoding="utf-8")
        run = self.run_program(str(MODELS / "digits.onnx"), "{}")
        self.assertEqual((run.returncode, len(json.loads(run.stdout)["layers"])), (0, 3))


if __name__ == "__main__":
    unittest.main()
