# SPDX-License-Identifier: Apache-2.0
from fractions import Fraction

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


OPERANDS = [("nvfp4", "nvfp4"), ("nvfp4", "mxfp8_e4m3"),
            (mxe.Quantizer("nvfp4", "nvfp4-te"), mxe.Quantizer("nvfp4", "nvfp4-te-row")),
            (mxe.Quantizer("mxint8", block_size=128), mxe.Quantizer("mxfp8_e5m2", block_size=64)),
            (mxe.Quantizer("nvfp4", "nvfp4-te-pow2"), mxe.Quantizer("mxfp4_e2m1", block_size=16)),
            (mxe.Quantizer("nvfp4", "nvfp4-torchao1", scale_format="e5m3"), "nvfp4")]


@pytest.mark.parametrize("dual", [True, False])
@pytest.mark.parametrize("quantizers", OPERANDS)
def test_scale_kinds_and_block_sizes(cli, quantizers, dual):
    a, b, bias = plain((9, 200)), plain((200, 5), 2), plain((9, 5), 3)
    options = ["--set", f"FP4_DUAL={int(dual)}", "--bias", cli.save("c.npy", bias)]
    for side, quantizer in zip("ab", quantizers):
        if not isinstance(quantizer, str):
            options += [f"--preset-{side}", quantizer.preset, f"--block-{side}",
                        str(quantizer.switches["block_size"]), f"--scale-format-{side}",
                        quantizer.switches["scale_format"]]
    names = [q if isinstance(q, str) else q.format for q in quantizers]
    cli.run("matmul", cli.save("a.npy", a), cli.save("b.npy", b), "--format-a", names[0],
            "--format-b", names[1], "--on", "golden", "--output", cli.path("y.npy"), *options)
    expected = cli.load("y.npy")
    assert_same(mxe.matmul(a, b, *quantizers, bias=bias, dual=dual), expected)
    qa, qb = mxe.quantize(a, quantizers[0]), mxe.quantize(b, quantizers[1], axis=0)
    for _ in range(3):  # from the second product on, B keeps its packed rows
        assert_same(mxe.matmul(qa, qb, bias=bias, dual=dual), expected)
    flipped = mxe.quantize(np.ascontiguousarray(b.T), quantizers[1])
    assert_same(mxe.matmul(qa, flipped, transpose_b=True, bias=bias, dual=dual), expected)


def floats(codes, exponent_bits, mantissa_bits, bias):
    """The exact values of codes of a float format without specials, as Fractions; the sign is the top bit."""
    def one(code):
        mantissa = code % 2 ** mantissa_bits
        exponent = code >> mantissa_bits & (2 ** exponent_bits - 1)
        value = Fraction(mantissa + (2 ** mantissa_bits if exponent else 0)) * \
            Fraction(2) ** (max(exponent, 1) - bias - mantissa_bits)
        return -value if code >> (exponent_bits + mantissa_bits) & 1 else value
    return np.vectorize(one, otypes=[object])(np.asarray(codes, int))


def rounded(value):
    """A Fraction as float32, to nearest even."""
    if value == 0:
        return Fraction(0)
    size = abs(value)
    log2 = size.numerator.bit_length() - size.denominator.bit_length()
    log2 -= size < Fraction(2) ** log2
    step = Fraction(2) ** max(log2 - 23, -149)
    return round(value / step) * step


def product_in_steps(a, b, step, alpha, bias):
    """Fractions [M, K] @ [K, N]: one rounding to float32 per step of K, then alpha * sum, then + bias."""
    result = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for m, n in np.ndindex(*result.shape):
        total = Fraction(0)
        for first in range(0, a.shape[1], step):
            part = slice(first, first + step)
            total = rounded(total + sum(a[m, part] * b[part, n]))
        result[m, n] = float(rounded(rounded(alpha * total) + Fraction(float(bias[m, n]))))
    return result


def exact_operand(q, axis):
    """Elements times block scales as Fractions, by the definitions of the formats."""
    shapes = {"nvfp4": (2, 1, 1), "mxfp4_e2m1": (2, 1, 1), "mxfp8_e4m3": (4, 3, 7), "mxfp6_e2m3": (2, 3, 1)}
    values = floats(q.codes, *shapes[q.format])
    if q.scale_format == "e8m0":
        scales = np.vectorize(lambda code: Fraction(2) ** (code - 127), otypes=[object])(q.scales.astype(int))
    else:
        scales = floats(q.scales, *((4, 3, 7) if q.scale_format == "e4m3" else (5, 3, 15)))
    wide = np.repeat(scales, q.block, axis)
    return values * (wide[:, :values.shape[1]] if axis == 1 else wide[:values.shape[0]])


E2M1_16 = mxe.Quantizer("nvfp4", "nvfp4-te-pow2")


@pytest.mark.parametrize("a, b, step, dual", [
    ("nvfp4", "nvfp4", 64, True), ("nvfp4", "nvfp4", 32, False), ("nvfp4", "mxfp8_e4m3", 32, True),
    ("mxfp6_e2m3", "nvfp4", 32, True), (E2M1_16, E2M1_16, 16, True), (E2M1_16, "nvfp4", 16, True),
    (mxe.Quantizer("mxfp8_e4m3", block_size=64), mxe.Quantizer("mxfp6_e2m3", block_size=128), 32, True),
    (mxe.Quantizer("nvfp4", "nvfp4-torchao1", scale_format="e5m3"), mxe.Quantizer("nvfp4", "nvfp4-torchao1"), 64,
     True)])
def test_the_definition_in_fractions(a, b, step, dual):
    x, y, bias = awkward_rows((4, 150)), awkward_rows((3, 150), 2).T, plain((4, 3), 3)
    q, w = mxe.quantize(x, a), mxe.quantize(y, b, axis=0)
    alpha = rounded(Fraction(q.tensor_scale) * Fraction(w.tensor_scale))
    expected = product_in_steps(exact_operand(q, 1), exact_operand(w, 0), step, alpha, bias)
    if q.tensor_scale == w.tensor_scale == 1:  # without ALPHA the bias starts the sum
        assert_same(mxe.matmul(q, w, dual=dual), product_in_steps(
            exact_operand(q, 1), exact_operand(w, 0), step, 1, np.zeros((4, 3))))
        assert_same(mxe.matmul(q, w, dual=dual, bias=bias, alpha=1), expected)
    else:
        assert_same(mxe.matmul(q, w, dual=dual, bias=bias), expected)


def awkward_rows(shape, seed=1):
    """Blocks of very different magnitudes and signs, so that sums cancel and round."""
    x = plain(shape, seed)
    return (x * np.exp2(np.random.default_rng(seed).integers(-9, 9, shape[-1] // 10 + 1))[np.arange(
        shape[-1]) // 10]).astype(np.float32)


def test_alpha():
    """fl(fl(alpha * sum) + bias), in place of the product of the tensor scales."""
    a, b, bias = plain((9, 70)), plain((70, 13), 2), plain((13,), 3)
    qa = mxe.quantize(a, "nvfp4", "nvfp4-torchao1")
    qb = mxe.quantize(b, "nvfp4", "nvfp4-torchao1", axis=0)
    sums, alpha = mxe.matmul(qa, qb), np.float32(0.3)
    assert_same(mxe.matmul(qa, qb, alpha=0.3, bias=bias), alpha * sums + bias)
    assert_same(mxe.matmul(a, b, *PAIRS[0], alpha=-2), -2 * mxe.matmul(a, b, *PAIRS[0]) + 0)
    scaled = [mxe.quantize(a, "nvfp4"), mxe.quantize(b, "nvfp4", axis=0)]
    factor = np.float32(scaled[0].tensor_scale) * np.float32(scaled[1].tensor_scale)
    assert_same(mxe.matmul(*scaled), factor * mxe.matmul(*scaled, alpha=1))
    for wrong in (float("inf"), float("nan"), 1e39):
        with pytest.raises(ValueError, match="alpha must be a finite number"):
            mxe.matmul(qa, qb, alpha=wrong)
    with pytest.raises(TypeError, match="alpha must be a number"):
        mxe.matmul(qa, qb, alpha="1")


def test_tensor_scales_are_of_whole_arrays():
    """All products of an array share its tensor scale; a product of slices has the slice's."""
    a, b = plain((3, 9, 70)), plain((3, 70, 13), 2)
    qa, qb = mxe.quantize(a, "nvfp4"), mxe.quantize(b, "nvfp4", axis=-2)
    y = mxe.matmul(qa, qb)
    assert_same(mxe.matmul(a, b, "nvfp4", "nvfp4"), y)
    for i in range(3):
        one = mxe.quantize(a[i], "nvfp4", tensor_amax=qa.tensor_amax)
        other = mxe.quantize(b[i], "nvfp4", axis=0, tensor_amax=qb.tensor_amax)
        assert_same(mxe.matmul(one, other), y[i])


def test_wrong_operands():
    x = plain((8, 64))
    for quantizer, message in (
            (mxe.Quantizer("mxint8", block_size=48), "a: blocks of 48 elements .allowed: 16, 32, "),
            (mxe.Quantizer("nvfp4", block_size=32), "a: scales e4m3 and e5m3 need mxfp4_e2m1 in "),
            (mxe.Quantizer("e4m3"), "a: no product has elements of the format e4m3 "),
            (mxe.Quantizer("mxint8", scale_format="e5m0"), "a: no product has scales e5m0 "),
            (mxe.Quantizer("mxint8", "torchmx"), "a: no product has operands of this preset")):
        with pytest.raises(ValueError, match=message):
            mxe.matmul(x, x.T, quantizer, "mxint8")
    q, w = mxe.quantize(x, "nvfp4"), mxe.quantize(x, "nvfp4")
    for code in (0x7F, 0x80, 0xFF):
        scales = q.scales.copy()
        scales[2, 1] = code
        with pytest.raises(ValueError, match=f"scales: scale 9 is the code {code}, NaN .allowed: 0 to 126"):
            mxe.Array.from_codes(q.codes, scales, "nvfp4", tensor_scale=1)
    with pytest.raises(ValueError, match="has a scale of the whole tensor, which is missing"):
        mxe.Array.from_codes(q.codes, q.scales, "nvfp4")
    with pytest.raises(ValueError, match=r"scales must be \[8, 4\]"):
        mxe.Array.from_codes(q.codes, q.scales[:, :2], "nvfp4", tensor_scale=1)
    with pytest.raises(ValueError, match="a must be quantized along axis 1, which the sum runs along"):
        mxe.matmul(mxe.quantize(x, "nvfp4", axis=0), w, transpose_b=True)
    engine = mxe.Engine("small")
    for quantizer in ("nvfp4", mxe.Quantizer("mxint8", block_size=16)):
        with pytest.raises(ValueError, match="no engine multiplies .* .allowed: E8M0 scales of "):
            mxe.matmul(x, x.T, quantizer, "mxint8", on=engine)
    with pytest.raises(ValueError, match="a factor of the results needs NVFP4 = 1"):
        mxe.matmul(x, x.T, "mxfp4_e2m1", "mxfp4_e2m1", alpha=2, on=engine)
    for formats, more in ((("nvfp4", "nvfp4"), {}), (("nvfp4", "nvfp4"), {"bias": x[:, 0]}),
                          ((mxe.Quantizer("mxint8", block_size=64), mxe.Quantizer("mxfp6_e3m2", block_size=128)), {}),
                          (("mxint8", "mxfp8_e4m3"), {"alpha": -0.3, "bias": x[:, 0]})):
        np.testing.assert_array_equal(mxe.matmul(x, x.T, *formats, **more, on=engine),
                                      mxe.matmul(x, x.T, *formats, **more))
    engine.close()
