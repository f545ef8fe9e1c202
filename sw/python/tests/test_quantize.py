# SPDX-License-Identifier: Apache-2.0
"""quantize and fake_quantize against the command line and recorded vectors of other software."""
import json

import numpy as np
import pytest
from conftest import DATA, assert_same, awkward, plain

import mxe

CUSTOM = ("e3m2", "e5m7", "int4", "int12")
EVERY = [(format.name, "ocp") for format in mxe.formats()] + [(name, "ocp") for name in CUSTOM] + \
    [(next(format.name for format in reversed(mxe.formats())
           if preset in mxe.presets(format.name)), preset.name) for preset in mxe.presets()]


def compare(cli, x, name, preset, axis=-1, options=(), **arguments):
    said = cli.run("quantize", cli.save("x.npy", x), "--format", name, "--preset", preset, "--axis",
                   axis, "--elements", cli.path("e.npy"), "--scales", cli.path("s.npy"),
                   "--dequantized", cli.path("d.npy"), "--json", *options)
    q = mxe.quantize(x, name, preset, axis=axis, **arguments)
    assert_same(q.codes, cli.load("e.npy"))
    assert_same(q.scales, cli.load("s.npy"))
    values = mxe.fake_quantize(x, name, preset, axis=axis, dtype="float32", **arguments)
    assert_same(values, cli.load("d.npy"))
    assert (q.axis, q.block, q.scale_format) == (said["axis"], said["block"], said["scale_format"])
    if "tensor_scale" in said:
        assert_same(np.float32(q.tensor_scale), np.float32(said["tensor_scale"]))
    return q


@pytest.mark.parametrize("name, preset", EVERY)
def test_every_preset_and_format(cli, name, preset):
    compare(cli, awkward((6, 70)), name, preset)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
@pytest.mark.parametrize("name", ["mxfp8_e4m3", "nvfp4"])
def test_every_axis(cli, name, axis):
    compare(cli, awkward((35, 40, 33)), name, "ocp", axis)


@pytest.mark.parametrize("shape", [(), (1,), (31,), (32,), (100,), (0,), (3, 0), (0, 3), (2, 3, 4, 65)])
def test_shapes(cli, shape):
    compare(cli, plain(shape), "mxfp6_e2m3", "ocp")


@pytest.mark.parametrize("dtype", ["float16", "float64", "bfloat16"])
def test_other_types(cli, dtype):
    x = awkward((9, 100)).clip(-6e4, 6e4)
    if dtype == "bfloat16":
        x = x.astype(pytest.importorskip("ml_dtypes").bfloat16)
    else:
        x = x.astype(dtype)
    for axis in (0, 1):
        compare(cli, x, "mxfp8_e5m2", "ocp", axis)


def test_options(cli):
    x = awkward((8, 96))
    compare(cli, x, "mxfp8_e4m3", "ocp", options=["--block", 16, "--scale-rule", "rceil",
                                                  "--round", "away"],
            block=16, scale_rule="rceil", rounding="away")
    compare(cli, x, "mxint8", "ocp", options=["--round", "stochastic", "--seed", 7],
            rounding="stochastic", seed=7)
    compare(cli, x, "e3m2", "ocp", options=["--scale-format", "e5m0"], scale_format="e5m0")
    compare(cli, x, "nvfp4", "nvfp4-te", options=["--tensor-amax", 1e3], tensor_amax=1e3)


@pytest.mark.parametrize("name, preset", [("mxfp8_e4m3", "ocp"), ("mxint8", "torchmx"),
                                          ("nvfp4", "nvfp4-torchao1"), ("nvfp4", "nvfp4-te"),
                                          ("mxfp4_e2m1", "pychop"), ("e5m7", "ocp")])
@pytest.mark.parametrize("shape, axis", [((3000, 900), 1), ((3000, 900), 0), ((2700000,), 0),
                                         ((1, 2, 1350000), -1), ((3, 1100, 900), 1)])
def test_slices_are_seamless(cli, name, preset, shape, axis):
    """The package quantizes these arrays in slices, the command line at once."""
    x = plain(shape) * 100
    compare(cli, x, name, preset, axis, ["--threads", 1], threads=1)


def strided():
    x = awkward((2, 68, 70))
    yield "transposed", x.transpose(2, 1, 0)
    yield "reversed", x[:, ::-1, ::-1]
    yield "every third", x[:, ::3, 1::2]
    yield "broadcast", np.broadcast_to(x[0, 0], (5, 3, 70))
    yield "fortran", np.asfortranarray(x)
    yield "one column", x[:, :, :1]
    yield "float16, transposed", x.clip(-6e4, 6e4).astype(np.float16).T
    yield "big endian", x.astype(">f4")
    yield "read only", np.frombuffer(x.tobytes(), np.float32).reshape(x.shape)


@pytest.mark.parametrize("x", [pytest.param(x, id=name) for name, x in strided()])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_strides(x, axis):
    whole = np.ascontiguousarray(x).astype(np.float32)
    q, expected = (mxe.quantize(array, "mxfp8_e4m3", axis=axis) for array in (x, whole))
    assert_same(q.codes, expected.codes)
    assert_same(q.scales, expected.scales)
    expected = mxe.fake_quantize(whole, "mxfp8_e4m3", axis=axis)
    assert_same(mxe.fake_quantize(x, "mxfp8_e4m3", axis=axis, dtype="float32"), expected)


def test_strides_of_slices():
    x = plain((1200, 2500)).T
    for axis in (0, 1):
        expected = mxe.quantize(np.ascontiguousarray(x), "mxfp4_e2m1", axis=axis)
        q = mxe.quantize(x, "mxfp4_e2m1", axis=axis, threads=1)
        assert_same(q.codes, expected.codes)
        assert_same(q.scales, expected.scales)


@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_types_of_values(dtype):
    x = plain((4, 64)).astype(dtype)
    values = mxe.fake_quantize(x, "mxfp6_e3m2")
    assert values.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(values,
                                  mxe.quantize(x, "mxfp6_e3m2").dequantize().astype(dtype))


def row_sums(arrays):
    """FNV-1a, folded to 8 bits and never 0, over the bytes of each row, as in the recordings."""
    hashes = None
    for array in arrays:
        array = np.ascontiguousarray(array)
        if array.dtype == np.float32:
            array = np.where(np.isnan(array), np.uint32(0x7FC00000), array.view(np.uint32))
        data = np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1)
        if hashes is None:
            hashes = np.full(len(data), 0x811C9DC5, np.uint32)
        for column in data.T:
            hashes = (hashes ^ column) * np.uint32(0x01000193)
    hashes = hashes ^ (hashes >> np.uint32(16))
    hashes = (hashes ^ (hashes >> np.uint32(8))) & np.uint32(0xFF)
    return np.where(hashes == 0, 1, hashes)


def recordings(name):
    """(entry, case, quantizer, its sums) for the recordings of tests/conformance."""
    sums, at = np.load(DATA / f"{name}.npy").view(np.uint16), 0
    for entry in json.loads((DATA / f"{name}.json").read_text(encoding="utf-8")):
        switches = {"scale_format": entry["scale"]} if entry["scale"] else {}
        quantizer = mxe.Quantizer(entry["format"], entry["preset"], **switches)
        flat = quantizer.switches["walk"] == "flat"
        for case in entry["cases"]:
            shape = np.load(DATA / f"input_{case['name']}.npy", mmap_mode="r").shape
            straddles = flat and shape[1] % quantizer.switches["block_size"]
            rows = 1 if straddles else shape[0]
            yield entry, case, quantizer, sums[at:at + rows]
            at += rows
    assert at == len(sums)


@pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} with the recorded vectors is not there")
@pytest.mark.parametrize("name", ["peers", "nvfp4"])
def test_recorded_vectors(name):
    checked = set()
    for entry, case, quantizer, sums in recordings(name):
        cuda = entry["preset"].startswith("modelopt-cuda")  # recorded without the signs of zeros
        if case["name"] not in ("zeros", "naninf", "partial_e", "normal") or cuda or len(sums) == 1:
            continue
        x = np.load(DATA / f"input_{case['name']}.npy")
        if np.isfinite(float(case.get("amax") or "nan")):  # otherwise the array's, which has a NaN
            quantizer = quantizer.replace(tensor_amax=float(case["amax"]))
        q = mxe.quantize(x, quantizer)
        high = [q.scale_values.reshape(len(x), -1)]
        if entry.get("values", entry["format"] != "nvfp4"):
            high.append(mxe.fake_quantize(x, quantizer))
        place = f"{entry['label']}, {case['name']}"
        np.testing.assert_array_equal(row_sums(high), sums >> 8, place)
        if q.codes.dtype == np.uint8:
            codes = np.where(np.isnan(code_values(entry["format"]))[q.codes], 0x7F, q.codes)
            known = (sums & 0xFF) != 0
            np.testing.assert_array_equal(row_sums([codes.astype(np.uint8)])[known],
                                          (sums & 0xFF)[known], place)
        checked.add(entry["preset"])
    assert len(checked) > (25 if name == "peers" else 4)


def code_values(name):
    plain_format = "mxfp4_e2m1" if name == "nvfp4" else name
    count = min(256, 2 ** mxe.Format(plain_format).bits)
    codes = np.zeros(256, np.uint8)
    codes[:count] = np.arange(count)
    q = mxe.Array.from_codes(codes, np.full(8, 127, np.uint8), plain_format)
    return q.dequantize()


def test_memory_of_an_array_that_went():
    """A large array may reuse the memory of a deleted one in another format."""
    x = awkward((1024, 1024))
    for name, preset, axis in (("mxfp8_e4m3", "ocp", -1), ("mxint8", "ocp-ceil", 0),
                               ("nvfp4", "nvfp4-te", -1), ("mxfp4_e2m1", "microxcaling-even", -1),
                               ("mxfp8_e4m3", "ocp", -1)):
        tensor = {"tensor_amax": 3.0} if name == "nvfp4" else {}
        parts = [mxe.quantize(half, name, preset, axis=axis, **tensor)
                 for half in np.split(x, 2, axis=0)]
        whole = mxe.quantize(x, name, preset, axis=axis, **tensor)
        for part in ("codes", "scales", "scale_values"):
            assert_same(getattr(whole, part), np.concatenate([getattr(p, part) for p in parts]))
        del whole


def test_views_outlive_their_array():
    x = plain((1024, 1024))
    codes = mxe.quantize(x, "mxfp8_e4m3").codes
    before = codes.copy()
    mxe.quantize(-x, "mxfp8_e4m3")
    assert_same(codes, before)
