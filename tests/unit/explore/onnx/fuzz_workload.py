# SPDX-License-Identifier: Apache-2.0
"""Random ONNX models whose inputs all have sizes, so that every operator of onnx is reached. Each gives an error of one
line, or products of legal sizes, within seconds.

    fuzz_workload.py [--count N] [--seed N]

Prints the number of models, nodes and operators that were reached. A crash of the library ends the run; on a terminal,
the last printed number is the --seed that repeats it.
"""
import argparse
import collections
import pathlib
import random
import sys
import tempfile
import time

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from test_workload import workload

SCHEMAS = [one for one in onnx.defs.get_all_schemas() if one.domain in ("", "ai.onnx.ml") and not one.deprecated]
TYPES = [TensorProto.FLOAT] * 6 + [TensorProto.INT64] * 3 + [TensorProto.BOOL, TensorProto.INT32, TensorProto.UINT8]
NUMBERS = [0, 1, 2, 3, -1, -2, 4, 7, 64, 1 << 31, 1 << 62, -(1 << 63)]
AXES = [1, 1, 2, 3, 4, 8, 0, 1 << 20, 1 << 40]


class Generator:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.values, self.initializers, self.inputs, self.nodes = [], [], [], []

    def shape(self):
        return [self.draw.choice(AXES[:6] if self.draw.random() < .9 else AXES)
                for _ in range(self.draw.choice((0, 1, 1, 2, 2, 3, 4, 4, 5)))]

    def source(self):
        name = f"v{len(self.values)}"
        self.values.append(name)
        if self.draw.random() < .5:
            length = self.draw.choice((None, 0, 1, 2, 3, 4))
            numbers = [self.draw.choice(NUMBERS if self.draw.random() < .3 else NUMBERS[:8])
                       for _ in range(length or 1)]
            array = np.array(numbers if length is not None else numbers[0], np.int64)
            if self.draw.random() < .2:
                array = array.astype(np.float32)
            self.initializers.append(numpy_helper.from_array(array[:0] if length == 0 else array, name))
        else:
            self.inputs.append(helper.make_tensor_value_info(name, self.draw.choice(TYPES), self.shape()))

    def attribute(self, one, depth):
        kind, draw = one.type, self.draw
        kinds = onnx.defs.OpSchema.AttrType
        several = [draw.choice(NUMBERS[:8] if draw.random() < .8 else NUMBERS) for _ in range(draw.randint(0, 5))]
        value = {kinds.INT: lambda: draw.choice(NUMBERS[:8] if draw.random() < .9 else NUMBERS),
                 kinds.INTS: lambda: several or [1],
                 kinds.FLOAT: lambda: draw.choice((0., 1., -1., 1e30, float("nan"))),
                 kinds.FLOATS: lambda: [float(v) for v in several] or [1.],
                 kinds.STRING: lambda: draw.choice(("", "SAME_UPPER", "VALID", "constant", "nearest", "ij,jk->ik")),
                 kinds.STRINGS: lambda: ["a", "b"],
                 kinds.TENSOR: lambda: numpy_helper.from_array(np.array(several or [1], np.int64), "t"),
                 kinds.GRAPH: lambda: self.graph(depth + 1)}.get(kind)
        return None if value is None else helper.make_attribute(one.name, value())

    def graph(self, depth):
        nodes, name = [], f"g{depth}_{self.draw.randrange(10 ** 6)}"
        if depth < 3:
            nodes.append(self.node(depth))
        else:
            nodes.append(helper.make_node("Identity", [self.draw.choice(self.values)], [name]))
        outputs = [helper.make_tensor_value_info(one, 1, None) for one in nodes[-1].output]
        return helper.make_graph(nodes, name, [], outputs)

    def node(self, depth=0):
        schema = self.draw.choice(SCHEMAS)
        least, most = schema.min_input, min(schema.max_input, schema.min_input + 3)
        inputs = [self.draw.choice(self.values[-12:]) if self.draw.random() < .97 else ""
                  for _ in range(self.draw.randint(least, most))]
        outputs = [f"n{depth}_{len(self.nodes)}_{self.draw.randrange(10 ** 9)}"
                   for _ in range(min(self.draw.randint(1, 3), max(schema.max_output, 1)))]
        node = helper.make_node(schema.name, inputs, outputs, domain=schema.domain)
        for one in schema.attributes.values():
            if one.required or self.draw.random() < .4:
                made = self.attribute(one, depth)
                if made is not None:
                    node.attribute.append(made)
        return node

    def model(self):
        opsets = [helper.make_opsetid("", self.draw.choice((28, 28, 24, 21, 18, 17, 13, 11, 7))),
                  helper.make_opsetid("ai.onnx.ml", self.draw.choice((1, 3, 5)))]
        for _ in range(self.draw.randint(3, 8)):
            self.source()
        self.inputs.append(helper.make_tensor_value_info("x", 1, [2, 8]))
        self.inputs.append(helper.make_tensor_value_info("w", 1, [8, 3]))

        def made():
            outputs = [helper.make_tensor_value_info("product", 1, None)]
            graph = helper.make_graph(self.nodes, "g", self.inputs, outputs, self.initializers)
            return helper.make_model(graph, opset_imports=opsets, ir_version=10)

        shapes = workload.Shapes(made())
        for _ in range(self.draw.randint(1, 8)):
            for _ in range(30):  # valid nodes are rare, and each makes later ones more likely to be valid
                node = self.node()
                try:
                    shapes.add(node)
                except workload.ModelError:
                    if self.draw.random() > .002:
                        continue
                self.nodes.append(node)
                self.values.extend(node.output)
                break
        self.nodes.append(helper.make_node("MatMul", ["x", "w"], ["product"]))
        if self.draw.random() < .5:
            operands = [self.draw.choice(self.values), self.draw.choice(self.values)]
            self.nodes.append(helper.make_node(self.draw.choice(workload.PRODUCTS), operands, ["last"]))
        return made()


def check(answer):
    for name, *product in answer["layers"]:
        assert isinstance(name, str) and len(product) == 4, answer
        assert all(isinstance(one, int) and 1 <= one <= 1 << 31 for one in product), answer


class Count:
    def __init__(self):
        self.told, self.refused = collections.Counter(), collections.Counter()
        self.add = workload.Shapes.add
        workload.Shapes.add = lambda *arguments: self.counted(*arguments)

    def counted(self, shapes, node):
        try:
            self.add(shapes, node)
        except workload.ModelError:
            self.refused[node.op_type] += 1
            raise
        self.told[node.op_type] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=300, help="models (default: 300)")
    parser.add_argument("--seed", type=int, default=1, help="of the first (default: 1)")
    options = parser.parse_args()
    count, outcomes = Count(), collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "net.onnx"
        for seed in range(options.seed, options.seed + options.count):
            if sys.stderr.isatty():
                print(seed, end="\r", file=sys.stderr, flush=True)
            path.write_bytes(Generator(seed).model().SerializeToString())
            begin = time.process_time()
            try:
                check(workload.workload(str(path), workload.Sizes()))
                outcomes["with products"] += 1
            except workload.ModelError as error:
                assert str(error) and "\n" not in str(error), seed
                outcomes["refused"] += 1
            took = time.process_time() - begin
            assert took < 5, f"seed {seed} took {took:.1f} s"
    print(f"{options.count} models: {outcomes['with products']} with products, {outcomes['refused']} refused; "
          f"{sum(count.told.values())} nodes of {len(count.told)} operators have shapes, "
          f"{sum(count.refused.values())} nodes of {len(count.refused)} were refused")
    assert options.count < 300 or len(count.told) > 100


if __name__ == "__main__":
    main()
