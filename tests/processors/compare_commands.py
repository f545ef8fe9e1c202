#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Commands of mxe on another processor, in qemu-user, give the same outputs and files as on this one."""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ARRAY = str(ROOT / "sw/mxe/data/digits/weight1.npy")
OTHER = str(ROOT / "sw/mxe/data/digits/weight2.npy")
QUANTIZE = ["quantize", ARRAY, "--elements", "e.npy", "--scales", "s.npy", "--stats", "--format"]
MATMUL = ["matmul", ARRAY, OTHER, "--on", "golden", "--output", "c.npy"]
COMMANDS = [
    ["formats"],
    ["compare", ARRAY],
    [*QUANTIZE, "mxfp4_e2m1"],
    [*QUANTIZE, "mxfp8_e5m2", "--preset", "ocp-rceil"],
    [*QUANTIZE, "mxint8", "--dequantized", "d.npy"],
    [*MATMUL, "--format-a", "mxfp4_e2m1", "--format-b", "mxfp4_e1m2"],  # the kernel of bytes
    [*MATMUL, "--format-a", "mxint8", "--format-b", "mxint8"],  # with AVX2 that of words
    [*MATMUL, "--format-a", "mxfp8_e4m3", "--format-b", "mxfp8_e5m2"],  # that of float64
]
SECONDS = re.compile(rb"[0-9.]+ s$", re.MULTILINE)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--qemu", default="qemu-x86_64")
    parser.add_argument("--cpu", required=True)
    parser.add_argument("mxe", type=Path)
    return parser.parse_args()


def results(program: list[str], command: list[str]) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as directory:
        # qemu prints warnings on the error stream.
        done = subprocess.run([*program, *command], cwd=directory, capture_output=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"status {done.returncode}: {done.stderr.decode(errors='replace')}")
        files = {path.name: path.read_bytes() for path in sorted(Path(directory).iterdir())}
    return {"the output": SECONDS.sub(b"# s", done.stdout), **files}


def main() -> int:
    args = parse_arguments()
    mxe = str(args.mxe.resolve())
    faults = 0
    for command in COMMANDS:
        try:
            native = results([mxe], command)
            other = results([args.qemu, "-cpu", args.cpu, mxe], command)
            different = [name for name in native | other if native.get(name) != other.get(name)]
        except RuntimeError as error:
            different = [str(error)]
        if different:
            faults += 1
            print(f"{' '.join(command)}: differs on {args.cpu}: {', '.join(different)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
