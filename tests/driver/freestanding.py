#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles C sources for several processors, without libraries. Fails if an object needs a symbol that no object of the
list defines, or if the compiler prints a message.

    freestanding.py --include DIR [--include DIR ...] SOURCE [SOURCE ...]

Clang compiles for all processors, GCC for its own. Exit status 1 if an object is not freestanding.
"""
import argparse
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys
import tempfile

TARGETS = {
    "x86-64": ["--target=x86_64-unknown-none-elf"],
    "rv32imac": ["--target=riscv32-unknown-elf", "-march=rv32imac", "-mabi=ilp32"],
    "rv64imac": ["--target=riscv64-unknown-elf", "-march=rv64imac", "-mabi=lp64", "-mcmodel=medany"],
    "armv6-m": ["--target=armv6m-none-eabi", "-mfloat-abi=soft"],
    "aarch64": ["--target=aarch64-none-elf"],
}
LEVELS = ["-O0", "-O1", "-O2", "-O3", "-Os"]
FLAGS = ["-std=c11", "-ffreestanding", "-nostdlib", "-Wall", "-Wextra", "-Wconversion",
         "-Wsign-conversion", "-Wshadow", "-pedantic", "-Werror", "-c"]


def symbols(path):
    """(defined, undefined) global symbols of an object file for any processor."""
    table = subprocess.run(["readelf", "--wide", "--symbols", path], check=True, text=True,
                           stdout=subprocess.PIPE).stdout
    defined, undefined = set(), set()
    for line in table.splitlines():
        fields = line.split()
        if len(fields) < 8 or fields[4] not in ("GLOBAL", "WEAK"):
            continue
        (undefined if fields[6] == "UND" else defined).add(fields[7])
    return defined, undefined


def complaints(compiler, options, sources, includes):
    defined, undefined = set(), set()
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            target = pathlib.Path(folder) / (pathlib.Path(source).name + ".o")
            command = [compiler, *options, *FLAGS, *(f"-I{path}" for path in includes),
                       str(source), "-o", str(target)]
            done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            if done.returncode != 0 or done.stdout:
                return [" ".join(command), done.stdout.strip()]
            here, missing = symbols(target)
            defined |= here
            undefined |= missing
    return [f"needs {name}" for name in sorted(undefined - defined)]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", action="append", default=[])
    parser.add_argument("--clang", default=shutil.which("clang-14") or shutil.which("clang"))
    parser.add_argument("--gcc", default=shutil.which("gcc"))
    parser.add_argument("sources", nargs="+")
    args = parser.parse_args()
    if not args.clang:
        sys.exit("freestanding.py: there is no clang")
    builds = [(args.clang, name, level, [*flags, level])
              for name, flags in TARGETS.items() for level in LEVELS]
    if args.gcc:
        builds += [(args.gcc, "own", level, [level]) for level in LEVELS]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda b: complaints(b[0], b[3], args.sources, args.include), builds))
    bad = 0
    for (compiler, name, level, _), lines in zip(builds, found):
        for line in lines:
            print(f"{pathlib.Path(compiler).name} {name} {level}: {line}")
        bad += bool(lines)
    print(f"{len(args.sources)} sources, {len(builds)} builds, {bad} that are not freestanding")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
