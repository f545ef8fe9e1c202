#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of a file on a module, by default test_ports.py on mxe_top: in a program from Verilator, or in an image
for Icarus Verilog (*.vvp), in which no output may become unknown. Fails unless every test passed.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import cocotb.config
import find_libpython

HERE = os.path.dirname(os.path.abspath(__file__))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--header", default="", help="mxe_regs.h")
    parser.add_argument("--bench", default=os.path.join(HERE, "test_ports.py"), help="the file with the tests")
    parser.add_argument("--top", default="mxe_top")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--test", help="the only test to run")
    parser.add_argument("--must-fail", metavar="TEXT",
                        help="the tests have to fail, for a reason that contains this")
    parser.add_argument("simulation")
    return parser.parse_args()


def environment(args, report):
    folder, file = os.path.split(os.path.abspath(args.bench))
    result = dict(os.environ, MODULE=os.path.splitext(file)[0], TOPLEVEL=args.top, TOPLEVEL_LANG="verilog",
                  PYTHONPATH=os.pathsep.join([folder] + sys.path), PYTHONDONTWRITEBYTECODE="1",
                  PYGPI_PYTHON_BIN=sys.executable, LIBPYTHON_LOC=find_libpython.find_libpython(),
                  COCOTB_RESULTS_FILE=report, COCOTB_ANSI_OUTPUT="0",
                  RANDOM_SEED=str(args.seed), MXE_PORTS_SEED=str(args.seed),
                  MXE_PORTS_HEADER=os.path.abspath(args.header))
    if args.simulation.endswith(".vvp"):
        result["MXE_PORTS_FOUR_VALUED"] = "1"
    if args.test:
        result["TESTCASE"] = args.test
    return result


def outcome(report):
    """True if all tests passed; prints a line for each. An aborted simulation has no report."""
    if not os.path.exists(report):
        return False, ["the simulation left no report"]
    lines, failed = [], 0
    for case in ET.parse(report).getroot().iter("testcase"):
        if case.find("skipped") is not None:
            continue
        bad = case.find("failure") is not None
        failed += bad
        lines.append(f"{'FAILED' if bad else 'passed'}  {case.get('name')}  "
                     f"{float(case.get('sim_time_ns', 0)) / 10:.0f} clocks")
    return failed == 0 and bool(lines), lines


def main():
    args = arguments()
    command = [os.path.abspath(args.simulation)]
    if args.simulation.endswith(".vvp"):
        command = ["vvp", "-M", cocotb.config.libs_dir, "-m", "libcocotbvpi_icarus"] + command
    with tempfile.TemporaryDirectory() as directory:
        report = os.path.join(directory, "results.xml")
        run = subprocess.run(command, env=environment(args, report), cwd=directory, check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        good, lines = outcome(report)
    if not good or run.returncode != 0:
        print(run.stdout)
    print("\n".join(lines))
    if run.returncode != 0:
        print(f"the simulation ended with status {run.returncode}")
    if args.must_fail:
        seen = not good and args.must_fail in run.stdout
        print(f"{'as it must' if seen else 'WRONG'}: a failure with '{args.must_fail}'")
        sys.exit(0 if seen else 1)
    sys.exit(0 if good and run.returncode == 0 else 1)


if __name__ == "__main__":
    main()
