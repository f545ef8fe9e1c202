#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Parameters that the engine does not allow must stop Verilator (even without warnings), Yosys and Icarus Verilog
with a message that names the rule. Icarus reads only the checks, because it cannot read the engine."""
import argparse
import os
import re
import subprocess
import sys
import tempfile

REFUSED = [
    ("NUM_PE=3", "NUM_PE must be"), ("NUM_PE=128", "NUM_PE must be"),
    ("ROWS=4", "ROWS must be"), ("ROWS=48", "ROWS must be"), ("ROWS=512", "ROWS must be"),
    ("NUM_PE=16 ROWS=8", "ROWS must be"),
    ("ACC_TILES=3", "ACC_TILES must be"), ("ACC_TILES=32", "ACC_TILES must be"),
    ("TREE_W=48", "TREE_W must be"), ("TREE_W=64", "TREE_W must be"),
    ("FP4_DUAL=2", "FP4_DUAL must be"), ("FP4_DUAL=3", "FP4_DUAL must be"),
    ("A_SLAB_K=96", "A_SLAB_K must be"), ("B_BUF_K=16", "B_BUF_K must be"),
    ("B_BANKS=1", "B_BANKS must be"), ("B_BANKS=6", "B_BANKS must be"), ("B_BANKS=16", "B_BANKS must be"),
    ("A_SLAB_K=128 B_BUF_K=256", "B_BUF_K must be"),
    ("A_SLAB_K=32768", "A_SLAB_K must be"),
    ("MEM_W=100", "MEM_W must be"), ("MEM_W=32", "MEM_W must be"), ("MEM_W=1024", "MEM_W must be"),
    ("QUEUE_DEPTH=1", "QUEUE_DEPTH must be"), ("QUEUE_DEPTH=12", "QUEUE_DEPTH must be"),
    ("MAX_BURST=0", "MAX_BURST must be"), ("MAX_BURST=24", "MAX_BURST must be"),
    ("MAX_BURST=512", "MAX_BURST must be"),
]
TAKEN = ["", "NUM_PE=1 ACC_TILES=1", "TREE_W=42 FP4_DUAL=0", "TREE_W=56 MEM_W=64 MAX_BURST=1"]


def command(args, parameters):
    if args.tool == "verilator":
        return [args.executable, "--lint-only", "-Wno-fatal", "-Wno-lint", "-Wno-style",
                "--top-module", "mxe_top", f"-I{args.include}"] + \
            [f"-G{p}" for p in parameters] + args.sources
    if args.tool == "icarus":
        return [args.executable, "-g2012", "-o", os.devnull, "-s", "checks", f"-I{args.include}"] + \
            [f"-Pchecks.{p}" for p in parameters] + [args.checks]
    settings = " ".join("-set " + p.replace("=", " ") for p in parameters)
    chparam = f"chparam {settings} mxe_top; " if parameters else ""
    return [args.executable, "-q", "-p", f"read_verilog -sv -I{args.include} "
            f"{' '.join(args.sources)}; {chparam}hierarchy -check -top mxe_top"]


def write_checks(include, directory):
    """A module with the parameters and their checks, without syntax that Icarus 11 lacks (types of parameters,
    elaboration $error)."""
    with open(os.path.join(include, "mxe_parameters.svh"), encoding="utf-8") as file:
        parameters = file.read().replace("parameter int unsigned", "parameter")
    with open(os.path.join(include, "mxe_parameter_checks.svh"), encoding="utf-8") as file:
        checks = re.sub(r"^ *\$error.*\n", "", file.read(), flags=re.MULTILINE)
    path = os.path.join(directory, "checks.v")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"module checks #(\n{parameters}) ();\n{checks}endmodule\n")
    return path


def refuses(tool, output, message):
    """True if the output names the rule in a message or in a missing module. With Verilator only the module counts,
    because it prints the message as a warning."""
    name = "mxe_error_" + re.sub(r"\W+", "_", message)
    return name in output or (tool != "verilator" and message in output)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool", choices=["verilator", "yosys", "icarus"])
    parser.add_argument("--executable", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("sources", nargs="+")
    args = parser.parse_args()
    directory = tempfile.TemporaryDirectory()
    args.checks = write_checks(args.include, directory.name)
    bad = 0
    for text, message in REFUSED + [(t, None) for t in TAKEN]:
        run = subprocess.run(command(args, text.split()), stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
        right = (run.returncode != 0 and refuses(args.tool, run.stdout, message) if message
                 else run.returncode == 0)
        if not right:
            bad += 1
            print(f"'{text}': expected {'refusal: ' + message if message else 'success'}, got exit "
                  f"status {run.returncode}\n{run.stdout[-1500:]}")
    print(f"{args.tool}: {len(REFUSED)} sets to refuse, {len(TAKEN)} to take, {bad} wrong")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
