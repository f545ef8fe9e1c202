# SPDX-License-Identifier: Apache-2.0
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RTL = os.path.join(ROOT, "rtl")

# Like `synth`, but keeps memories, and uses only gates with a transistor count.
GATES = ["synth -run begin:fine", "opt -fast -full", "opt_clean", "techmap", "opt -fast",
         "abc -fast -g cmos", "opt_clean"]


def sources(rtl=RTL):
    with open(os.path.join(rtl, "mxe.f"), encoding="utf-8") as file:
        names = [line.strip() for line in file if not line.startswith(("/", "+"))]
    return [os.path.join(rtl, n) for n in names]


def rtl_of_revision(work, revision):
    """Extracts the RTL of a revision below `work`; returns its directory."""
    folder = os.path.join(work, "rtl-" + re.sub(r"\W", "_", revision))
    os.makedirs(folder, exist_ok=True)
    archive = subprocess.run(["git", "-C", ROOT, "archive", revision, "rtl"], capture_output=True, check=False)
    if archive.returncode != 0:
        sys.exit(f"{os.path.basename(sys.argv[0])}: no RTL of '{revision}': {archive.stderr.decode().strip()}")
    subprocess.run(["tar", "--extract", "--directory", folder], input=archive.stdout, check=True)
    return os.path.join(folder, "rtl")


def yosys(work, name, lines):
    path = os.path.join(work, name + ".ys")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    run = subprocess.run(["yosys", "-T", "-s", path], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{os.path.basename(sys.argv[0])}: yosys failed on {path}:\n{run.stdout[-3000:]}")
    return run.stdout


def elaborate(module, parameters, rtl=RTL):
    settings = "".join(f" -set {n} {v}" for n, v in parameters.items())
    lines = [f"read_verilog -sv -I{rtl} {' '.join(sources(rtl))}"]
    if settings:
        lines.append(f"chparam{settings} {module}")
    return lines + [f"hierarchy -check -top {module}"]


# Transistors of the cells of `abc -g cmos`, as in `stat -tech cmos`; a NAND, one gate equivalent, has 4. A register has
# 16, plus the gates of its enable or synchronous reset.
TRANSISTORS = {"$_BUF_": 1, "$_NOT_": 2, "$_AND_": 6, "$_NAND_": 4, "$_OR_": 6, "$_NOR_": 4,
               "$_ANDNOT_": 6, "$_ORNOT_": 6, "$_MUX_": 12, "$_NMUX_": 10, "$_XOR_": 12,
               "$_XNOR_": 12, "$_AOI3_": 6, "$_OAI3_": 6, "$_AOI4_": 8, "$_OAI4_": 8}


def gate_costs():
    def logic(cell):
        return TRANSISTORS.get(cell, 0) / 4

    def register(cell):
        if "DFF" not in cell:
            return 0
        enable = 12 if re.match(r"\$_S?DFFC?E", cell) else 0
        reset = 6 if cell.startswith("$_SDFF") else 0
        return (16 + enable + reset) / 4

    return {"logic": logic, "register": register}
