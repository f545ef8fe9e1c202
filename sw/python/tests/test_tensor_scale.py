# SPDX-License-Identifier: Apache-2.0
"""The scale of a whole tensor: arrays and files keep it, or an error says how to pass it."""
import copy
import json
import pickle

import numpy as np
import pytest
from conftest import assert_same, plain

import mxe

BY_SCALE = ["nvfp4-torchao2", "nvfp4-modelopt", "nvfp4-modelopt-4over6", "nvfp4-modelopt_old",
            "nvfp4-compressed-tensors"]
BY_AMAX = ["nvfp4-te", "nvfp4-te-2d", "nvfp4-te-4over6", "nvfp4-te-4over6-mse",
           "nvfp4-te-4over6-2d"]
BY_ROW = ["nvfp4-te-row", "nvfp4-te-4over6-row"]
NONE = ["nvfp4-torchao1", "nvfp4-te-pow2"]


def small(shape=(32, 64)):
    return plain(shape) * np.float32(1e-3)


def test_every_preset_of_nvfp4_is_listed():
    names = [preset.name for preset in mxe.presets("nvfp4") if preset.name.startswith("nvfp4-")]
    assert sorted(names) == sorted(BY_SCALE + BY_AMAX + BY_ROW + NONE)


@pytest.mark.parametrize("preset", BY_SCALE + BY_AMAX + BY_ROW + NONE)
def test_from_codes_needs_what_the_preset_has(preset):
    q = mxe.quantize(small(), "nvfp4", preset)

    def made(**given):
        return mxe.Array.from_codes(q.codes, q.scales, "nvfp4", preset, **given).dequantize()

    if preset in BY_SCALE:
        with pytest.raises(ValueError, match=r"--tensor-scale is needed \(Python: tensor_scale=\)"):
            made()
        assert_same(made(tensor_scale=q.tensor_scale), q.dequantize())
        assert_same(made(tensor_amax=q.tensor_amax), q.dequantize())
        assert_same(made(tensor_scale=q.tensor_scale, tensor_amax=q.tensor_amax), q.dequantize())
        with pytest.raises(ValueError, match="contradict each other"):
            made(tensor_scale=q.tensor_scale * 2, tensor_amax=q.tensor_amax)
    elif preset in BY_AMAX:
        for given in ({}, {"tensor_scale": q.tensor_scale}):
            with pytest.raises(ValueError, match=r"tensor-amax is needed \(Python: tensor_amax=\)"):
                made(**given)
        assert_same(made(tensor_amax=q.tensor_amax), q.dequantize())
    elif preset in BY_ROW:
        with pytest.raises(ValueError, match=r"--row-amax is needed \(Python: row_amaxes=\)"):
            made()
        with pytest.raises(ValueError, match="row_amaxes must have 32 values, one per row, but has 31"):
            made(row_amaxes=q.row_amaxes[:-1])
        assert_same(made(row_amaxes=q.row_amaxes), q.dequantize())
    else:
        assert_same(made(), q.dequantize())
        assert_same(made(tensor_scale=1.0, tensor_amax=1), q.dequantize())
        for given in ({"tensor_scale": 2.0}, {"tensor_amax": 0.5}):
            with pytest.raises(ValueError, match="no scale of the whole tensor"):
                made(**given)
        with pytest.raises(ValueError, match="no scale for every row"):
            made(row_amaxes=np.ones(32, np.float32))


@pytest.mark.parametrize("number", [0.0, -1.0, float("nan"), float("inf"), -float("inf"), 1e39, 1e-60])
def test_numbers_that_are_no_scale(number):
    q = mxe.quantize(small(), "nvfp4")
    for given in ({"tensor_scale": number}, {"tensor_amax": number}):
        with pytest.raises(ValueError, match="allowed: finite numbers above 0"):
            mxe.Array.from_codes(q.codes, q.scales, "nvfp4", **given)
    for call in (mxe.quantize, mxe.fake_quantize):
        with pytest.raises(ValueError, match="tensor amax cannot be .*finite numbers above 0"):
            call(small(), "nvfp4", tensor_amax=number)
    with pytest.raises(ValueError, match="tensor amax cannot be"):
        mxe.Quantizer("nvfp4", tensor_amax=number)


@pytest.mark.parametrize("switches, text", [
    ({"block_size": 0}, "the block size cannot be 0"), ({"block_rows": 0}, "block_rows cannot be 0"),
    ({"tensor_scale_limit": 0.0}, "tensor_scale_limit"), ({"min_scale": float("nan")}, "min_scale"),
    ({"min_scale": -1.0}, "min_scale"), ({"zero_scale": float("inf")}, "zero_scale"),
    ({"zero_threshold": -0.5}, "zero_threshold"), ({"even_bits": 24}, "even_bits"),
    ({"even_bits": -1}, "even_bits"), ({"element_shift": 200}, "element_shift"),
    ({"row_scaled": True, "uses_tensor_scale": False}, "row_scaled needs")])
def test_switches_out_of_range(switches, text):
    with pytest.raises(ValueError, match=text):
        mxe.Quantizer("mxfp4_e2m1", **switches)


def test_a_quantizer_may_have_the_amax():
    quantizer = mxe.Quantizer("nvfp4", tensor_amax=3.0)
    q = mxe.quantize(small(), quantizer)
    assert_same(mxe.Array.from_codes(q.codes, q.scales, quantizer).dequantize(), q.dequantize())


@pytest.mark.parametrize("preset", BY_SCALE + BY_AMAX + BY_ROW + NONE)
def test_files_carry_it(tmp_path, cli, preset):
    x = small()
    q = mxe.quantize(x, "nvfp4", preset)
    path = tmp_path / "q.safetensors"
    q.save(path)
    assert_same(mxe.load(path).dequantize(), q.dequantize())
    assert_same(mxe.load(path, "nvfp4", preset).dequantize(), q.dequantize())
    rows = ["--row-amax", path] if preset in BY_ROW else []
    cli.run("dequantize", "--elements", path, "--scales", path, "--format", "nvfp4", "--preset",
            preset, "--output", cli.path("d.npy"), *rows)
    assert_same(cli.load("d.npy"), q.dequantize())
    theirs = cli.path("c.safetensors")
    rows = ["--row-amax", theirs] if preset in BY_ROW else []
    cli.run("quantize", cli.save("x.npy", x), "--format", "nvfp4", "--preset", preset, "--elements",
            theirs, "--scales", theirs, *rows)
    again = mxe.load(theirs, "nvfp4", preset)
    assert_same(again.dequantize(), q.dequantize())
    assert again.tensor_scale == q.tensor_scale and again.tensor_amax == q.tensor_amax


def test_files_written_again_without_metadata(tmp_path, cli):
    safetensors = pytest.importorskip("safetensors.numpy")
    q = mxe.quantize(small(), "nvfp4")
    mxe.save(tmp_path / "q.safetensors", {"w": q})
    from safetensors import safe_open
    with safe_open(tmp_path / "q.safetensors", "numpy") as file:
        scale = file.get_tensor("w.tensor_scale")
        assert scale.shape == () and scale == np.float32(q.tensor_scale)
    q.save(tmp_path / "q.safetensors")
    parts = {"elements": q.codes, "scales": q.scales,
             "tensor_scale": np.float32(q.tensor_scale).reshape(1)}
    path = tmp_path / "again.safetensors"
    safetensors.save_file(parts, path)  # as other programs write them: no metadata, no F4
    assert_same(mxe.load(path, "nvfp4").dequantize(), q.dequantize())
    cli.run("dequantize", "--elements", path, "--scales", path, "--format", "nvfp4", "--output",
            cli.path("d.npy"))
    assert_same(cli.load("d.npy"), q.dequantize())
    safetensors.save_file({"elements": q.codes, "scales": q.scales}, path)
    with pytest.raises(ValueError, match="tensor_scale="):
        mxe.load(path, "nvfp4")
    assert_same(mxe.load(path, "nvfp4", tensor_scale=q.tensor_scale).dequantize(), q.dequantize())
    assert "--tensor-scale" in cli.error("dequantize", "--elements", path, "--scales", path,
                                         "--format", "nvfp4", "--output", cli.path("d.npy"))
    safetensors.save_file({**parts, "tensor_scale": np.ones(2, np.float32)}, path)
    with pytest.raises(ValueError, match="must have one element"):
        mxe.load(path, "nvfp4")


def test_files_of_older_versions(tmp_path, cli):
    """These have the tensor scale only in the metadata."""
    safetensors = pytest.importorskip("safetensors.numpy")
    q = mxe.quantize(small(), "nvfp4", "nvfp4-te")
    said = {"format": "nvfp4", "preset": "nvfp4-te", "axis": 1, "tensor_scale": q.tensor_scale,
            "tensor_amax": q.tensor_amax, "switches": {}}
    path = tmp_path / "old.safetensors"
    safetensors.save_file({"elements": q.codes, "scales": q.scales}, path, {"mxe": json.dumps(said)})
    assert_same(mxe.load(path).dequantize(), q.dequantize())
    assert_same(mxe.load(path, "nvfp4", "nvfp4-te").dequantize(), q.dequantize())
    cli.run("dequantize", "--elements", path, "--scales", path, "--format", "nvfp4", "--preset",
            "nvfp4-te", "--output", cli.path("d.npy"))
    assert_same(cli.load("d.npy"), q.dequantize())


def test_numbers_that_contradict_the_file(tmp_path):
    q = mxe.quantize(small(), "nvfp4")
    path = tmp_path / "q.safetensors"
    q.save(path)
    mxe.load(path, "nvfp4", tensor_scale=q.tensor_scale)
    with pytest.raises(ValueError, match="is not what .* holds"):
        mxe.load(path, "nvfp4", tensor_scale=1.0)
    with pytest.raises(ValueError, match="is not what .* holds"):
        mxe.load(path, tensor_amax=1.0)
    with pytest.raises(ValueError, match="its codes are of mxe.Quantizer.'nvfp4', 'ocp'., not of"):
        mxe.load(path, "nvfp4", "nvfp4-torchao1")


def test_metadata_of_another_quantizer(tmp_path, cli):
    q = mxe.quantize(small(), mxe.Quantizer("nvfp4", "nvfp4-te", block_size=32))
    path = tmp_path / "q.safetensors"
    q.save(path)
    arguments = ["dequantize", "--elements", path, "--scales", path, "--format", "nvfp4", "--block",
                 32, "--output", cli.path("d.npy"), "--preset"]
    cli.run(*arguments, "nvfp4-te")
    assert_same(cli.load("d.npy"), q.dequantize())
    for preset in ("ocp", "nvfp4-modelopt", "nvfp4-te-4over6"):
        assert "its codes are of --format nvfp4 --preset nvfp4-te with switches " in \
            cli.error(*arguments, preset)


@pytest.mark.parametrize("preset", ["nvfp4-torchao2", "nvfp4-te"])
def test_arrays_with_a_nan_stay_themselves(tmp_path, preset):
    x = small()
    x[3, 5] = np.nan
    q = mxe.quantize(x, "nvfp4", preset)
    q.save(tmp_path / "q.safetensors")
    for again in (pickle.loads(pickle.dumps(q)), copy.copy(q), mxe.load(tmp_path / "q.safetensors")):
        assert_same(again.dequantize(), q.dequantize())


def test_jax_codes_have_it():
    jax = pytest.importorskip("jax")
    import mxe.jax
    for preset in BY_SCALE + BY_AMAX + BY_ROW + NONE:
        q = mxe.quantize(small(), "nvfp4", preset)
        c = jax.jit(lambda x, preset=preset: mxe.jax.quantize(x, "nvfp4", preset))(small())
        made = mxe.Array.from_codes(c.codes, c.scales, "nvfp4", preset, tensor_amax=c.tensor_amax,
                                    row_amaxes=c.row_amaxes)
        assert_same(np.asarray(made.dequantize()), q.dequantize())
    batch = jax.vmap(lambda x: mxe.jax.quantize(x, "nvfp4"))(np.stack([small(), 9 * small()]))
    assert batch.tensor_amax.shape == (2,)
    assert float(batch.tensor_amax[1]) == pytest.approx(9 * float(batch.tensor_amax[0]))
    assert jax.vmap(lambda x: mxe.jax.quantize(x, "mxint8"))(small((2, 4, 64))).tensor_amax.shape \
        == (2,)


def test_sentences_are_those_of_the_command_line(cli):
    x = cli.save("x.npy", small())
    for options, call in [
            (["--format", "nvfp4", "--tensor-amax", "0"],
             lambda: mxe.quantize([1.0], "nvfp4", tensor_amax=0)),
            (["--format", "mxint8", "--tensor-amax", "1"],
             lambda: mxe.quantize([1.0], "mxint8", tensor_amax=1)),
            (["--format", "mxint8", "--seed", "1"], lambda: mxe.quantize([1.0], "mxint8", seed=1)),
            (["--format", "nvfp4", "--scale-rule", "ceil"],
             lambda: mxe.quantize([1.0], "nvfp4", scale_rule="ceil")),
            (["--format", "mxint8", "--block", "0"], lambda: mxe.quantize([1.0], "mxint8", block=0))]:
        with pytest.raises(ValueError) as caught:
            call()
        assert cli.error("quantize", x, *options) == str(caught.value)
