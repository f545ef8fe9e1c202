# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from conftest import assert_same, awkward, plain

import mxe

PAIRS = [("mxfp8_e4m3", "mxfp4_e2m1"), ("mxfp4_e2m1", "mxfp4_e1m2"), ("mxint8", "mxfp6_e3m2"),
         ("mxfp8_e5m2", "mxfp8_e5m2")]


def compare(cli, a, b, formats, options=(), **arguments):
    cli.run("matmul", cli.save("a.npy", a), cli.save("b.npy", b), "--format-a", formats[0],
            "--format-b", formats[1], "--on", "golden", "--output", cli.path("y.npy"), *options)
    y = mxe.matmul(a, b, *formats, **arguments)
    values = y.dequantize() if isinstance(y, mxe.Array) else np.asarray(y, np.float32)
    assert_same(values, cli.load("y.npy"))
    return y


@pytest.mark.parametrize("formats", PAIRS)
def test_formats(cli, formats):
    compare(cli, awkward((9, 70)), awkward((70, 13), 2), formats)


@pytest.mark.parametrize("output", ["fp32", "bf16", "fp16"] + [f.name for f in mxe.formats()
                                                               if f.name != "nvfp4"])
def test_outputs(cli, output):
    if output == "bf16":
        pytest.importorskip("ml_dtypes")
    options = ["--out-format", output]
    if output.startswith("mx"):
        options += ["--elements", cli.path("e.npy"), "--scales", cli.path("s.npy")]
    y = compare(cli, plain((9, 70)), plain((70, 45), 2), PAIRS[0], options, out_format=output)
    if output.startswith("mx"):
        assert_same(y.codes, cli.load("e.npy"))
        assert_same(y.scales, cli.load("s.npy"))
    else:
        assert y.dtype.name == {"fp32": "float32", "bf16": "bfloat16", "fp16": "float16"}[output]


def test_output_options(cli):
    a, b = plain((9, 70)), plain((70, 45), 2)
    compare(cli, a, b, PAIRS[0], ["--out-format", "mxfp8_e4m3", "--out-rule", "rceil"],
            out_format="mxfp8_e4m3", out_rule="rceil")
    compare(cli, a, b, PAIRS[0], ["--out-format", "mxfp8_e4m3", "--out-overflow", "special"],
            out_format="mxfp8_e4m3", out_overflow="special")


@pytest.mark.parametrize("accumulate", ["block", "exact", "sequential", "nvidia-blackwell"])
def test_accumulation(cli, accumulate):
    compare(cli, plain((9, 170)), plain((170, 13), 2), PAIRS[0], ["--accumulate", accumulate],
            accumulate=accumulate)


def test_bias(cli):
    a, b = plain((3, 9, 70)), plain((3, 70, 13), 2)
    for shape in ((13,), (9, 13), (3, 9, 13)):
        for form in ("fp32", "bf16"):
            bias = plain(shape, 3)
            compare(cli, a, b, PAIRS[0], ["--bias", cli.save("c.npy", bias), "--bias-format", form],
                    bias=bias, bias_format=form)


def test_bias_is_added_to_every_row_of_a_shared_b(cli):
    a, b, bias = plain((3, 9, 70)), plain((70, 13), 2), plain((9, 13), 3)
    compare(cli, a, b, PAIRS[0], ["--bias", cli.save("c.npy", bias)], bias=bias)


@pytest.mark.parametrize("a, b", [((2, 3, 5, 70), (2, 3, 70, 7)), ((5, 70), (4, 70, 7)),
                                  ((4, 5, 70), (70, 7)), ((2, 1, 5, 70), (3, 70, 7)),
                                  ((1, 5, 70), (2, 3, 70, 7)), ((3, 1, 5, 70), (1, 2, 70, 7))])
def test_broadcasting(cli, a, b):
    x, w = plain(a), plain(b, 2)
    y = compare(cli, x, w, PAIRS[0])
    assert y.shape == np.matmul(x, w).shape
    compare(cli, x, np.ascontiguousarray(w.swapaxes(-1, -2)), PAIRS[0], ["--transpose-b"],
            transpose_b=True)
    leading = y.shape[:-2]
    x, w = np.broadcast_to(x, leading + x.shape[-2:]), np.broadcast_to(w, leading + w.shape[-2:])
    for at in np.ndindex(leading):
        assert_same(y[at], mxe.matmul(x[at], w[at], *PAIRS[0]))


def test_quantized_operands():
    a, b = plain((2, 5, 70)), plain((2, 70, 7), 2)
    expected = mxe.matmul(a, b, "mxfp8_e4m3", "mxfp4_e2m1")
    qa = mxe.quantize(a, "mxfp8_e4m3")
    assert_same(mxe.matmul(qa, mxe.quantize(b, "mxfp4_e2m1", axis=-2)), expected)
    qw = mxe.quantize(b.swapaxes(-1, -2), "mxfp4_e2m1")
    assert_same(mxe.matmul(qa, qw, transpose_b=True), expected)
    assert_same(mxe.matmul(qa, b, format_b="mxfp4_e2m1"), expected)
    other = mxe.quantize(b, "mxfp4_e2m1", "torchao-rceil", axis=-2)
    assert not np.array_equal(mxe.matmul(qa, other), expected)


@pytest.mark.parametrize("transpose", [False, True])
def test_b_may_change_between_products(transpose):
    """A B keeps its packed rows; they must not be used after its codes change."""
    w = plain((70, 7))
    b = mxe.quantize(w.T.copy() if transpose else w, "mxfp4_e2m1", axis=-1 if transpose else 0)

    def agree(*formats):
        for format in formats:
            a = mxe.quantize(plain((5, 70), 2), format)
            expected = mxe.matmul(a.dequantize(), b.dequantize(), format_a=format,
                                  format_b="mxfp4_e2m1", transpose_b=transpose)
            assert_same(mxe.matmul(a, b, transpose_b=transpose), expected)
    agree("mxfp8_e4m3", "mxfp8_e4m3", "mxint8", "mxfp4_e2m1", "mxfp8_e4m3")
    for view in (b.codes, b.codes, b.scales):
        view[...] = view ^ np.uint8(1)
        agree("mxfp8_e4m3", "mxfp8_e4m3")


def test_slices_are_seamless():
    """The product takes more than one slice between checks for signals."""
    a, b, bias = plain((300, 600)), plain((600, 1200), 2), plain((300, 1200), 3)
    whole = mxe.matmul(a, b, *PAIRS[0], bias=bias, accumulate="exact")
    for rows in (slice(0, 100), slice(100, 300)):
        assert_same(whole[rows], mxe.matmul(a[rows], b, *PAIRS[0], bias=bias[rows],
                                            accumulate="exact"))


def test_one_chain():
    scales = np.exp2(np.repeat(np.arange(6), 32)[:170]).astype(np.float32)
    a, b = plain((9, 170)) * scales, plain((170, 13), 2) * scales[:, None] * 1024
    a[:, 0] *= 3e6  # makes the two chains and one chain round differently
    two, one = (mxe.matmul(a, b, "mxfp4_e2m1", "mxfp4_e2m1", dual=dual) for dual in (True, False))
    np.testing.assert_allclose(two, one, rtol=1e-3)
    assert not np.array_equal(two, one)
