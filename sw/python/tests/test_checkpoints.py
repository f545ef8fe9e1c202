# SPDX-License-Identifier: Apache-2.0
"""Checkpoints of other systems: each layout's bytes are written here, and its formula in NumPy gives the values."""
import json
import struct

import numpy as np
import pytest
from conftest import assert_same, plain

import mxe

E2M1 = np.array([0, .5, 1, 1.5, 2, 3, 4, 6, -0., -.5, -1, -1.5, -2, -3, -4, -6], np.float32)
TYPES = {"U8": np.uint8, "F8_E4M3": np.uint8, "F8_E5M2": np.uint8, "F8_E8M0": np.uint8, "F32": np.float32}


def e4m3(codes):
    """Numbers of E4M3 without a sign; code 127 is NaN."""
    code = np.asarray(codes, np.int64)
    exponent, mantissa = code >> 3, code & 7
    value = np.where(exponent == 0, mantissa * 2.0**-9, (8 + mantissa) * 2.0**(exponent - 10.0))
    return np.where(code == 127, np.nan, value).astype(np.float32)


def e8m0(codes):
    return np.ldexp(np.float32(1), np.asarray(codes, np.int32) - 127).astype(np.float32)


def per_element(scales, block):
    return np.repeat(scales, block, axis=-1)


def nibbles(codes):
    """Two codes a byte, the first in the low nibble."""
    return (codes[..., 0::2] | codes[..., 1::2] << 4).astype(np.uint8)


def write_safetensors(path, tensors, metadata=None):
    """tensors: {name: (type, array)}."""
    header, data = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for name, (kind, array) in tensors.items():
        array = np.ascontiguousarray(array, TYPES[kind])
        header[name] = {"dtype": kind, "shape": list(np.shape(array)),
                        "data_offsets": [len(data), len(data) + array.nbytes]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def write_gguf(path, tensors):
    """tensors: {name: (type, axes, bytes)}; axes as in GGUF, the length of rows first."""
    def text(word):
        return struct.pack("<Q", len(word)) + word.encode()

    infos, data = b"", b""
    for name, (kind, axes, stored) in tensors.items():
        infos += text(name) + struct.pack(f"<I{len(axes)}QIQ", len(axes), *axes, kind, len(data))
        data += stored + bytes(-len(stored) % 32)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), 1) + text("general.architecture") + \
        struct.pack("<I", 8) + text("llama") + infos
    path.write_bytes(head + bytes(-len(head) % 32) + data)
    return path


def random_codes(shape, most, seed=3):
    return np.random.default_rng(seed).integers(0, most + 1, shape, dtype=np.uint8)


def equal(values, expected):
    """Equal in every bit, except that any NaN equals any other."""
    values, expected = np.asarray(values, np.float32), np.asarray(expected, np.float32)
    assert values.shape == expected.shape
    nan = np.isnan(expected)
    assert np.array_equal(np.isnan(values), nan)
    assert np.array_equal(values.view(np.uint32)[~nan], expected.view(np.uint32)[~nan])


N, K = 12, 128


@pytest.fixture
def nvfp4():
    return random_codes((N, K), 15), random_codes((N, K // 16), 126, seed=4)


@pytest.fixture
def mxfp4():
    return random_codes((N, K), 15), random_codes((N, K // 32), 254, seed=4)


def modelopt(path, codes, scales, factor, **more):
    return write_safetensors(path, {
        "model.up_proj.weight": ("U8", nibbles(codes)),
        "model.up_proj.weight_scale": ("F8_E4M3", scales),
        "model.up_proj.weight_scale_2": ("F32", np.float32(factor)), **more})


def test_modelopt_nvfp4(tmp_path, nvfp4):
    codes, scales = nvfp4
    factor = np.float32(0.00317)
    path = modelopt(tmp_path / "m.safetensors", codes, scales, factor, **{
        "model.up_proj.input_scale": ("F32", np.float32(0.25)),
        "model.up_proj.bias": ("F32", np.arange(N)), "model.norm.weight": ("F32", np.ones(K))})
    # modelopt/torch/quantization/qtensor/nvfp4_tensor.py: -0 is stored, and its value is 0.
    expected = (E2M1 + 0)[codes] * per_element(e4m3(scales) * factor, 16)
    layer = mxe.load_layer(path, "model.up_proj")
    assert (layer.name, layer.layout) == ("model.up_proj", "ModelOpt NVFP4")
    assert layer.weight.quantizer == mxe.Quantizer("nvfp4", "nvfp4-modelopt")
    assert layer.input_scale == 0.25
    equal(layer.weight.dequantize(), expected)
    equal(layer.bias, np.arange(N))
    assert_same(layer.weight.codes, codes)
    assert_same(layer.weight.scales, scales)
    assert list(mxe.load(path)) == ["model.up_proj"]
    equal(mxe.load(path)["model.up_proj"].dequantize(), expected)
    assert mxe.load_layer(path, "model.up_proj.weight").weight.tensor_scale == factor


def test_compressed_tensors_nvfp4(tmp_path, nvfp4):
    codes, scales = nvfp4
    factor = np.float32(341.7)
    path = write_safetensors(tmp_path / "m.safetensors", {
        "a.weight_packed": ("U8", nibbles(codes)), "a.weight_scale": ("F8_E4M3", scales),
        "a.weight_global_scale": ("F32", factor.reshape(1)),
        "a.input_global_scale": ("F32", np.array([6.5], np.float32))})
    layer = mxe.load_layer(path, "a")
    assert (layer.layout, layer.input_scale) == ("compressed-tensors NVFP4", 6.5)
    # compressed_tensors/quantization/lifecycle/forward.py: the scale is divided by the global scale.
    expected = E2M1[codes] * per_element(e4m3(scales) / factor, 16)
    equal(layer.weight.dequantize(), expected)
    assert (expected != E2M1[codes] * per_element(e4m3(scales) * (1 / factor), 16)).any()
    layer.weight.save(tmp_path / "again.safetensors")
    equal(mxe.load(tmp_path / "again.safetensors").dequantize(), expected)
    mxe.save_checkpoint(tmp_path / "written.safetensors", {"a": layer}, "compressed-tensors")
    written = mxe.load_layer(tmp_path / "written.safetensors", "a")
    assert_same(written.weight.codes, codes)
    assert_same(written.weight.scales, scales)
    assert (written.input_scale, written.weight.tensor_scale) == (6.5, factor)


def test_constant_activation_scale():
    """The formulas of three systems with a tensor scale that no amax gives."""
    x = plain((4, 64))
    scale = np.float32(0.0123)
    amax = np.abs(x).reshape(4, 4, 16).max(-1)

    def e4m3_of(exact):
        table = e4m3(np.arange(127))
        return table[np.abs(exact[..., None].astype(np.float64) - table).argmin(-1)]

    for preset, blocks, values in [
            ("nvfp4-modelopt", amax / (np.float32(6) * scale), lambda s: s * scale),
            ("nvfp4-torchao2", (amax / np.float32(6)) / scale, lambda s: s * scale),
            ("nvfp4-compressed-tensors", (amax / np.float32(6)) * (1 / scale), lambda s: s / (1 / scale))]:
        given = 1 / scale if preset == "nvfp4-compressed-tensors" else scale
        q = mxe.quantize(x, "nvfp4", preset, tensor_scale=given)
        assert q.tensor_scale == given
        blocks = np.clip(blocks, 2.0**-6 if "torchao" in preset else 2.0**-9, 448).astype(np.float32)
        assert_same(q.scale_values, e4m3_of(blocks))
        table = E2M1 + 0 if preset == "nvfp4-modelopt" else E2M1
        equal(q.dequantize(), table[q.codes] * per_element(values(q.scale_values), 16))
        assert_same(mxe.fake_quantize(x, "nvfp4", preset, tensor_scale=given), q.dequantize())
    with pytest.raises(ValueError, match="other presets compute with the amax"):
        mxe.quantize(x, "nvfp4", "nvfp4-te", tensor_scale=1.0)
    with pytest.raises(ValueError, match="a tensor scale is for presets with a scale of the whole tensor"):
        mxe.quantize(x, "mxfp8_e4m3", tensor_scale=1.0)
    with pytest.raises(ValueError, match="the tensor scale cannot be 0"):
        mxe.quantize(x, "nvfp4", "nvfp4-modelopt", tensor_scale=0)


def test_compressed_tensors_mxfp4(tmp_path, mxfp4):
    codes, scales = mxfp4
    path = write_safetensors(tmp_path / "m.safetensors", {
        "a.weight_packed": ("U8", nibbles(codes)), "a.weight_scale": ("U8", scales)})
    layer = mxe.load_layer(path, "a")
    assert (layer.layout, layer.bias, layer.input_scale) == ("compressed-tensors MXFP4", None, None)
    equal(layer.weight.dequantize(), E2M1[codes] * per_element(e8m0(scales), 32))


def test_quark_mxfp4(tmp_path, mxfp4):
    codes, scales = mxfp4
    path = write_safetensors(tmp_path / "m.safetensors", {
        "a.weight": ("U8", nibbles(codes)), "a.weight_scale": ("U8", scales)})
    layer = mxe.load_layer(path, "a")
    assert layer.layout == "Quark MXFP4"
    equal(layer.weight.dequantize(), E2M1[codes] * per_element(e8m0(scales), 32))


def e2m3(codes):
    """Numbers of E2M3: the bias of the exponent is 1."""
    return minifloat(codes, 3, 1)


def e3m2(codes):
    """Numbers of E3M2: the bias of the exponent is 3."""
    return minifloat(codes, 2, 3)


def minifloat(codes, bits, bias):
    code = np.asarray(codes, np.int64)
    exponent, mantissa = code >> bits & 31 >> bits, code & (1 << bits) - 1
    value = np.where(exponent == 0, mantissa * 2.0**(1 - bias - bits),
                     ((1 << bits) + mantissa) * 2.0**(exponent - bias - bits))
    return np.where(code & 32, -value, value).astype(np.float32)


def test_quark_mxfp6(tmp_path):
    codes = random_codes((N, K), 63)
    scales = random_codes((N, K // 32), 250, seed=4)
    # quark/torch/utils/pack.py, Pack_fp6: four codes of 6 bits, the first in the lowest bits of three bytes.
    four = codes.astype(np.uint32).reshape(N, K // 4, 4)
    four = four[..., 0] | four[..., 1] << 6 | four[..., 2] << 12 | four[..., 3] << 18
    packed = np.stack([four & 255, four >> 8 & 255, four >> 16], -1).reshape(N, K * 3 // 4)
    tensors = {f"{name}.{tensor}": ("U8", array) for name in ("a.up", "a.down")
               for tensor, array in [("weight", packed), ("weight_scale", scales)]}
    write_safetensors(tmp_path / "model.safetensors", tensors)
    with pytest.raises(ValueError, match=r"config.json must name the dtype of the weight.*\(allowed: fp6_e2m3"):
        mxe.load(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"quantization_config": {
        "quant_method": "quark", "global_quant_config": {"weight": {"dtype": "fp6_e2m3"}},
        "layer_quant_config": {"*.down": {"weight": {"dtype": "fp6_e3m2"}}, "a.*": {"bias": None, "weight": None},
                               "*": {"weight": {"dtype": "fp6_e2m3"}}}}}))
    layers = mxe.load(tmp_path)
    assert [layers[name].format for name in ("a.up", "a.down")] == ["mxfp6_e2m3", "mxfp6_e3m2"]
    equal(layers["a.up"].dequantize(), e2m3(codes) * per_element(e8m0(scales), 32))
    equal(layers["a.down"].dequantize(), e3m2(codes) * per_element(e8m0(scales), 32))
    assert mxe.load_layer(tmp_path, "a.up").layout == "Quark MXFP6"


@pytest.mark.parametrize("method,preset", [("modelopt", "modelopt-mxfp8"), ("compressed-tensors", "ocp"),
                                           ("quark", "quark-torch-even")])
def test_mxfp8(tmp_path, method, preset):
    codes = random_codes((N, K), 255)
    scales = random_codes((N, K // 32), 254, seed=4)
    (tmp_path / "config.json").write_text(json.dumps({"quantization_config": {"quant_method": method}}))
    write_safetensors(tmp_path / "model.safetensors", {
        "a.weight": ("F8_E4M3", codes), "a.weight_scale": ("U8", scales)})
    sign = np.where(codes & 128, np.float32(-1), np.float32(1))
    with np.errstate(over="ignore"):
        expected = sign * e4m3(codes & 127) * per_element(e8m0(scales), 32)
    layer = mxe.load_layer(tmp_path, "a")
    assert (layer.layout, layer.weight.preset) == ("MXFP8", preset)
    equal(layer.weight.dequantize(), expected)


@pytest.mark.parametrize("names", [("m.mlp1_weight.blocks", "m.mlp1_weight.scales", "m.mlp1_bias", "m.mlp1_weight"),
                                   ("m.gate_up_proj_blocks", "m.gate_up_proj_scales", "m.gate_up_proj_bias",
                                    "m.gate_up_proj")])
def test_gpt_oss(tmp_path, names):
    codes = random_codes((2, N, K), 15)
    scales = random_codes((2, N, K // 32), 254, seed=4)
    bias = plain((2, N))
    path = write_safetensors(tmp_path / "m.safetensors", {
        names[0]: ("U8", nibbles(codes).reshape(2, N, K // 32, 16)), names[1]: ("U8", scales),
        names[2]: ("F32", bias)})
    # gpt_oss/torch/weights.py: ldexp(lut[nibble], scale - 127)
    with np.errstate(over="ignore"):
        expected = np.ldexp(E2M1[codes], per_element(scales.astype(np.int32) - 127, 32))
    layer = mxe.load_layer(path, names[3])
    assert layer.layout == "gpt-oss MXFP4"
    equal(layer.weight.dequantize(), expected)
    equal(layer.bias, bias)
    second = mxe.load_layer(path, names[3], expert=1)
    equal(second.weight.dequantize(), expected[1])
    equal(second.bias, bias[1])


def swizzled(scales):
    rows, columns = scales.shape
    padded = np.zeros((-(-rows // 128) * 128, -(-columns // 4) * 4), np.uint8)
    padded[:rows, :columns] = scales
    tiles = padded.reshape(padded.shape[0] // 128, 4, 32, padded.shape[1] // 4, 4)
    return tiles.transpose(0, 3, 2, 1, 4).reshape(padded.shape[0] // 4, -1)


@pytest.mark.parametrize("two_levels", [False, True])
@pytest.mark.parametrize("swizzle", [False, True])
def test_torchao_nvfp4(tmp_path, nvfp4, two_levels, swizzle):
    codes, scales = nvfp4
    factor = np.float32(0.0123) if two_levels else np.float32(1)
    tensors = {"a._weight_qdata": ("U8", nibbles(codes)),
               "a._weight_scale": ("F8_E4M3", swizzled(scales) if swizzle else scales)}
    if two_levels:
        tensors["a._weight_per_tensor_scale"] = ("F32", factor)
    path = write_safetensors(tmp_path / "m.safetensors", tensors, {
        "a.weight": json.dumps({"_type": "NVFP4Tensor", "_data": {"block_size": 16, "is_swizzled_scales": swizzle}}),
        "tensor_names": json.dumps(["a.weight"])})
    layer = mxe.load_layer(path, "a")
    assert layer.layout == "torchao NVFP4Tensor"
    equal(layer.weight.dequantize(), E2M1[codes] * per_element(e4m3(scales) * factor, 16))


def test_torchao_mx(tmp_path, mxfp4):
    codes, scales = mxfp4
    path = write_safetensors(tmp_path / "m.safetensors", {
        "a.b._w1_qdata": ("U8", nibbles(codes)), "a.b._w1_scale": ("F8_E8M0", scales)})
    layer = mxe.load_layer(path, "a.b.w1")
    assert layer.layout == "torchao MXTensor"
    equal(layer.weight.dequantize(), E2M1[codes] * per_element(e8m0(scales), 32))


DOUBLED = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], np.float32)  # ggml's kvalues_mxfp4


def halves(codes, block):
    """ggml's order: byte j of a block holds the elements j and j + block / 2."""
    blocks = codes.reshape(*codes.shape[:-1], -1, block)
    return (blocks[..., :block // 2] | blocks[..., block // 2:] << 4).astype(np.uint8)


def test_gguf_mxfp4(tmp_path):
    codes = random_codes((2, N, K), 15)
    scales = random_codes((2, N, K // 32), 254, seed=4)
    stored = np.concatenate([scales[..., None], halves(codes, 32)], -1)
    path = write_gguf(tmp_path / "m.gguf", {"blk.0.up.weight": (39, (K, N, 2), stored.tobytes()),
                                            "output_norm.weight": (0, (1,), bytes(4))})
    with np.errstate(over="ignore"):
        expected = DOUBLED[codes] * per_element(e8m0(scales) / 2, 32)
    layer = mxe.load_layer(path, "blk.0.up")
    assert layer.layout == "GGUF MXFP4"
    equal(layer.weight.dequantize(), expected)
    equal(mxe.load_layer(path, "blk.0.up.weight", expert=1).weight.dequantize(), expected[1])
    equal(mxe.load(path)["blk.0.up"].dequantize(), expected)


@pytest.mark.parametrize("factor", [None, np.float32(0.0317)])
def test_gguf_nvfp4(tmp_path, nvfp4, factor):
    codes, scales = nvfp4
    stored = np.concatenate([scales.reshape(N, -1, 4), halves(codes, 16).reshape(N, -1, 32)], -1)
    tensors = {"blk.0.up.weight": (40, (K, N), stored.tobytes())}
    if factor is not None:
        tensors["blk.0.up.scale"] = (0, (1,), factor.tobytes())
    path = write_gguf(tmp_path / "m.gguf", tensors)
    layer = mxe.load_layer(path, "blk.0.up")
    assert layer.layout == "GGUF NVFP4"
    # ggml multiplies the product by X.scale; the value of a weight is its code's times the rounded scale.
    scale = e4m3(scales) / 2 * (np.float32(1) if factor is None else factor)
    equal(layer.weight.dequantize(), DOUBLED[codes] * per_element(scale, 16))


def test_shards(tmp_path, nvfp4):
    codes, scales = nvfp4
    write_safetensors(tmp_path / "1.safetensors", {"a.weight": ("U8", nibbles(codes))})
    write_safetensors(tmp_path / "2.safetensors", {"a.weight_scale": ("F8_E4M3", scales),
                                                   "a.weight_scale_2": ("F32", np.float32(0.5))})
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {
        "a.weight": "1.safetensors", "a.weight_scale": "2.safetensors", "a.weight_scale_2": "2.safetensors"}}))
    for path in (tmp_path, index):
        assert_same(mxe.load(path)["a"].codes, codes)
        assert mxe.load_layer(path, "a").weight.tensor_scale == 0.5


def test_wrong_files(tmp_path, nvfp4):
    codes, scales = nvfp4
    path = modelopt(tmp_path / "m.safetensors", codes, scales, 0.5)
    with pytest.raises(ValueError, match="there is no layer 'down' \\(allowed: model.up_proj\\)"):
        mxe.load_layer(path, "down")
    with pytest.raises(ValueError, match="it has no experts"):
        mxe.load_layer(path, "model.up_proj", expert=0)
    with pytest.raises(ValueError, match="experts are counted from 0"):
        mxe.load_layer(path, "model.up_proj", expert=-1)
    with pytest.raises(TypeError, match="expert must be a whole number"):
        mxe.load_layer(path, "model.up_proj", expert="a")
    modelopt(path, codes, scales[:, :4], 0.5)
    with pytest.raises(ValueError, match=r"m.safetensors: tensor 'model.up_proj.weight_scale' must be \[12, 8\]"):
        mxe.load(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match="m.safetensors"):
        mxe.load(path)
    with pytest.raises(ValueError, match="no layer is stored in a layout that MXE reads"):
        mxe.load_layer(write_safetensors(path, {"a": ("F32", np.ones(2))}), "a")


@pytest.mark.parametrize("layout,format,preset,names", [
    ("modelopt", "nvfp4", "nvfp4-modelopt", ["weight", "weight_scale", "weight_scale_2"]),
    ("modelopt", "mxfp8_e4m3", "modelopt-mxfp8", ["weight", "weight_scale"]),
    ("compressed-tensors", "mxfp8_e4m3", "ocp", ["weight", "weight_scale"]),
    ("compressed-tensors", "mxfp4_e2m1", "ocp", ["weight_packed", "weight_scale"]),
    ("compressed-tensors", "nvfp4", "nvfp4-compressed-tensors",
     ["weight_packed", "weight_scale", "weight_global_scale"]),
    ("gpt-oss", "mxfp4_e2m1", "ocp", ["blocks", "scales"]),
    ("torchao", "nvfp4", "nvfp4-torchao2", ["_weight_per_tensor_scale", "_weight_qdata", "_weight_scale"]),
    ("torchao", "nvfp4", "nvfp4-torchao1", ["_weight_qdata", "_weight_scale"]),
    ("torchao", "mxfp4_e2m1", "torchao-floor", ["_weight_qdata", "_weight_scale"]),
    ("torchao", "mxfp8_e4m3", "torchao-floor", ["_weight_qdata", "_weight_scale"]),
    ("torchao", "mxfp8_e5m2", "torchao-floor", ["_weight_qdata", "_weight_scale"])])
def test_writing(tmp_path, layout, format, preset, names):
    q = mxe.quantize(plain((N, K)), format, preset)
    path = tmp_path / "m.safetensors"
    mxe.save_checkpoint(path, {"a.b": q}, layout)
    header = json.loads(path.read_bytes()[8:8 + int.from_bytes(path.read_bytes()[:8], "little")])
    assert ("__metadata__" in header) == (layout == "torchao")
    assert sorted(header.keys() - {"__metadata__"}) == [f"a.b.{name}" for name in sorted(names)]
    (tmp_path / "config.json").write_text(json.dumps({"quantization_config": {
        "quant_method": {"gpt-oss": "mxfp4"}.get(layout, layout)}}))
    again = mxe.load_layer(path, "a.b").weight
    assert_same(again.codes, q.codes)
    assert_same(again.scales, q.scales)
    assert_same(again.dequantize(), q.dequantize())
    assert again.quantizer == q.quantizer and again.tensor_scale == q.tensor_scale


def test_writing_what_was_read(tmp_path, nvfp4):
    """The tensors' bytes are equal; only the order in the file may differ."""
    path = modelopt(tmp_path / "m.safetensors", *nvfp4, 0.25, **{
        "model.up_proj.bias": ("F32", np.arange(N)), "model.up_proj.input_scale": ("F32", np.float32(0.5))})
    layer = mxe.load_layer(path, "model.up_proj")
    mxe.save_checkpoint(tmp_path / "again.safetensors", {layer.name: layer}, "modelopt")
    again = mxe.load_layer(tmp_path / "again.safetensors", "model.up_proj")
    assert_same(again.weight.codes, layer.weight.codes)
    assert_same(again.weight.scales, layer.weight.scales)
    equal(again.bias, layer.bias)
    assert (again.input_scale, again.weight.tensor_scale) == (0.5, 0.25)


def torchao_mx(elements):
    return {"block_size": 32, "elem_dtype": {"_type": "torch.dtype", "_data": elements},
            "kernel_preference": {"_type": "KernelPreference", "_data": "EMULATED"}}


@pytest.mark.parametrize("format,preset,attributes,stored", [
    ("nvfp4", "nvfp4-torchao2", {"block_size": 16, "use_triton_kernel": False},
     ["per_tensor_scale", "act_per_tensor_scale", "qdata", "scale"]),
    ("mxfp4_e2m1", "torchao-floor", torchao_mx("float4_e2m1fn_x2"),
     ["qdata", "scale"]),
    ("mxfp8_e5m2", "torchao-floor", torchao_mx("float8_e5m2"),
     ["qdata", "scale"])])
def test_torchao_makes_its_tensors_of_what_is_written(tmp_path, format, preset, attributes, stored):
    """The metadata are those of torchao 0.18, and torchao, where it is installed, reads the file."""
    q = mxe.quantize(plain((N, K)), format, preset)
    bias = np.arange(N, dtype=np.float32)
    path = tmp_path / "m.safetensors"
    layer = mxe.CheckpointLayer("a.b", "", q, bias, 0.5 if format == "nvfp4" else None)
    mxe.save_checkpoint(path, {"a.b": layer}, "torchao")
    file = path.read_bytes()
    said = json.loads(file[8:8 + int.from_bytes(file[:8], "little")])["__metadata__"]
    shared = {"is_swizzled_scales": False, "act_quant_kwargs": None,
              "orig_dtype": {"_type": "torch.dtype", "_data": "float32"}}
    assert {name: json.loads(text) for name, text in said.items()} == {
        "a.b.weight": {"_type": "NVFP4Tensor" if format == "nvfp4" else "MXTensor", "_data": shared | attributes,
                       "_tensor_data_names": stored},
        "a.b.bias": {"_type": "Tensor"}, "tensor_names": ["a.b.weight", "a.b.bias"]}
    again = mxe.load_layer(path, "a.b")
    equal(again.bias, bias)
    assert again.input_scale == layer.input_scale

    safetensors = pytest.importorskip("safetensors.torch")
    support = pytest.importorskip("torchao.prototype.safetensors.safetensors_support")
    tensors, left = support.unflatten_tensor_state_dict(safetensors.load_file(path), said)
    assert left == {}
    weight = tensors["a.b.weight"]
    assert type(weight).__name__ == ("NVFP4Tensor" if format == "nvfp4" else "MXTensor")
    equal(weight.dequantize().numpy(), q.dequantize())
    equal(tensors["a.b.bias"].numpy(), bias)
    if format == "nvfp4":
        assert float(weight.act_per_tensor_scale) == 0.5


@pytest.mark.parametrize("layout,format,preset", [
    ("torchao", "nvfp4", "nvfp4-compressed-tensors"), ("torchao", "nvfp4", "nvfp4-te-row"),
    ("torchao", "mxint8", "ocp"),
    ("modelopt", "nvfp4", "nvfp4-te-row"), ("modelopt", "nvfp4", "nvfp4-te"), ("modelopt", "mxfp8_e5m2", "ocp"),
    ("modelopt", "mxfp4_e2m1", "ocp"), ("gpt-oss", "mxfp8_e4m3", "ocp"), ("compressed-tensors", "mxint8", "ocp"),
    ("compressed-tensors", "nvfp4", "nvfp4-modelopt")])
def test_layouts_refuse_other_weights(tmp_path, layout, format, preset):
    q = mxe.quantize(plain((N, K)), format, preset)
    with pytest.raises(ValueError, match=f"layer 'a': the layout {layout} does not store mxe.Array"):
        mxe.save_checkpoint(tmp_path / "m.safetensors", {"a": q}, layout)
    with pytest.raises(ValueError, match="unknown layout 'x'"):
        mxe.save_checkpoint(tmp_path / "m.safetensors", {"a": q}, "x")
