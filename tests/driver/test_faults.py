#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The driver's cases must find every planted fault (faults.cmake).

    test_faults.py --faults JSON --native PROGRAM [--firmware RUN ELF] [--only NUMBER] [--ignore NUMBER]

Runs each fault's case, or with MXE_SELFTEST=all the whole list, without and with the fault: faults of the driver
natively on the model, faults of the RTL's simulation natively on the RTL, faults of the virtual platform as
firmware, only with --firmware. A program that does not end has also found the fault. --ignore leaves a fault inactive
and so shows that this test can fail. Prints a line for each fault; exit status 1 if a fault is not found or a case
fails without one.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

NATIVE = {"mxe_driver": "model", "rtl_engine": "rtl"}  # only firmware reaches the platform's files
SECONDS = 60
SECONDS_WITHOUT = 240  # the first start on the RTL has taken 34 seconds
FAILED = re.compile(r"^\[  FAILED  \] (?:model|rtl)\.(\w+) |^FAILED (\w+)$", re.MULTILINE)


def command(args, device, cases):
    """Runs cases natively on the device, or as firmware if it is None; no cases: all of them."""
    if not device:
        # These cases need 1/10 of this simulated time, all cases together 2/3.
        limit = "20000" if cases else "350000"
        return [*args.firmware, "--timeout-us", limit, *cases]
    only = "--gtest_filter=" + ":".join(f"{device}.{case}" for case in cases or ["*"])
    return [str(args.native), device, "--gtest_fail_fast", only]


def run(args, device, cases, number):
    """A description of the problem, or nothing."""
    words = command(args, device, cases)
    try:
        run = subprocess.run(words, capture_output=True, text=True, check=False,
                             timeout=SECONDS if number else SECONDS_WITHOUT,
                             env={**os.environ, "MXE_FAULT": str(number)})
    except subprocess.TimeoutExpired:
        return "no end"
    if run.returncode == 2:
        sys.exit(f"{' '.join(words)}: {run.stderr}")
    if run.returncode == 0:
        return ""
    names = ["".join(groups) for groups in FAILED.findall(run.stdout)]
    return names[0] if names else f"exit status {run.returncode}"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=pathlib.Path, required=True)
    parser.add_argument("--native", type=pathlib.Path, required=True)
    parser.add_argument("--firmware", nargs=2, default=[])
    parser.add_argument("--only", type=int, help="this fault")
    parser.add_argument("--ignore", type=int, default=0)
    args = parser.parse_args()
    everything = os.environ.get("MXE_SELFTEST") == "all"
    if args.firmware:
        args.firmware.insert(1, "run")
    faults = [f for f in json.loads(args.faults.read_text(encoding="utf-8"))
              if (args.firmware or f["module"] in NATIVE) and args.only in (None, f["number"])]
    good, found = True, 0
    for device in sorted({NATIVE.get(f["module"], "") for f in faults}):
        cases = [f["directed_case"] for f in faults if NATIVE.get(f["module"], "") == device]
        if wrong := run(args, device, [] if everything else sorted(set(cases)), 0):
            print(f"without a fault: {wrong} fails")
            good = False
    for fault in faults:
        number = 0 if fault["number"] == args.ignore else fault["number"]
        cases = [] if everything else [fault["directed_case"]]
        seen = run(args, NATIVE.get(fault["module"], ""), cases, number)
        print(f"{fault['number']} {fault['name']}: {f'found ({seen})' if seen else 'NOT FOUND'}", flush=True)
        found += bool(seen)
    print(f"{found} of {len(faults)} faults found")
    return 0 if good and found == len(faults) > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
