#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the quantizer with a directory's oracle.py on random values, every preset and format of the oracle.

    check_random.py TOOL ORACLE_DIR [--values N] [--seed S] [--only PRESET_PART]

N (default 1e8) is the number of values over all presets and formats, from several distributions, one of raw float32
bits. Exit status 1 for a mismatch. Results that an oracle leaves undefined are skipped (peers.py, check_one).
"""
import argparse
import importlib
import sys
import warnings

import numpy as np
import peers
from check_vectors import Tool, bits

FORMATS = ["e2m1", "e1m2", "e2m3", "e3m2", "e4m3", "e5m2", "int8"]
NVFP4 = {"nvfp4-torchao1": "torchao1", "nvfp4-torchao2": "torchao2", "nvfp4-modelopt": "modelopt",
         "nvfp4-te": "te"}
# Systems without integer formats.
NO_INTEGERS = ("torchao", "ascend")


def values(random, rows, kind):
    """float32 [rows][32] from distribution `kind`."""
    shape = (rows, 32)
    if kind == 0:
        return random.standard_normal(shape, np.float32)
    if kind == 1:  # every exponent, including subnormals
        return (random.standard_normal(shape) * np.exp2(random.integers(-150, 127, (rows, 1)))
                ).astype(np.float32)
    if kind == 2:  # raw bits: any combination of exponents, including NaN and Inf
        return random.integers(0, 2**32, shape, np.uint32).view(np.float32)
    if kind == 3:  # near powers of two, where rounded logarithms may be wrong
        exponent = random.integers(1, 255, (rows, 1), np.int64)
        offset = random.integers(-60, 60, (rows, 1), np.int64)
        x = ((exponent << 23) + offset).astype(np.uint32).view(np.float32).repeat(32, 1)
        return x * random.choice(np.array([1, 0.5, 0.25, -0.5, -1, 0.75, 0.875, 0], np.float32),
                                 shape)
    # ties: multiples of 1/16 of the scale
    scale = np.exp2(random.integers(-20, 20, (rows, 1))).astype(np.float32)
    x = random.integers(-128, 129, shape).astype(np.float32) * np.float32(0.0625) * scale
    x[random.random(shape) < 0.05] = np.float32(-0.0)
    return x


def check_one(oracle, tool, preset, fmt, x):
    if preset in NVFP4:
        return check_nvfp4(oracle, tool, preset, x)
    if preset == "modelopt-mxfp4":
        r = oracle.q_modelopt_mxfp4(x)
        got = tool(preset, "mxfp4_e2m1", x)
        bad = r.bad
        return int(np.sum((got["scale_codes"] != r.scale) & ~bad)) + int(
            np.sum((got["codes"] != r.elem) & ~bad))
    r = oracle.quantize(x, fmt, preset)
    name = peers.HARDWARE[fmt]
    got = tool(preset, name, x)
    wrong = 0
    scales = got["scales"].reshape(-1)
    nan = np.isnan(scales)
    if hasattr(r, "scale_f32"):
        wrong += int(np.sum(bits(scales) != bits(r.scale_f32.ravel())))
    else:
        e = np.asarray(r.scale_exp).ravel()
        expected = np.where(e == oracle.NAN_EXP, np.nan, np.ldexp(1.0, np.where(
            e == oracle.NAN_EXP, 0, e).astype(np.int32))).astype(np.float32)
        wrong += int(np.sum(bits(scales) != bits(expected)))
    if hasattr(r, "scale") and "scale_codes" in got:
        wrong += int(np.sum(got["scale_codes"].ravel() != r.scale.ravel()))
    if hasattr(r, "elem"):
        codes = got["codes"]
        bad = (codes != r.elem) & ~(peers.nan_codes(codes, name) & peers.nan_codes(r.elem, name))
        if preset.startswith("torchao") and fmt != "e4m3":
            bad &= ~np.repeat(nan.reshape(len(x), -1), 32, 1)
        wrong += int(np.sum(bad))
    if hasattr(r, "deq"):
        wrong += int(np.sum(bits(got["deq"]) != bits(r.deq)))
    if hasattr(r, "absdeq"):
        wrong += int(np.sum((bits(np.abs(got["deq"])) != bits(r.absdeq)) & ~r.skip))
    return wrong


def check_nvfp4(oracle, tool, preset, x):
    finite = np.where(np.isfinite(x), np.abs(x), 0)
    amax = np.float32(finite.max()) or np.float32(1)
    variant = NVFP4[preset]
    scale = amax if variant == "te" else amax / np.float32(2688)
    r = oracle.q_nvfp4(x, variant, scale)
    got = tool(preset, "nvfp4", x)
    recorded = np.where((r.scale & 0x7F) == 0x7F, 0x7F, r.scale)
    return int(np.sum(got["scale_codes"] != recorded)) + int(
        np.sum((got["codes"] != r.elem) & ~r.vnan))


def jobs(oracle, part):
    for preset in list(oracle.PRESETS) + ["modelopt-mxfp4", *NVFP4]:
        if part not in preset:
            continue
        if preset in NVFP4 or preset == "modelopt-mxfp4":
            yield preset, "e2m1"
            continue
        for fmt in FORMATS:
            if fmt != "int8" or not preset.startswith(NO_INTEGERS):
                yield preset, fmt


def main():
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("oracle_dir")
    parser.add_argument("--values", type=float, default=1e8)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    sys.path.insert(0, args.oracle_dir)
    oracle = importlib.import_module("oracle")
    tool = Tool(args.tool)
    random = np.random.default_rng(args.seed)
    todo = list(jobs(oracle, args.only))
    kinds = 5
    rows = max(1, int(args.values / len(todo) / kinds / 32))
    total = failures = 0
    for preset, fmt in todo:
        wrong = 0
        for kind in range(kinds):
            for start in range(0, rows, 8192):
                x = values(random, min(8192, rows - start), kind)
                n = check_one(oracle, tool, preset, fmt, x)
                if n:
                    print(f"{preset} {fmt}: {n} wrong in distribution {kind}")
                wrong += n
                total += x.size
        failures += wrong
    print(f"seed {args.seed}: {len(todo)} preset-format pairs, {total} values, {failures} wrong")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
