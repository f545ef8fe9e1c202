#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Vector instructions may only be in code that the choice of the vector level guards.

For templates and inline functions outside an unnamed namespace, the linker keeps one copy for the whole program, which
runs on any processor. So code beyond the x86-64 baseline is only allowed in functions with internal linkage in the
levels' objects, and zmm registers only in AVX-512's."""
import argparse
import re
import subprocess
import sys

MEMBER = re.compile(r"^(\S+\.o):\s+file format")
FUNCTION = re.compile(r"^[0-9a-f]+ <(.+)>:$")
# Names of AVX instructions begin with v; so do verr and verw of the baseline, which the program lacks.
VECTOR = re.compile(r"^\s*[0-9a-f]+:\s+(v\w+)\s+(.*)$")
LEVEL = re.compile(r"^(avx2|avx512)\.")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objdump", default="objdump")
    parser.add_argument("library")
    return parser.parse_args()


def internal_functions(objdump: str, library: str) -> set[tuple[str, str]]:
    found = set()
    member = ""
    for line in run(objdump, "-t", library):
        if match := MEMBER.match(line):
            member = match[1]
        elif re.match(r"^[0-9a-f]+ l ", line):
            found.add((member, line.split()[-1]))
    return found


def vector_functions(objdump: str, library: str) -> dict[tuple[str, str], str]:
    """{(object, function): "zmm" if it uses such registers, else "ymm"} for functions with AVX instructions."""
    found: dict[tuple[str, str], str] = {}
    member = function = ""
    for line in run(objdump, "-d", "--no-show-raw-insn", library):
        if match := MEMBER.match(line):
            member = match[1]
        elif match := FUNCTION.match(line):
            function = match[1]
        elif match := VECTOR.match(line):
            widest = "zmm" if "zmm" in match[2] else "ymm"
            found[member, function] = max(widest, found.get((member, function), ""))
    return found


def run(*command: str) -> list[str]:
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def main() -> int:
    args = parse_arguments()
    internal = internal_functions(args.objdump, args.library)
    vector = vector_functions(args.objdump, args.library)
    faults = []
    widest: dict[str, str] = {}
    for (member, function), register in sorted(vector.items()):
        level = LEVEL.search(member)
        if not level:
            faults.append(f"{member}: {function}: AVX outside the objects of the levels")
        elif (member, function) not in internal:
            faults.append(f"{member}: {function}: AVX in a function that other objects share")
        elif register == "zmm" and level[1] != "avx512":
            faults.append(f"{member}: {function}: AVX-512 in an object of AVX2")
        if level:
            widest[level[1]] = max(register, widest.get(level[1], ""))
    if widest != {"avx2": "ymm", "avx512": "zmm"}:
        faults.append(f"expected ymm registers in AVX2's objects, zmm in AVX-512's, found {widest}")
    print("\n".join(faults) or f"{len(vector)} functions with vector code, all internal")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
