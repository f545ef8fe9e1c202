# SPDX-License-Identifier: Apache-2.0
"""Habits of arrays of NumPy: len, [], ==, @, names and types of arguments."""
import typing
import warnings

import numpy as np
import pytest
from conftest import assert_same, plain

import mxe
from mxe import _names


def array(shape=(6, 96), name="mxfp4_e2m1", **switches):
    return mxe.quantize(plain(shape), name, **switches)


@pytest.mark.parametrize("name", ["mxfp4_e2m1", "nvfp4", "int12"])
def test_numbers(name):
    q = array(name=name)
    assert_same(np.asarray(q), q.dequantize())
    assert np.asarray(q, np.float64).dtype == np.float64 and np.array(q, copy=True).dtype == q.dtype == np.float32
    assert len(q) == 6 and q.ndim == 2 and q.block_size == q.block
    assert_same(np.exp(q), np.exp(q.dequantize()))
    assert (q == q.dequantize()).all() and (q.dequantize() == q).all() and not (q != q).any()
    assert_same(q == 0, q.dequantize() == 0)
    assert_same(q == array(name="mxint8"), q.dequantize() == array(name="mxint8").dequantize())
    assert hash(q) == hash(q)
    with pytest.raises(ValueError, match="are computed"):
        np.array(q, copy=False)
    with pytest.raises(TypeError, match="no len"):
        len(mxe.quantize(1.0, "mxint8"))


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("name", ["mxfp8_e4m3", "nvfp4", "int12"])
def test_slices(name, axis):
    q = array((64, 96, 128), name, axis=axis)
    values = q.dequantize()
    for key in (1, np.int64(-1), slice(32), slice(-64, None), (slice(None), slice(32, 64)), (..., slice(64, None)),
                (..., 3), (5, ..., slice(96, 128)), (slice(None, None, 2), 7), ..., (), (slice(32, 32),)):
        keys = list(key) if isinstance(key, tuple) else [key]
        if ... in keys:
            at = keys.index(...)
            keys[at:at + 1] = [slice(None)] * (4 - len(keys))
        keys += [slice(None)] * (3 - len(keys))
        whole = isinstance(keys[axis], slice) and keys[axis].step is None
        if not whole:
            with pytest.raises(ValueError, match="is no block|cuts blocks"):
                q[key]
            continue
        part = q[key]
        assert_same(part.dequantize(), values[key])
        assert part.quantizer == q.quantizer and part.tensor_scale == q.tensor_scale
        assert not np.shares_memory(part.codes, q.codes)
    assert [row.shape for row in array((2, 64))] == [(64,), (64,)]


def test_indices_that_are_refused():
    q = array()
    for key, error, text in ((np.ones(6, bool), TypeError, "not ndarray"), (True, TypeError, "not bool"),
                             ([0, 1], TypeError, "not list"), (None, TypeError, "not NoneType"),
                             (1.0, TypeError, "not float"), ((0, 0, 0), IndexError, "3 indices"),
                             ((..., ...), IndexError, "2 indices"), (6, IndexError, "out of bounds"),
                             ((0, slice(16, 32)), ValueError, r"\[16:32:1\] cuts blocks of 32")):
        with pytest.raises(error, match=text):
            q[key]
    for preset in ("pychop", "nvfp4-te-row", "nvfp4-te-2d"):
        name = "mxint8" if preset == "pychop" else "nvfp4"
        with pytest.raises(ValueError, match="has no slices"):
            mxe.quantize(plain((32, 64)), name, preset)[:16]


def test_products():
    a, b = plain((5, 64)), plain((64, 7), 2)
    for name in ("mxint8", "mxfp4_e2m1"):
        q, w = mxe.quantize(a, name), mxe.quantize(b, name, axis=0)
        assert_same(q @ w, mxe.matmul(q, w))
        for call in (lambda: q @ b, lambda: a @ w):
            with pytest.raises(TypeError, match="@ multiplies two mxe.Arrays"):
                call()


def test_notebooks():
    html = array(name="nvfp4")._repr_html_()
    assert "<td>6 x 96</td>" in html and "<td>nvfp4</td>" in html and "tensor scale" in html
    assert mxe.quantize(1.0, "mxint8")._repr_html_().count("<tr>") == 5
    assert set(mxe.__all__) <= set(dir(mxe)) and not {"Any", "Source", "resolve"} & set(dir(mxe))


def test_block_and_block_size():
    x = plain((4, 128))
    expected = mxe.quantize(x, "mxfp8_e4m3", block=64)
    assert mxe.Quantizer("mxfp8_e4m3", block=64) == mxe.Quantizer("mxfp8_e4m3", block_size=64) == expected.quantizer
    assert mxe.Quantizer("mxfp8_e4m3", block_size=16).replace(block=64) == expected.quantizer
    assert_same(mxe.quantize(x, "mxfp8_e4m3", block_size=64).scales, expected.scales)
    assert_same(mxe.fake_quantize(x, "mxfp8_e4m3", block_size=64), expected.dequantize())
    again = mxe.Array.from_codes(expected.codes, expected.scales, "mxfp8_e4m3", block_size=64)
    assert_same(again.dequantize(), expected.dequantize())
    assert mxe.quantize(x, "mxfp8_e4m3", block=64, block_size=64).block == 64
    for call in (lambda: mxe.quantize(x, "mxfp8_e4m3", block=32, block_size=64),
                 lambda: mxe.Quantizer("mxfp8_e4m3", block=32, block_size=64)):
        with pytest.raises(ValueError, match="block=32 and block_size=64 are two names of one argument"):
            call()


def test_names_of_literals():
    def names(literal):
        return list(typing.get_args(literal))

    assert names(_names.FormatName) == [one.name for one in mxe.formats()]
    assert names(_names.PresetName) == [one.name for one in mxe.presets()]
    x = plain((4, 64))
    for name in names(_names.ScaleRuleName):
        mxe.quantize(x, "mxint8", scale_rule=name)
        mxe.matmul(x, x.T, "mxint8", "mxint8", out_format="mxint8", out_rule=name)
    for name in names(_names.RoundingName):
        mxe.quantize(x, "mxint8", rounding=name)
    for name in names(_names.ScaleFormatName):
        mxe.quantize(x, "mxfp4_e2m1" if name == "e8m0" else "nvfp4", scale_format=name)
    for name in names(_names.AccumulateName):
        mxe.matmul(x, x.T, "mxfp8_e4m3", "mxfp8_e4m3", accumulate=name)
    for name in names(_names.OverflowName):
        mxe.matmul(x, x.T, "mxint8", "mxint8", out_format="mxint8", out_overflow=name)
    for name in names(_names.OutFormatName):
        if name != "bf16":  # needs ml_dtypes
            mxe.matmul(x, x.T, "mxint8", "mxint8", out_format=name)


@pytest.mark.parametrize("text, call", [
    ("tensor_amax must be a number, not str", lambda x: mxe.quantize(x, "nvfp4", tensor_amax="a")),
    ("tensor_scale must be a number, not list", lambda x: mxe.Array.from_codes(
        np.zeros((4, 16), np.uint8), np.zeros((4, 1), np.uint8), "nvfp4", tensor_scale=[1])),
    ("a list must hold numbers", lambda x: mxe.quantize([1j], "mxint8")),
    ("an mxe.Array is quantized already", lambda x: mxe.quantize(mxe.quantize(x, "mxint8"), "mxint8")),
    ("an mxe.Array is quantized already", lambda x: mxe.matmul(x, x.T, "mxint8", "mxint8",
                                                               bias=mxe.quantize(x, "mxint8"))),
    ("arrays must be an mxe.Array or a dictionary of them, not int", lambda x: mxe.save("none", 5)),
    ("'w' must be an mxe.Array, not ndarray", lambda x: mxe.save("none", {"w": x})),
    ("formats must be a list of names, not str", lambda x: mxe.compare(x, "mxint8")),
    ("formats must be a list of names, not int", lambda x: mxe.compare(x, 5)),
    ("presets must be a list of names, not str", lambda x: mxe.compare(x, ["mxint8"], "ocp")),
    ("at must be a whole number, not str", lambda x: mxe.explain(x, "mxint8", at="a")),
    ("at must be a whole number, not float", lambda x: mxe.explain(x, "mxint8", at=[1.5])),
    ("target must be a text, not int", lambda x: mxe.Engine("small", target=5)),
])
def test_wrong_types(text, call):
    with pytest.raises(TypeError, match=text) as caught, warnings.catch_warnings():
        warnings.simplefilter("error")
        call(plain((4, 64)))
    assert "\n" not in str(caught.value)


def test_lists_that_are_no_arrays():
    for values in ([[1.0], [1.0, 2.0]], ["a"]):
        with pytest.raises(ValueError, match="a list must hold numbers") as caught:
            mxe.quantize(values, "mxint8")
        assert "\n" not in str(caught.value)
