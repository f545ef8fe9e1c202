# SPDX-License-Identifier: Apache-2.0
from importlib.util import find_spec

import numpy as np
import pytest
from conftest import assert_same, awkward, plain

import mxe
import mxe.compat.pychop as ours

FORMATS = [*ours.MX_FORMATS, (3, 4), (2, 2), (5, 7), (0, 3)]


@pytest.fixture(scope="module")
def theirs():
    return pytest.importorskip("pychop.np.mx_formats",
                               reason="pychop is not installed: its values are not compared")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("block, scale", [(32, (None, None)), (20, (5, 2)), (16, (8, 3)),
                                          *[(32, (bits, None)) for bits in (2, 3, 4, 6, 7)]])
def test_values(theirs, format, block, scale):
    x = awkward((9, 37))
    mine = ours.MXTensor_(x, format, block, *scale)
    expected = theirs.MXTensor_(x, format, block, *scale)
    values = np.asarray(expected.dequantize(), np.float32)
    assert_same(mine.dequantize() + np.float32(0), values + np.float32(0))
    assert mine.statistics() == expected.statistics()
    assert_same(ours.mx_quantize(x, format, block, *scale), mine.dequantize())


def test_specs(theirs):
    for name, spec in ours.MX_FORMATS.items():
        other = theirs.MX_FORMATS[name]
        for part in ("name", "exp_bits", "sig_bits", "element_bits", "total_bits_per_block",
                     "compression_vs_fp32", "compression_vs_fp16"):
            assert getattr(spec, part) == getattr(other, part)
    mine, other = ours.create_mx_spec(3, 4, 64, 6), theirs.create_mx_spec(3, 4, 64, 6)
    assert mine.name == other.name and mine.total_bits_per_block == other.total_bits_per_block
    x = plain((4, 64))
    assert_same(ours.mx_quantize(x, mine), np.asarray(theirs.mx_quantize(x, other), np.float32))


@pytest.mark.parametrize("name", ["float32", "bfloat16", "float64"])
def test_gradient_is_straight_through(name):
    """Also where numbers are clipped, as in pychop."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    x = torch.from_numpy(plain((9, 37)) * 100).to(getattr(torch, name))
    grown = torch.from_numpy(plain((9, 37), 2)).to(x.dtype)
    made = [lambda v: ours.mx_quantize(v, "mxfp4_e2m1"), lambda v: ours.mx_quantize(v, (3, 4), 16),
            lambda v: ours.MXTensor_(v, "mxint8").dequantize()]
    if find_spec("pychop") and name == "float32":
        from pychop.tch.mx_formats import mx_quantize
        made.append(lambda v: mx_quantize(v, "mxfp4_e2m1"))
    for call in made:
        y = x.clone().requires_grad_()
        values = call(y)
        values.backward(grown)
        assert torch.equal(y.grad, grown) and y.grad.dtype == x.dtype
    weight, bias = torch.nn.Parameter(x[:, :32].float()), torch.nn.Parameter(torch.zeros(9))
    torch.nn.functional.linear(x[:, :32].float(), ours.mx_quantize(weight), bias).sum().backward()
    assert torch.count_nonzero(weight.grad) > 0
    assert not ours.mx_quantize(x).requires_grad


def test_without_the_real_one():
    x = awkward((9, 37))
    assert_same(ours.mx_quantize(x, "mxfp4_e2m1"), mxe.fake_quantize(x, "mxfp4_e2m1", "pychop"))
    assert ours.MXTensor_(x).statistics()["num_blocks"] == 11
    torch = pytest.importorskip("torch", reason="torch is not installed")
    values = ours.mx_quantize(torch.from_numpy(x).bfloat16(), "mxint8")
    assert values.dtype == torch.bfloat16


def test_errors():
    for error, text, call in (
            (ValueError, "unknown format 'fp3'", lambda: ours.mx_quantize([1.0], "fp3")),
            (TypeError, "not float", lambda: ours.mx_quantize([1.0], 3.0)),
            (ValueError, "e9m0", lambda: ours.mx_quantize([1.0], scale_exp_bits=9))):
        with pytest.raises(error, match=text):
            call()
