#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Regenerates the compact conformance data from a directory of recorded vectors and an oracle.

    make_data.py VECTORS_DIR ORACLE_DIR

Writes into data/:
  input_CASE.npy   float32 inputs
  peers.json       list of the recordings: {label, preset, format, scale, cases: [{name, amax}]}
  peers.npy        uint16 checksums of recorded outputs in the order of peers.json, one per row (per case if blocks
                   straddle rows). High byte: scales and values; low byte: codes, or 0 if they are not compared.
                   FNV-1a folded to 8 bits, with 0 replaced by 1
  dot.npy          dot products under other policies (see dot_records)
  ascend.npy       Ascend matmul samples (see ascend_records)
The golden GEMM's cases come from make_gemm_data.py.
"""
import importlib
import json
import pathlib
import struct
import sys
import warnings

import numpy as np
import peers
from check_vectors import bits, scale_floats, tensor_amax, variants

DATA = pathlib.Path(__file__).parent / "data"
FORMATS = ["e2m1", "e1m2", "e2m3", "e3m2", "e4m3", "e5m2", "int8"]
DOTS = 40  # per pair


def fnv8(rows):
    """FNV-1a of every row of a uint8 matrix, folded to 8 bits, never 0."""
    h = np.full(len(rows), 0x811C9DC5, np.uint32)
    for column in rows.T:
        h = (h ^ column) * np.uint32(0x01000193)
    h = h ^ (h >> 16)
    h = (h ^ (h >> 8)) & 0xFF
    return np.where(h == 0, 1, h).astype(np.uint16)


def as_bytes(a):
    return np.ascontiguousarray(a).view(np.uint8).reshape(a.shape[0], -1)


def decode_scale_codes(codes, nvfp4):
    if not nvfp4:
        return scale_floats(np.where(codes == 255, peers.NAN_EXPONENT, codes.astype(np.int64) - 127))
    c = codes.astype(np.int64) & 0x7F
    e, m = c >> 3, c & 7
    value = np.where(e == 0, m / 8 * 2.0**-6, (1 + m / 8) * np.exp2(e - 7.0))
    return np.where(c == 0x7F, np.nan, value).astype(np.float32)


def checksums(view, case, x, preset, fmt, stem):
    def get(key):
        return view.get(f"{case}__{key}")

    rows = x.shape[0]
    block = 16 if fmt == "nvfp4" else 32
    blocks = -(-x.shape[1] // block)
    if get("scaleexp") is not None:
        scales = scale_floats(get("scaleexp"))
    elif get("scalef32") is not None and get("scale") is None:
        scales = get("scalef32")[..., :blocks]
    else:
        scales = decode_scale_codes(get("scale"), preset.startswith("nvfp4") and
                                    preset != "nvfp4-te-pow2")
    straddles = preset == "pychop" and x.shape[1] % block != 0
    nan = np.isnan(scales)
    scales = bits(scales).reshape(1 if straddles else rows, -1)
    parts = [as_bytes(scales)]
    if get("deq") is not None:
        deq = bits(get("deq"))
        if preset.startswith("modelopt-cuda"):
            deq = np.where(deq == 0x80000000, 0, deq)
        skip = preset.startswith("modelopt-cuda") and fmt == "mxint8"
        if skip:  # Inf to int is undefined there
            deq = np.where(np.isinf(x), 0, deq)
        parts.append(as_bytes(deq.astype(np.uint32).reshape(len(scales), -1)))
    high = fnv8(np.concatenate(parts, 1))
    low = np.zeros(len(high), np.uint16)
    codes = get("elem")
    if codes is not None:
        codes = codes.ravel()[: x.size].reshape(x.shape)
        codes = np.where(peers.nan_codes(codes, fmt), 0x7F, codes)
        low = fnv8(as_bytes(codes.astype(np.uint8).reshape(len(scales), -1)))
        if not straddles:
            excluded = peers.excluded_codes(preset, fmt, nan.reshape(rows, -1), x, stem, block)
            if excluded is None:
                excluded = np.zeros(x.shape, bool)
            if stem.startswith("quark-onnx"):
                excluded = excluded | (np.isinf(get("deq")) & np.isfinite(x))
            low[excluded.any(1)] = 0
    return (high << 8) | low


def oracle_views(oracle, inputs):
    for preset in ("ocp", "ocp-ceil", "ocp-even", "ocp-rceil"):
        for fmt in FORMATS:
            view = {}
            for case in peers.CASES:
                r = oracle.quantize(inputs[case], fmt, preset)
                view[f"{case}__scale"], view[f"{case}__elem"] = r.scale, r.elem
                view[f"{case}__deq"] = r.deq
            yield f"{preset}__{fmt}", preset, peers.HARDWARE[fmt], "", view


def peer_views(vectors):
    for path in sorted(vectors.glob("*__*.npz")):
        data = dict(np.load(path))
        for label, preset, fmt, options, view in variants(path.stem, data):
            yield (path.stem if label == path.stem else label), preset, fmt, options, view


def write_peers(vectors, oracle):
    inputs = np.load(vectors / "inputs.npz")
    for case in peers.CASES:
        np.save(DATA / f"input_{case}.npy", inputs[case])
    manifest, sums = [], []
    for source in (oracle_views(oracle, inputs), peer_views(vectors)):
        for label, preset, fmt, options, view in source:
            cases = []
            for case in peers.CASES:
                if not any(key.startswith(case + "__") for key in view):
                    continue
                amax = tensor_amax(view, case)[5:]
                cases.append({"name": case, "amax": amax} if amax else {"name": case})
                sums.append(checksums(view, case, inputs[case], preset, fmt, label))
            manifest.append({"label": label, "preset": preset, "format": fmt,
                             "scale": options[6:], "cases": cases})
    (DATA / "peers.json").write_text(json.dumps(manifest, separators=(",", ":")) + "\n")
    np.save(DATA / "peers.npy", np.concatenate(sums))


def dot_records(vectors):
    """4 uint32 (format of A, of B, count, has nvidia), then codes [count][128] of A and B, scales [count][4] of
    both, and float32 [count] results: exact, sequential, and nvidia if the flag is set."""
    data = np.load(vectors / "dot.npz")
    stream = b""
    for pair in sorted({"_".join(key.split("_")[:2]) for key in data}):
        a, b = pair.split("_")
        nvidia = f"{pair}_mmasim_nv_tcgen05" in data
        keys = ["ca", "cb", "sa", "sb", "exact", "seq_f32"] + ["mmasim_nv_tcgen05"] * nvidia
        stream += struct.pack("<4I", FORMATS.index(a), FORMATS.index(b), DOTS, nvidia)
        for key in keys:
            stream += np.ascontiguousarray(data[f"{pair}_{key}"][:DOTS]).tobytes()
    return stream


def ascend_records(vectors):
    """6 uint32 (format, M, N, K, trans A, trans B), float32 A [M][K] and B [K][N], then for each of
    a_8, b_8, a_scale, b_scale, expected_data a uint32 size and the bytes."""
    stream = b""
    for fmt in ("e2m1", "e1m2", "e4m3", "e5m2"):
        data = np.load(vectors / f"ascend__{fmt}.npz")
        for case in sorted(key[:-2] for key in data if key.startswith("mm_") and key.endswith("_c")):
            m, n, k, ta, tb = case[3:].split("_")
            stream += struct.pack("<6I", FORMATS.index(fmt), int(m), int(n), int(k), int(ta[2]),
                                  int(tb[2]))
            stream += data[case + "_a"].tobytes() + data[case + "_b"].tobytes()
            for key in ("a8", "b8", "as", "bs", "c"):
                raw = data[f"{case}_{key}"].tobytes()
                stream += struct.pack("<I", len(raw)) + raw
    return stream


def main():
    warnings.simplefilter("ignore")
    vectors = pathlib.Path(sys.argv[1])
    sys.path.insert(0, sys.argv[2])
    oracle = importlib.import_module("oracle")
    write_peers(vectors, oracle)
    np.save(DATA / "dot.npy", np.frombuffer(dot_records(vectors), np.uint8))
    np.save(DATA / "ascend.npy", np.frombuffer(ascend_records(vectors), np.uint8))


if __name__ == "__main__":
    main()
