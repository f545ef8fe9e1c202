#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the simulations for run.py.

  build.py rtl      the RTL with assertions in Verilator, as the program OUTPUT
  build.py netlist  the gates from Yosys for Icarus Verilog, in OUTPUT.vvp; OUTPUT_unreset.vvp: one register has
                    lost its reset
"""
import argparse
import os
import subprocess

import cocotb.config

HERE = os.path.dirname(os.path.abspath(__file__))
# Memories stay memories; unwritten words are unknown.
SCRIPT = """
read_verilog -sv -I{include} {sources}
chparam {parameters} mxe_top
hierarchy -check -top mxe_top
proc -noopt
opt_clean
memory -nomap
opt_clean
techmap
abc -fast -g simple
opt_clean -purge
rename -top mxe_top
write_verilog -noattr {netlist}
"""
RESET = "if (!rst_ni) aw_full_q <= 1'h0;\n    else "  # whether the register port has an address


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["rtl", "netlist"])
    parser.add_argument("--tool", required=True, help="verilator or yosys")
    parser.add_argument("--include", required=True)
    parser.add_argument("--top", default="mxe_top")
    parser.add_argument("--cxx", default="c++", help="compiler of what Verilator writes")
    parser.add_argument("--output-split", type=int, default=60000, help="size of its files")
    parser.add_argument("--parameter", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--output", required=True)
    parser.add_argument("sources", nargs="+")
    return parser.parse_args()


def build_rtl(args):
    libraries = cocotb.config.libs_dir
    main = os.path.join(cocotb.config.share_dir, "lib", "verilator", "verilator.cpp")
    subprocess.run(
        [args.tool, "--cc", "--exe", "--build", "-j", "1", "-O3", "--assert", "--vpi",
         "--prefix", "Vtop", "--top-module", args.top, "--timescale", "1ns/1ps",
         "--output-split", str(args.output_split), "-Wno-fatal", "-Wno-lint", "-Wno-style",
         "-I" + args.include, "--Mdir", args.output + ".dir", "-o", os.path.abspath(args.output),
         "-CFLAGS", "-std=c++17", "-MAKEFLAGS", f"-s CXX={args.cxx} OPT_FAST=-O0 OPT_SLOW=-O0",
         "-LDFLAGS", f"-L{libraries} -Wl,-rpath,{libraries} -lcocotbvpi_verilator"]
        + ["-G" + p for p in args.parameter]
        + [os.path.join(HERE, "pins.vlt")] + args.sources + [main], check=True)


def build_netlist(args):
    netlist = args.output + ".v"
    script = SCRIPT.format(include=args.include, sources=" ".join(args.sources), netlist=netlist,
                           parameters=" ".join("-set " + p.replace("=", " ")
                                               for p in args.parameter))
    subprocess.run([args.tool, "-q", "-p", script], check=True)
    with open(netlist, encoding="utf-8") as file:
        text = "`timescale 1ns/1ps\n" + file.read()
    if text.count(RESET) != 1:
        raise SystemExit(f"{netlist} has not exactly one '{RESET}'")
    for name, content in (("", text), ("_unreset", text.replace(RESET, ""))):
        path = args.output + name
        with open(path + ".v", "w", encoding="utf-8") as file:
            file.write(content)
        subprocess.run(["iverilog", "-g2012", "-s", "mxe_top", "-o", path + ".vvp", path + ".v"],
                       check=True)


if __name__ == "__main__":
    ARGUMENTS = arguments()
    {"rtl": build_rtl, "netlist": build_netlist}[ARGUMENTS.what](ARGUMENTS)
