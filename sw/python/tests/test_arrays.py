# SPDX-License-Identifier: Apache-2.0
import copy
import pickle

import numpy as np
import pytest
from conftest import assert_same, awkward, plain

import mxe


@pytest.mark.parametrize("name, preset", [
    ("mxfp4_e2m1", "ocp"), ("mxfp8_e5m2", "torchao-rceil"), ("mxint8", "torchmx"),
    ("mxint8", "quark-onnx"), ("mxfp6_e2m3", "pychop"), ("nvfp4", "nvfp4-torchao2"),
    ("nvfp4", "nvfp4-te"), ("nvfp4", "nvfp4-te-row"), ("nvfp4", "nvfp4-modelopt-4over6"),
    ("e5m7", "ocp"), ("int12", "ocp")])
@pytest.mark.parametrize("axis", [0, 1])
def test_dequantize(cli, name, preset, axis):
    x = awkward((40, 70))
    if name == "nvfp4":  # NaN in the tensor scale would make every number NaN
        x[~np.isfinite(x)] = 1
    q = mxe.quantize(x, name, preset, axis=axis)
    options = []
    if q.row_amaxes is not None:
        options += ["--row-amax", cli.save("r.npy", q.row_amaxes)]
    elif q.quantizer.switches["value_order"] == "amax_first":
        options += ["--tensor-amax", repr(q.tensor_amax)]
    elif name == "nvfp4":
        options += ["--tensor-scale", repr(q.tensor_scale)]
    for dtype in ("float32", "float16"):
        cli.run("dequantize", "--elements", cli.save("e.npy", q.codes), "--scales",
                cli.save("s.npy", q.scales), "--format", name, "--preset", preset, "--axis", axis,
                "--output", cli.path("d.npy"), "--dtype", dtype, *options)
        assert_same(q.dequantize(dtype), cli.load("d.npy"))
    if q.quantizer.switches["walk"] != "flat":
        again = mxe.Array.from_codes(q.codes, q.scales, name, preset, axis=axis,
                                     tensor_scale=q.tensor_scale, tensor_amax=q.tensor_amax,
                                     row_amaxes=q.row_amaxes)
        assert_same(again.dequantize(), q.dequantize())


@pytest.mark.parametrize("name, switches", [("mxfp8_e4m3", {"block_size": 16}),
                                            ("mxfp8_e4m3", {"scale_format": "e5m0"}),
                                            ("mxfp4_e2m1", {"element_shift": 1}),
                                            ("mxfp6_e2m3", {"unsigned_zero_values": True}),
                                            ("mxfp4_e2m1", {"block_rows": 4})])
def test_dequantize_of_other_quantizers(name, switches):
    quantizer = mxe.Quantizer(name, **switches)
    x = plain((40, 96))
    x[0, :4] = -0.0
    assert_same(mxe.quantize(x, quantizer).dequantize(), mxe.fake_quantize(x, quantizer))


def test_codes_with_a_tensor_scale_alone():
    q = mxe.quantize(plain((4, 64)) * 1000, "nvfp4")
    assert q.tensor_scale != 1
    again = mxe.Array.from_codes(q.codes, q.scales, "nvfp4", tensor_scale=q.tensor_scale)
    assert_same(again.dequantize(), q.dequantize())


def test_bfloat16_values():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    q = mxe.quantize(plain((4, 64)), "mxfp8_e4m3")
    assert_same(q.dequantize("bfloat16").view(np.uint16),
                q.dequantize().astype(ml_dtypes.bfloat16).view(np.uint16))


@pytest.mark.parametrize("name", ["mxfp4_e2m1", "mxfp6_e3m2", "mxfp8_e4m3", "e2m2"])
@pytest.mark.parametrize("order", ["low", "high"])
def test_packing(cli, name, order):
    x = plain((3, 5, 37))
    q = mxe.quantize(x, name)
    if order == "high" and q.quantizer._core.bits != 4:
        with pytest.raises(ValueError, match="4-bit"):
            q.pack(order)
        return
    cli.run("quantize", cli.save("x.npy", x), "--format", name, "--elements", cli.path("e.npy"),
            "--pack", order)
    packed = q.pack(order)
    assert_same(packed, cli.load("e.npy"))
    again = mxe.Array.from_codes(packed, q.scales, name, packed=order, length=37)
    assert_same(again.codes, q.codes)


def test_swizzling(cli):
    x = plain((2, 70, 300))
    cli.run("quantize", cli.save("x.npy", x), "--format", "mxfp8_e4m3", "--scales",
            cli.path("s.npy"), "--swizzle", "32x4x4")
    q = mxe.quantize(x, "mxfp8_e4m3")
    assert_same(q.scales_swizzled(), cli.load("s.npy"))
    with pytest.raises(ValueError, match="last axis"):
        mxe.quantize(x, "mxfp8_e4m3", axis=0).scales_swizzled()


@pytest.mark.parametrize("name, preset", [("mxfp4_e2m1", "ocp"), ("mxfp8_e4m3", "ocp"),
                                          ("mxint8", "quark-onnx"), ("nvfp4", "nvfp4-te-row"),
                                          ("int12", "ocp"), ("nvfp4", "ocp")])
def test_files(cli, name, preset):
    x = plain((6, 64))
    q = mxe.quantize(x, name, preset)
    path = cli.path("q.safetensors")
    q.save(path)
    again = mxe.load(path)
    assert again.quantizer == q.quantizer
    for part in ("codes", "scales", "scale_values"):
        assert_same(getattr(again, part), getattr(q, part))
    assert_same(again.dequantize(), q.dequantize())
    if preset == "ocp" and name != "nvfp4":
        cli.run("dequantize", "--elements", path, "--scales", path, "--format", name, "--output",
                cli.path("d.npy"))
        assert_same(q.dequantize(), cli.load("d.npy"))
        cli.run("quantize", cli.save("x.npy", x), "--format", name, "--elements",
                cli.path("c.safetensors"), "--scales", cli.path("c.safetensors"))
        theirs = mxe.load(cli.path("c.safetensors"), name)
        assert_same(theirs.codes, q.codes)
        with pytest.raises(ValueError, match="format is needed"):
            mxe.load(cli.path("c.safetensors"))


def test_files_of_several_arrays(tmp_path):
    q = mxe.quantize(plain((5, 33)), mxe.Quantizer("mxfp4_e2m1", scale_rule="rceil"), axis=0)
    mxe.save(tmp_path / "m.safetensors", {"w": q, "layer.1": mxe.quantize([1.0, 2.0], "mxint8")})
    arrays = mxe.load(tmp_path / "m.safetensors")
    assert sorted(arrays) == ["layer.1", "w"]
    assert_same(arrays["w"].codes, q.codes)
    assert arrays["w"].quantizer == q.quantizer and arrays["w"].axis == 0


def test_damaged_files(tmp_path):
    path = tmp_path / "bad.safetensors"
    mxe.quantize(plain((4, 64)), "mxfp8_e4m3").save(path)
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(ValueError, match="bad.safetensors"):
        mxe.load(path)
    with pytest.raises(ValueError, match="cannot open"):
        mxe.load(tmp_path / "missing.safetensors")


def test_typed_codes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = plain((4, 64))
    for name, dtype in (("mxfp8_e4m3", "float8_e4m3fn"), ("mxfp6_e2m3", "float6_e2m3fn"),
                        ("mxfp4_e2m1", "float4_e2m1fn"), ("mxint8", "int8")):
        q = mxe.quantize(x, name)
        codes, scales = q.typed()
        assert codes.dtype.name == dtype and scales.dtype.name == "float8_e8m0fnu"
        values = codes.astype(np.float32) * (2.0 ** -6 if name == "mxint8" else 1)
        np.testing.assert_array_equal(values * np.repeat(scales.astype(np.float32), 32, -1),
                                      q.dequantize())
        if name != "mxint8":
            again = mxe.Array.from_codes(codes, scales, codes.dtype)
            assert_same(again.codes, q.codes)
            assert again.quantizer == mxe.Quantizer(getattr(ml_dtypes, dtype))


@pytest.mark.parametrize("name, bits, dtype", [("mxfp8_e5m2", 8, "float8_e5m2"), ("mxfp8_e4m3", 8, "float8_e4m3fn"),
                                               ("mxfp6_e3m2", 6, "float6_e3m2fn"), ("mxfp6_e2m3", 6, "float6_e2m3fn"),
                                               ("mxfp4_e2m1", 4, "float4_e2m1fn")])
def test_every_code_decodes_as_ml_dtypes_says(name, bits, dtype):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    codes = (np.arange(256) % 2 ** bits).astype(np.uint8).reshape(8, 32)
    expected = codes.view(getattr(ml_dtypes, dtype)).astype(np.float32)
    for scale in (0, 100, 127, 190):
        array = mxe.Array.from_codes(codes, np.full((8, 1), scale, np.uint8), name)
        np.testing.assert_array_equal(array.dequantize(), expected * np.float32(2.0) ** (scale - 127))


def test_views_share_memory_and_keep_it_alive():
    q = mxe.quantize(plain((4, 64)), "mxfp8_e4m3")
    codes = q.codes
    assert np.shares_memory(codes, q.codes)
    expected = codes.copy()
    del q
    np.testing.assert_array_equal(codes, expected)


def test_pickle_and_copy():
    q = mxe.quantize(plain((4, 66)), mxe.Quantizer("nvfp4", "nvfp4-te", min_scale=0.25), axis=0)
    for again in (pickle.loads(pickle.dumps(q)), copy.deepcopy(q)):
        assert_same(again.dequantize(), q.dequantize())
        assert again.quantizer == q.quantizer and again.axis == 0
