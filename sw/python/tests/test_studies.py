# SPDX-License-Identifier: Apache-2.0
import math
import re

import numpy as np
import pytest
from conftest import SOURCE, awkward, plain

import mxe


def same(ours, theirs):
    """Compares with a number from JSON, in which NaN and Inf are null."""
    if theirs is None:
        return not math.isfinite(ours)
    return ours == theirs or np.float32(ours) == np.float32(theirs)


def assert_stats(ours, theirs):
    for key, value in theirs.items():
        if key == "scale_histogram":
            assert {str(exponent): blocks for exponent, blocks in ours.scale_histogram.items()} \
                == value
        else:
            assert same(getattr(ours, key), value) or getattr(ours, key) == value, key


def test_formats(cli):
    theirs = cli.run("formats", "--json")
    for ours, format in zip(mxe.formats(), theirs["formats"], strict=True):
        for key, value in format.items():
            assert getattr(ours, key) == value, key
    assert [preset.name for preset in mxe.presets()] == theirs["presets"]
    assert [preset._asdict() for preset in mxe.presets()] == theirs["releases"]
    assert {preset.name for preset in mxe.presets("nvfp4")} == \
        {preset.name for preset in mxe.presets() if preset.formats == "nvfp4"} | {"ocp"}


@pytest.mark.parametrize("name", ["mxfp8_e4m3", "fp8_e4m3", "float8_e4m3fn"])
def test_names_of_peers(name):
    assert mxe.Format(name) == mxe.Format("mxfp8_e4m3")
    assert mxe.Quantizer(name) == mxe.Quantizer("mxfp8_e4m3")


def test_stats(cli):
    x = awkward((9, 70))
    for name, preset in (("mxfp4_e2m1", "ocp"), ("nvfp4", "nvfp4-te-row"), ("mxint8", "quark-onnx")):
        theirs = cli.run("quantize", cli.save("x.npy", x), "--format", name, "--preset", preset,
                         "--axis", 0, "--stats", "--json")
        assert_stats(mxe.quantize(x, name, preset, axis=0).stats(x), theirs["stats"])
    with pytest.raises(ValueError, match="not the array that was quantized"):
        mxe.quantize(x, "mxfp8_e4m3").stats(x + 1)


def test_compare(cli):
    x = awkward((9, 70))
    theirs = cli.run("compare", cli.save("x.npy", x), "--json")["formats"]
    for ours, comparison in zip(mxe.compare(x), theirs, strict=True):
        assert_stats(ours, comparison)
    presets = ["ocp", "torchao-rceil"]
    theirs = cli.run("compare", cli.path("x.npy"), "--presets", ",".join(presets), "--json")
    ours = mxe.compare(x, presets=presets)
    assert [(c.format, c.preset) for c in ours] == [(c["format"], c["preset"])
                                                    for c in theirs["formats"]]
    with pytest.raises(ValueError, match="does not produce"):
        mxe.compare(x, presets=["modelopt-mxfp4", "modelopt-mxfp8"])


def test_diff(cli):
    x = awkward((9, 70))
    presets = ["torchao-floor", "microxcaling-nearest"]
    theirs = cli.run("diff", cli.save("x.npy", x), "--format", "mxfp8_e4m3", "--presets",
                     ",".join(presets), "--json")
    ours = mxe.diff(x, "mxfp8_e4m3", *presets)
    for key in ("elements", "differing", "scales", "codes", "values"):
        assert getattr(ours, key) == theirs[key]
    assert ours.differing > 0
    assert [{"switch": c.switch, "elements": c.elements} for c in ours.causes] == theirs["causes"]
    for element, shown in zip(ours.shown, theirs["shown"], strict=True):
        assert (element.at, element.cause) == (shown["at"], shown["cause"])
        for side in ("a", "b"):
            assert getattr(element, side).code == shown[side]["code"]
            assert same(getattr(element, side).scale, shown[side]["scale"])


def test_diff_of_quantizers():
    x = plain((8, 64))
    ours = mxe.diff(x, None, mxe.Quantizer("mxfp4_e2m1"),
                    mxe.Quantizer("mxfp4_e2m1", scale_rule="rceil"))
    assert [cause.switch for cause in ours.causes] == ["scale_rule"]
    assert ours.causes[0].elements == ours.differing > 0


def test_explain(cli):
    theirs = cli.run("explain", 957, 3, 0.01, "--format", "mxfp8_e4m3", "--json")["elements"]
    for ours, element in zip(mxe.explain([957, 3, 0.01], "mxfp8_e4m3"), theirs, strict=True):
        for key, value in element.items():
            assert getattr(ours, key) == value or same(getattr(ours, key), value), key
    assert mxe.explain(plain((4, 64)), "nvfp4", at=70)[0].block == 4
    with pytest.raises(ValueError, match="no element 256"):
        mxe.explain(plain((4, 64)), "nvfp4", at=256)


def test_every_switch_can_be_read_and_set():
    for preset in mxe.presets():
        name = next(format.name for format in mxe.formats() if preset in mxe.presets(format.name))
        quantizer = mxe.Quantizer(name, preset.name)
        assert quantizer.changes == {}
        again = mxe.Quantizer(name, "ocp" if name != "nvfp4" else "nvfp4-te", **quantizer.switches)
        assert again == quantizer and hash(again) == hash(quantizer)
        assert mxe.Quantizer(name, preset.name, **again.switches) == quantizer


def test_names_are_the_enumerators():
    """In the order of the headers, so that exchanged names are found."""
    headers = [SOURCE / f"model/numerics/{name}.h" for name in ("block/quantizer_options", "formats/encode")]
    text = re.sub(r"//.*", "", "".join(path.read_text(encoding="utf-8") for path in headers))
    choices = {name: re.findall(r"\w+", body)
               for name, body in re.findall(r"enum class (\w+) : uint8_t \{(.*?)\};", text, re.DOTALL)}
    found = re.findall(r"^  (\w+) (\w+) = (\w+)::(\w+);", text, re.MULTILINE)
    assert len(found) == 16
    for kind, switch, _, default in found:
        with pytest.raises(ValueError) as caught:
            mxe.Quantizer("mxfp4_e2m1", **{switch: 0})
        assert str(caught.value).endswith(f"(allowed: {', '.join(choices[kind])})")
        assert mxe.Quantizer("mxfp4_e2m1").switches[switch] == default


def test_switches_do_what_presets_do():
    x = awkward((20, 64))
    built = mxe.Quantizer("mxfp4_e2m1", scale_rule="rceil", log2="float32", quotient="division",
                          rounding="nearest_zero")
    changed = mxe.diff(x, None, built, mxe.Quantizer("mxfp4_e2m1"))
    assert {cause.switch for cause in changed.causes} == set(built.changes)
    assert built.replace(scale_rule="floor", log2="exact", quotient="exact", rounding="rne") == \
        mxe.Quantizer("mxfp4_e2m1")
    assert repr(built).startswith("mxe.Quantizer('mxfp4_e2m1', 'ocp', log2='float32'")


@pytest.mark.parametrize("switches", [{"scale_rule": "up"}, {"scale_rule": 1}, {"block_size": -1},
                                      {"block_size": 1.5}, {"bfloat16_input": 1}, {"even_bits": "3"},
                                      {"exponent_range": (5, 1)}, {"scale_format": "e9m0"},
                                      {"no_such_switch": True}, {"min_scale": "x"}])
def test_bad_switches(switches):
    with pytest.raises(ValueError, match="allowed"):
        mxe.Quantizer("mxfp4_e2m1", **switches)
