#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs properties_bench.sv: each violation must fail its assertion and no other, and each assertion must have one."""
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = re.compile(r"`MXE_AXI_E\w+\((e\w+),|^  (engine_\w+) : assert", re.MULTILINE)


def failures(output):
    """{planted name: names of the assertions that failed}"""
    found = collections.defaultdict(set)
    planted = None
    for line in output.splitlines():
        if match := re.match(r"planted (\w+)", line):
            planted = match[1]
            found[planted].update()
        elif match := re.search(r"Assertion failed in \S+\.(\w+)", line):
            found[planted].add(match[1])
    return found


def main():
    run = subprocess.run([sys.argv[1], "+verilator+error+limit+1000"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                         text=True, check=False)
    found = failures(run.stdout)
    text = (ROOT / "tb/axi/mxe_axi_properties.sv").read_text(encoding="utf-8")
    names = {a or b for a, b in NAMES.findall(text)} | {"ram_no_collision"}
    problems = [f"no violation of {name}" for name in sorted(names - found.keys())]
    problems += [f"planted {name}: failed {sorted(failed) or 'nothing'}" for name, failed in found.items()
                 if failed != ({name} if name != "none" else set())]
    if "none" not in found or run.returncode:
        problems.append(f"the bench ended with status {run.returncode}:\n{run.stdout[-2000:]}")
    print("\n".join(problems) or f"{len(names)} rules, each with a violation that fails its assertion and no other")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
