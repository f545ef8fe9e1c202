#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares every recorded vector of a directory with the quantizer, bit for bit. A long check.

    check_vectors.py TOOL VECTORS_DIR [NAME_PART]

TOOL is the built mx_quantize_tool; NAME_PART selects files by a part of their names. Exit status 1 for a mismatch or
if nothing was compared.
Values that the recorded systems leave undefined are listed in peers.py and below.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import peers


class Tool:
    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)
        self.dir = tempfile.TemporaryDirectory()

    def __call__(self, preset, fmt, x, options=""):
        base = pathlib.Path(self.dir.name)
        for old in base.glob("out_*"):
            old.unlink()
        np.save(base / "in.npy", np.ascontiguousarray(x, np.float32))
        self.process.stdin.write(f"{preset} {fmt} {base}/in.npy {base}/out {options}\n")
        self.process.stdin.flush()
        if not self.process.stdout.readline():
            raise SystemExit("the tool failed")
        return {p.stem[4:]: np.load(p) for p in base.glob("out_*.npy")}


def bits(a):
    """float32 bits, with one value for all NaN."""
    a = np.ascontiguousarray(a, np.float32)
    return np.where(np.isnan(a), np.uint32(0x7FC00000), a.view(np.uint32))


def scale_floats(exponents):
    e = exponents.astype(np.int64)
    nan = e == peers.NAN_EXPONENT
    return np.where(nan, np.nan, np.ldexp(1.0, np.where(nan, 0, e).astype(np.int32))).astype(
        np.float32)


def compare_case(got, data, case, x, preset, fmt, stem):
    """Returns {name of the output: (compared, mismatches)}."""
    result = {}

    def add(what, wrong):
        result[what] = (wrong.size, int(np.count_nonzero(wrong)))

    def have(key):
        return f"{case}__{key}" in data

    def get(key):
        return data[f"{case}__{key}"]

    scales = got["scales"]
    if have("scaleexp"):
        add("scale", bits(scales).ravel() != bits(scale_floats(get("scaleexp"))).ravel())
    if have("scalef32"):
        recorded = get("scalef32")
        # ascend records a padded matrix of scales.
        recorded = recorded[..., : scales.shape[-1]]
        add("scale", bits(scales) != bits(recorded))
    if have("scale"):
        recorded = get("scale")
        ours = got["scale_codes"]
        if preset.startswith("nvfp4") and preset != "nvfp4-te-pow2":  # E4M3 has two NaN codes, which are equivalent
            recorded = np.where((recorded & 0x7F) == 0x7F, 0x7F, recorded)
        add("scale code", ours.ravel() != recorded.ravel())
    block = 16 if fmt == "nvfp4" else 32
    scale_is_nan = np.isnan(scales) if scales.shape[:-1] == x.shape[:-1] else None
    if have("elem"):
        # pychop records whole blocks.
        codes = got["codes"]
        recorded = get("elem").ravel()[: codes.size].reshape(codes.shape)
        wrong = codes != recorded
        wrong &= ~(peers.nan_codes(codes, fmt) & peers.nan_codes(recorded, fmt))
        if scale_is_nan is not None:
            excluded = peers.excluded_codes(preset, fmt, scale_is_nan, x, stem, block)
            if excluded is not None:
                wrong &= ~excluded
        if stem.startswith("quark-onnx"):  # codes were recovered from values, which may overflow
            wrong &= ~(np.isinf(get("deq")) & np.isfinite(x))
        add("code", wrong)
    if have("deq"):
        ours, recorded = bits(got["deq"]), bits(get("deq"))
        if preset.startswith("modelopt-cuda"):  # the sign of zero is uninitialized memory there
            ours = np.where(ours == 0x80000000, 0, ours)
            recorded = np.where(recorded == 0x80000000, 0, recorded)
        wrong = ours != recorded
        if preset.startswith("modelopt-cuda") and fmt == "mxint8":  # Inf to int: undefined in C++
            wrong &= ~np.isinf(x)
        add("value", wrong)
    return result


def tensor_amax(data, case):
    """Returns the amax option that reproduces the recorded tensor scale."""
    for key in ("pts", "ts"):
        if f"{case}__{key}" in data:
            scale = np.float32(data[f"{case}__{key}"])
            if np.isnan(scale):
                return "amax=nan"
            # Inverts the division by 448 * 6: tries the product and its two neighbours.
            guess = np.float32(scale * np.float32(2688))
            below = np.nextafter(guess, np.float32(0))
            above = np.nextafter(guess, np.float32(3.4028235e38))
            for candidate in (guess, below, above):
                if np.float32(candidate / np.float32(2688)) == scale:
                    return f"amax={float(candidate):.17g}"
            raise ValueError("no amax gives this tensor scale")
    if f"{case}__gamax" in data:
        return f"amax={float(data[f'{case}__gamax']):.17g}"
    return ""


def variants(stem, data):
    """Yields (label, preset, format, options, data) for each quantizer that a file records."""
    if stem.startswith("torchao-nvfp4"):
        for level in ("1", "2"):
            view = {}
            for key in data:
                case, what = key.split("__")
                if what in ("scale" + level, "elem" + level):
                    view[f"{case}__{what[:-1]}"] = data[key]
                if what == "pts" and level == "2":
                    view[key] = data[key]
            yield f"nvfp4-torchao{level}", f"nvfp4-torchao{level}", "nvfp4", "", view
        return
    job = peers.job_of(stem)
    if job is not None:
        yield stem, job[0], job[1], job[2], data


def main():
    tool = Tool(sys.argv[1])
    vectors = pathlib.Path(sys.argv[2])
    part = sys.argv[3] if len(sys.argv) > 3 else ""
    inputs = np.load(vectors / "inputs.npz")
    total = wrong_total = 0
    for path in sorted(vectors.glob("*__*.npz")):
        if part not in path.stem:
            continue
        data = dict(np.load(path))
        for label, preset, fmt, options, view in variants(path.stem, data):
            sums = {}
            for case in peers.CASES:
                if not any(key.startswith(case + "__") for key in view):
                    continue
                x = inputs[case]
                got = tool(preset, fmt, x, f"{options} {tensor_amax(view, case)}")
                for what, (n, wrong) in compare_case(got, view, case, x, preset, fmt,
                                                     path.stem).items():
                    old = sums.get(what, (0, 0, []))
                    sums[what] = (old[0] + n, old[1] + wrong, old[2] + ([case] if wrong else []))
            compared = sum(v[0] for v in sums.values())
            wrong = sum(v[1] for v in sums.values())
            total += compared
            wrong_total += wrong
            detail = "; ".join(f"{k}: {v[1]} in {','.join(v[2])}" for k, v in sums.items() if v[1])
            print(f"{label:34} {compared:9} compared {wrong:7} wrong  {detail}")
    print(f"total {total} compared, {wrong_total} wrong")
    return 1 if wrong_total or not total else 0


if __name__ == "__main__":
    sys.exit(main())
