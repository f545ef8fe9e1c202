#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records NVFP4 and ModelOpt's MXFP8 from installed packages, including the values that they dequantize to.

    record_nvfp4.py [--te reference_nvfp4.py] [--modelopt-old nvfp4_tensor.py] [--check TOOL] [--rows N --seed S]
                    [--only PRESET]

Needs torch, torchao, nvidia-modelopt and compressed-tensors. --only nvfp4-compressed-tensors needs torch and
compressed-tensors, and keeps the records of the other presets. Transformer Engine needs
transformer_engine/pytorch/custom_recipes/reference_nvfp4.py of its source, whose imports become stand-ins; the
older ModelOpt needs modelopt/torch/quantization/qtensor/nvfp4_tensor.py. Writes data/nvfp4.json and data/nvfp4.npy
in the form of peers.json and peers.npy (make_data.py), with a `release` for every entry. With --check it writes
nothing and compares mx_quantize_tool with the packages value by value: on N random rows of 256 values, by default
on the recorded inputs.
"""
import __future__

import argparse
import importlib.metadata
import importlib.util
import json
import pathlib
import re
import sys
import types
from unittest import mock

import numpy as np
import peers
import torch
from check_vectors import Tool, bits
from make_data import DATA, as_bytes, fnv8

F32 = np.float32


def e4m3(codes):
    return torch.from_numpy(np.ascontiguousarray(codes)).view(torch.float8_e4m3fn).float().numpy()


def unpack(packed):
    out = np.empty((packed.shape[0], packed.shape[1] * 2), np.uint8)
    out[:, 0::2], out[:, 1::2] = packed & 15, packed >> 4
    return out


def torchao1(x):
    from torchao.prototype.mx_formats.nvfp4_tensor import NVFP4Tensor
    t = NVFP4Tensor.to_nvfp4(x)
    return t.scale.view(torch.uint8).numpy(), unpack(t.qdata.numpy()), t.dequantize().numpy()


def torchao2(x):
    from torchao.prototype.mx_formats.nvfp4_tensor import NVFP4Tensor, per_tensor_amax_to_scale
    t = NVFP4Tensor.to_nvfp4(x, per_tensor_scale=per_tensor_amax_to_scale(x.abs().max()))
    return t.scale.view(torch.uint8).numpy(), unpack(t.qdata.numpy()), t.dequantize().numpy()


def modelopt(tensor):
    def run(x):
        q, scale, double = tensor.quantize(x.clone(), 16)
        values = q.dequantize(torch.float32, scale=scale, double_scale=double, block_sizes={-1: 16})
        return scale.view(torch.uint8).numpy(), unpack(q._quantized_data.numpy()), values.numpy()
    return run


def load_modelopt(path):
    """Loads NVFP4QTensor from another version's source into the installed package."""
    spec = importlib.util.spec_from_file_location("modelopt.torch.quantization.qtensor.other", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.NVFP4QTensor


def modelopt_4over6(x):
    """Static scales for both candidates. ModelOpt leaves the choice by squared error to a calibration in CUDA; here
    the squares are added element after element in float32."""
    from modelopt.torch.quantization.qtensor import NVFP4QTensor
    results = []
    amax = x.abs().view(x.shape[0], -1, 16).amax(-1)
    for factor in (1.0, 1.5):
        quantizer = types.SimpleNamespace(global_amax=x.abs().max(), _amax=amax * factor,
                                          block_sizes={-1: 16, "four_over_six": True})
        scale, double = NVFP4QTensor.get_weights_scaling_factor_from_quantizer(quantizer, x)
        q, _, _ = NVFP4QTensor.quantize(x.clone(), 16, scale, double)
        values = q.dequantize(torch.float32, scale=scale, double_scale=double,
                              block_sizes={-1: 16}).numpy()
        error = np.zeros(amax.shape, F32)
        for i in range(16):
            difference = values[:, i::16] - x.numpy()[:, i::16]
            error += difference * difference
        results.append((error, scale.view(torch.uint8).numpy(), unpack(q._quantized_data.numpy()),
                        values))
    four = results[1][0] < results[0][0]
    wide = np.repeat(four, 16, 1)
    pick = [np.where(mask, b, a) for mask, a, b in zip((four, wide, wide), results[0][1:],
                                                       results[1][1:])]
    return tuple(pick)


def modelopt_mxfp8(x):
    from modelopt.torch.quantization.qtensor import MXFP8QTensor
    q, scale = MXFP8QTensor.quantize(x.clone())
    values = q.dequantize(torch.float32, scale=scale)
    return scale.numpy(), q._quantized_data.view(torch.uint8).numpy(), values.numpy()


def load_te(path):
    """Loads the reference's quantizer from its source."""
    source = pathlib.Path(path).read_text()
    source = re.sub(r"^from transformer_engine.*$", "", source, flags=re.MULTILINE)
    module = types.ModuleType("te_reference")
    module.__dict__.update(gemm=mock.MagicMock(), reference_utils=mock.MagicMock(),
                           QuantizedTensorStorage=object, Quantizer=object)
    sys.modules["te_reference"] = module
    exec(compile(source, path, "exec", flags=__future__.annotations.compiler_flag), module.__dict__)
    return module.NVFP4QuantizerRef


def te_values(codes, scales, amax, limit):
    """Multiplies as the dequantize kernel and its test (compute_ref_dequantize_nvfp4) do."""
    table = np.array([0, .5, 1, 1.5, 2, 3, 4, 6, -0., -.5, -1, -1.5, -2, -3, -4, -6], F32)
    factor = F32(1) / F32(6 * limit)
    scale = e4m3(scales) * np.reshape(amax, (-1, 1)).astype(F32) * factor
    return table[codes] * np.repeat(scale, 16, 1)


def te(reference, rows=1, per_row=False, error=None):
    def run(x):
        height = x.shape[0]
        x = reference._pad_tensor(x, row_divisor=rows, col_divisor=16)
        if per_row:
            amax = x.abs().max(dim=1).values
        else:
            amax = x.abs().max().view(1)
        limit = 448 if error is None else 256
        packed, scales = reference._quantize_blockwise_reference(
            x, amax, 16, rows, pow_2_scales=False, row_scaled_nvfp4=per_row,
            nvfp4_use_4over6=error is not None, nvfp4_e4m3_max=limit,
            nvfp4_4over6_err_mode=error or "MAE", eps=0.0)
        scales = scales.contiguous().view(torch.uint8).numpy()
        codes = unpack(packed.numpy())
        values = te_values(codes, scales, amax.numpy(), limit)
        return scales[:height], codes[:height], values[:height]
    return run


def compressed_tensors(x):
    from compressed_tensors.compressors.nvfp4.helpers import pack_fp4_to_uint8
    from compressed_tensors.quantization.lifecycle.forward import dequantize, quantize
    from compressed_tensors.quantization.quant_scheme import NVFP4
    from compressed_tensors.quantization.utils import calculate_qparams, generate_gparam
    args, blocks = NVFP4["weights"], x.view(x.shape[0], -1, 16)
    factor = generate_gparam(x.min().view(1), x.max().view(1))
    scale, _ = calculate_qparams(blocks.amin(-1), blocks.amax(-1), args, global_scale=factor)
    q = quantize(x=x, scale=scale, zero_point=None, args=args, global_scale=factor)
    codes = unpack(pack_fp4_to_uint8(q).numpy())
    stored = scale.to(torch.float8_e4m3fn)
    values = dequantize(x_q=q, scale=stored.float(), args=args, global_scale=factor, dtype=torch.float32)
    return stored.view(torch.uint8).numpy(), codes, values.numpy()


def jobs(te_path, modelopt_old, only):
    """Yields (preset, format, release, function from a matrix to scale codes, codes and values)."""
    if only in (None, "nvfp4-compressed-tensors"):
        release = "compressed-tensors " + importlib.metadata.version("compressed-tensors")
        yield "nvfp4-compressed-tensors", "nvfp4", release, compressed_tensors
    if only == "nvfp4-compressed-tensors":
        return
    ao = "torchao " + importlib.metadata.version("torchao")
    from modelopt.torch.quantization.qtensor import NVFP4QTensor
    mo = "nvidia-modelopt " + importlib.metadata.version("nvidia-modelopt")
    yield "nvfp4-torchao1", "nvfp4", ao, torchao1
    yield "nvfp4-torchao2", "nvfp4", ao, torchao2
    yield "nvfp4-modelopt", "nvfp4", mo, modelopt(NVFP4QTensor)
    yield "nvfp4-modelopt-4over6", "nvfp4", mo, modelopt_4over6
    yield "modelopt-mxfp8", "mxfp8_e4m3", mo, modelopt_mxfp8
    if modelopt_old:
        release = "ModelOpt 5a4242f, nvfp4_tensor.py"
        yield "nvfp4-modelopt_old", "nvfp4", release, modelopt(load_modelopt(modelopt_old))
    if not te_path:
        return
    reference = load_te(te_path)
    release = "Transformer Engine d0067d0, reference_nvfp4.py"
    yield "nvfp4-te", "nvfp4", release, te(reference)
    yield "nvfp4-te-2d", "nvfp4", release, te(reference, rows=16)
    yield "nvfp4-te-row", "nvfp4", release, te(reference, per_row=True)
    yield "nvfp4-te-4over6", "nvfp4", release, te(reference, error="MAE")
    yield "nvfp4-te-4over6-mse", "nvfp4", release, te(reference, error="MSE")
    yield "nvfp4-te-4over6-2d", "nvfp4", release, te(reference, rows=16, error="MAE")
    yield "nvfp4-te-4over6-row", "nvfp4", release, te(reference, per_row=True, error="MAE")


def inputs(arguments):
    if arguments.rows:
        rng = np.random.default_rng(arguments.seed)
        x = rng.standard_normal((arguments.rows, 256)) * np.exp(rng.normal(0, 3, (arguments.rows, 1)))
        return {"random": x.astype(F32)}
    loaded = {case: np.load(DATA / f"input_{case}.npy") for case in peers.CASES}
    return {case: x for case, x in loaded.items() if x.shape[1] % 32 == 0}


def scale_numbers(codes, fmt):
    if fmt == "nvfp4":
        return e4m3(codes)
    return np.where(codes == 255, np.nan, np.exp2(codes.astype(np.float64) - 127)).astype(F32)


def undefined(preset, scales, codes, values, x):
    """Returns a mask of meaningless codes: NaN that torchao converted to integers."""
    if not preset.startswith("nvfp4-torchao"):
        return np.zeros(codes.shape, bool)
    return np.isnan(values) | np.isnan(np.repeat(scales, 16, 1)) | ~np.isfinite(x)


def checksums(preset, fmt, x, result):
    scale_codes, codes, values = result
    scales = scale_numbers(scale_codes, fmt)
    high = fnv8(np.concatenate([as_bytes(bits(scales)), as_bytes(bits(values))], 1))
    low = fnv8(as_bytes(np.where(peers.nan_codes(codes, fmt), 0x7F, codes).astype(np.uint8)))
    low[undefined(preset, scales, codes, values, x).any(1)] = 0
    return (high << 8) | low


def check(tool, preset, fmt, x, result):
    """Returns the numbers of compared scales, codes and values, and of differences."""
    got = tool(preset, fmt, x)
    scale_codes, codes, values = result
    scales = scale_numbers(scale_codes, fmt)
    other = codes != got["codes"]
    other &= ~(peers.nan_codes(codes, fmt) & peers.nan_codes(got["codes"], fmt))
    other &= ~undefined(preset, scales, codes, values, x)
    wrong = [bits(scales) != bits(got["scales"]), other, bits(values) != bits(got["deq"])]
    return np.array([[w.size for w in wrong], [np.count_nonzero(w) for w in wrong]])


def kept(only):
    """The records of other presets than `only`."""
    if not only:
        return [], []
    manifest, all_sums = json.loads((DATA / "nvfp4.json").read_text()), np.load(DATA / "nvfp4.npy")
    entries, sums, at = [], [], 0
    for entry in manifest:
        rows = sum(len(np.load(DATA / f"input_{case['name']}.npy")) for case in entry["cases"])
        if entry["preset"] != only:
            entries.append(entry)
            sums.append(all_sums[at:at + rows])
        at += rows
    assert at == len(all_sums)
    return entries, sums


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--te", help="reference_nvfp4.py of Transformer Engine's source")
    parser.add_argument("--modelopt-old", help="nvfp4_tensor.py of ModelOpt's source at 5a4242f")
    parser.add_argument("--check", help="the built mx_quantize_tool")
    parser.add_argument("--only", metavar="PRESET", help="records or checks this preset alone")
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    np.seterr(all="ignore")
    tool = Tool(arguments.check) if arguments.check else None
    (manifest, sums), failed = kept(arguments.only), False
    cases = inputs(arguments)
    for preset, fmt, release, run in jobs(arguments.te, arguments.modelopt_old, arguments.only):
        if arguments.only not in (None, preset):
            continue
        counts = np.zeros((2, 3), np.int64)
        entry = {"label": f"values__{preset}", "preset": preset, "format": fmt, "scale": "",
                 "values": True, "release": release, "cases": []}
        for case, x in cases.items():
            result = run(torch.from_numpy(x))
            if tool:
                count = check(tool, preset, fmt, x, result)
                counts += count
                if count[1].any():
                    print(f"  {preset} {case}: {count[1]} scales, codes, values differ")
            else:
                entry["cases"].append({"name": case})
                sums.append(checksums(preset, fmt, x, result))
        if tool:
            failed |= bool(counts[1].any())
            print(f"{preset:24} {release:46} compared {counts[0]} different {counts[1]}")
        manifest.append(entry)
    if tool:
        return 1 if failed else 0
    (DATA / "nvfp4.json").write_text(json.dumps(manifest, separators=(",", ":")) + "\n")
    np.save(DATA / "nvfp4.npy", np.concatenate(sums))
    return 0


if __name__ == "__main__":
    sys.exit(main())
