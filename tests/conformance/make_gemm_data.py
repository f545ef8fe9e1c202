#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Regenerates data/gemm_block.npy from a directory of recorded vectors.

    make_gemm_data.py VECTORS_DIR

VECTORS_DIR holds gemm_block.npz: PAIR_N__ca, __sa, __cb, __sb, __out, optionally __bias and __out_single (4-bit pairs
with one chain). The result is one uint8 stream of records: 7 uint32 (format code of A, of B, M, N, K, has bias, has
single), then ca [M][K], sa, cb [N][K], sb as bytes, and bias, out, out_single as float32 [M][N].
"""
import pathlib
import struct
import sys

import numpy as np

FORMATS = ["e2m1", "e1m2", "e2m3", "e3m2", "e4m3", "e5m2", "int8"]


def main():
    vectors = pathlib.Path(sys.argv[1])
    data = np.load(vectors / "gemm_block.npz")
    stream = b""
    cases = sorted({key.rsplit("__", 1)[0] for key in data})
    for case in cases:
        a, b, _ = case.split("_")
        arrays = {key: data[f"{case}__{key}"] for key in
                  ("ca", "sa", "cb", "sb", "bias", "out", "out_single") if f"{case}__{key}" in data}
        rows, depth = arrays["ca"].shape
        columns = arrays["cb"].shape[0]
        stream += struct.pack("<7I", FORMATS.index(a), FORMATS.index(b), rows, columns, depth,
                              "bias" in arrays, "out_single" in arrays)
        for array in arrays.values():
            stream += np.ascontiguousarray(array).tobytes()
    out = pathlib.Path(__file__).parent / "data" / "gemm_block.npy"
    np.save(out, np.frombuffer(stream, np.uint8))
    print(f"{out}: {len(cases)} cases, {len(stream)} bytes")


if __name__ == "__main__":
    main()
