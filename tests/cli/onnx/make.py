#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the ONNX files in its folder as exporters write them: names like paths, shapes computed from shapes, open
dimensions. The weights are random numbers from a fixed seed; those of digits are trained, and not in its file.

    make.py [--check]

--check compares with the files instead, and runs each model in onnxruntime if that is installed. Needs the packages
onnx and numpy (tests/python/peers.txt).
"""
import argparse
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
DIGITS = HERE.parents[2] / "sw" / "mxe" / "data" / "digits"


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def weights(draw, **shapes):
    return [numpy_helper.from_array((draw.standard_normal(shape) / 8).astype(np.float16).astype(np.float32), name)
            for name, shape in shapes.items()]


def integers(**lists):
    return [numpy_helper.from_array(np.array(value, np.int64), name) for name, value in lists.items()]


def model(name, nodes, inputs, outputs, initializers, version):
    graph = helper.make_graph(nodes, name, inputs, outputs, initializers)
    made = helper.make_model(graph, producer_name="mxe", opset_imports=[helper.make_opsetid("", version)])
    made.ir_version = 8
    return made


def digits():
    """The network of mxe demo; its trained weights are in a separate file."""
    initializers, nodes, last = [], [], "image"
    for layer in (1, 2, 3):
        initializers += [numpy_helper.from_array(np.load(DIGITS / f"weight{layer}.npy").T, f"dense{layer}.weight"),
                         numpy_helper.from_array(np.load(DIGITS / f"bias{layer}.npy"), f"dense{layer}.bias")]
        nodes.append(helper.make_node("Gemm", [last, f"dense{layer}.weight", f"dense{layer}.bias"],
                                      [f"dense{layer}_out"], f"dense{layer}", transB=1))
        last = f"dense{layer}_out"
        if layer != 3:
            nodes.append(helper.make_node("Relu", [last], [f"relu{layer}_out"], f"relu{layer}"))
            last = f"relu{layer}_out"
    return model("digits", nodes, [value("image", ["batch", 64])], [value(last, ["batch", 10])], initializers, 13)


def autoencoder():
    """Convolutions, one in groups, one transposed: images of any height and width."""
    draw = np.random.default_rng(18)
    nodes = [
        helper.make_node("Conv", ["image", "enc.0.weight", "enc.0.bias"], ["c0"], "/enc/0/Conv",
                         kernel_shape=[5, 5], strides=[2, 2], pads=[2, 2, 2, 2]),
        helper.make_node("BatchNormalization", ["c0", "scale", "shift", "mean", "var"], ["n0"], "/enc/1/BatchNorm"),
        helper.make_node("LeakyRelu", ["n0"], ["r0"], "/enc/2/LeakyRelu", alpha=0.1),
        helper.make_node("Conv", ["r0", "enc.3.weight"], ["c1"], "/enc/3/Conv",
                         kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1], group=2),
        helper.make_node("Sigmoid", ["c1"], ["s1"], "/enc/4/Sigmoid"),
        helper.make_node("Mul", ["c1", "s1"], ["m1"], "/enc/4/Mul"),
        helper.make_node("ConvTranspose", ["m1", "dec.0.weight"], ["t0"], "/dec/0/ConvTranspose",
                         kernel_shape=[4, 4], strides=[2, 2], pads=[1, 1, 1, 1]),
        helper.make_node("Relu", ["t0"], ["r1"], "/dec/1/Relu"),
        helper.make_node("Resize", ["r1", "", "twice"], ["u1"], "/dec/2/Resize", mode="nearest"),
        helper.make_node("Conv", ["u1", "dec.3.weight"], ["out"], "/dec/3/Conv",
                         kernel_shape=[1, 1]),
    ]
    initializers = weights(draw, **{"enc.0.weight": (8, 3, 5, 5), "enc.0.bias": (8,), "enc.3.weight": (12, 4, 3, 3),
                                    "dec.0.weight": (12, 6, 4, 4), "dec.3.weight": (3, 6, 1, 1), "scale": (8,),
                                    "shift": (8,), "mean": (8,)})
    initializers += [numpy_helper.from_array(np.ones(8, np.float32), "var"),
                     numpy_helper.from_array(np.array([1, 1, 2, 2], np.float32), "twice")]
    return model("autoencoder", nodes, [value("image", ["batch", 3, "height", "width"])],
                 [value("out", ["batch", 3, "out_height", "out_width"])], initializers, 16)


def decoder():
    """A decoder block with a cache of keys and values; an output layer for the last token."""
    draw = np.random.default_rng(19)
    width, heads, wide = 32, 4, 8
    node = helper.make_node
    nodes = [
        node("Shape", ["ids"], ["ids_shape"], "/Shape"),
        node("Gather", ["ids_shape", "zero"], ["batch_size"], "/Gather"),
        node("Gather", ["ids_shape", "one"], ["tokens"], "/Gather_1"),
        node("Gather", ["embed.weight", "ids"], ["x"], "/embed/Gather"),
        node("LayerNormalization", ["x", "norm.weight"], ["h"], "/norm/LayerNormalization", axis=-1),
        node("Unsqueeze", ["batch_size", "axis0"], ["batch_1"], "/Unsqueeze"),
        node("Unsqueeze", ["tokens", "axis0"], ["tokens_1"], "/Unsqueeze_1"),
        node("Concat", ["batch_1", "tokens_1", "heads", "wide"], ["split"], "/Concat", axis=0),
    ]
    for part in "qkv":
        nodes += [
            node("MatMul", ["h", f"{part}_proj.weight"], [f"{part}_flat"], f"/attn/{part}_proj/MatMul"),
            node("Reshape", [f"{part}_flat", "split"], [f"{part}_heads"], f"/attn/Reshape_{part}"),
            node("Transpose", [f"{part}_heads"], [f"{part}_new"], f"/attn/Transpose_{part}", perm=[0, 2, 1, 3]),
        ]
    nodes += [
        node("Concat", ["past_k", "k_new"], ["k"], "/attn/Concat_k", axis=2),
        node("Concat", ["past_v", "v_new"], ["v"], "/attn/Concat_v", axis=2),
        node("Transpose", ["k"], ["k_turned"], "/attn/Transpose_kt", perm=[0, 1, 3, 2]),
        node("MatMul", ["q_new", "k_turned"], ["scores"], "/attn/MatMul"),
        node("Div", ["scores", "root"], ["scaled"], "/attn/Div"),
        node("Add", ["scaled", "mask"], ["masked"], "/attn/Add"),
        node("Softmax", ["masked"], ["shares"], "/attn/Softmax", axis=-1),
        node("MatMul", ["shares", "v"], ["mixed"], "/attn/MatMul_1"),
        node("Transpose", ["mixed"], ["mixed_back"], "/attn/Transpose_back", perm=[0, 2, 1, 3]),
        node("Concat", ["batch_1", "tokens_1", "width"], ["join"], "/attn/Concat_2", axis=0),
        node("Reshape", ["mixed_back", "join"], ["joined"], "/attn/Reshape_back"),
        node("MatMul", ["joined", "o_proj.weight"], ["attended"], "/attn/o_proj/MatMul"),
        node("Add", ["x", "attended"], ["x1"], "/Add"),
        node("Slice", ["x1", "last", "end", "axis1"], ["x_last"], "/Slice"),
        node("MatMul", ["x_last", "head.weight"], ["logits"], "/head/MatMul"),
    ]
    initializers = weights(draw, **{"embed.weight": (50, width), "norm.weight": (width,), "q_proj.weight": (width, width),
                                    "k_proj.weight": (width, width), "v_proj.weight": (width, width),
                                    "o_proj.weight": (width, width), "head.weight": (width, 50)})
    initializers += integers(zero=0, one=1, axis0=[0], axis1=[1], heads=[heads], wide=[wide], width=[width],
                             last=[-1], end=[2**62])
    initializers.append(numpy_helper.from_array(np.array(wide ** 0.5, np.float32), "root"))
    past = ["batch_size", heads, "past_sequence_length", wide]
    inputs = [value("ids", ["batch_size", "sequence_length"], TensorProto.INT64), value("past_k", past),
              value("past_v", past), value("mask", ["batch_size", 1, "sequence_length", "total_sequence_length"])]
    return model("decoder", nodes, inputs, [value("logits", ["batch_size", 1, 50])], initializers, 17)


MODELS = {"digits": digits, "autoencoder": autoencoder, "decoder": decoder}


def bytes_of(name):
    made = MODELS[name]()
    onnx.checker.check_model(made)
    if name != "digits":
        return {f"{name}.onnx": made.SerializeToString(deterministic=True)}
    # All weights are in one file, which is not committed: the reader needs only shapes.
    data = b""
    for tensor in made.graph.initializer:
        raw = tensor.raw_data
        onnx.external_data_helper.set_external_data(tensor, "digits.weights", len(data), len(raw))
        tensor.ClearField("raw_data")
        data += raw
    return {"digits.onnx": made.SerializeToString(deterministic=True), "digits.weights": data}


def run(name):
    """Runs a model in onnxruntime, if that is installed; prints the shape of its result; checks those of digits."""
    try:
        import onnxruntime
    except ImportError:
        return
    draw = np.random.default_rng(1)
    session = onnxruntime.InferenceSession(MODELS[name]().SerializeToString())
    feeds = {
        "digits": lambda: {"image": np.load(DIGITS / "test_images.npy").astype(np.float32).reshape(-1, 64) / 16},
        "autoencoder": lambda: {"image": draw.standard_normal((2, 3, 20, 28)).astype(np.float32)},
        "decoder": lambda: {"ids": draw.integers(0, 50, (2, 3)), "past_k": np.zeros((2, 4, 5, 8), np.float32),
                            "past_v": np.zeros((2, 4, 5, 8), np.float32), "mask": np.zeros((2, 1, 3, 8), np.float32)},
    }[name]()
    (result,) = session.run(None, feeds)
    print(name, result.shape)
    if name == "digits":
        right = int((result.argmax(1) == np.load(DIGITS / "test_labels.npy")).sum())
        print(f"  {right} of {len(result)} right")
        assert right > 0.95 * len(result)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    different = []
    for name in MODELS:
        for file, data in bytes_of(name).items():
            if file.endswith(".weights"):
                continue
            if not check:
                (HERE / file).write_bytes(data)
            elif (HERE / file).read_bytes() != data:
                different.append(file)
        if check:
            run(name)
    if different:
        sys.exit(f"not what make.py writes: {', '.join(different)}")


if __name__ == "__main__":
    main()
