#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of a folder must find every planted fault (faults.cmake).

    test_faults.py --faults JSON --unit PROGRAM [--cli PROGRAM --mxe PROGRAM] [--only NUMBER] [--ignore NUMBER]

Runs each fault's test, without and with the fault: tests of --unit have the faults compiled in; tests of --cli run
--mxe, which has them. --ignore leaves a fault inactive and so shows that this test can fail. Prints a line for each
fault. Exit status 1 if a fault is not found or a test fails without one.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys

SECONDS = 60
CLI = "cli."


def run(args, cases, number):
    cli = cases[0].startswith(CLI)
    names = [case.removeprefix(CLI) for case in cases]
    command = [str(args.cli if cli else args.unit), "--gtest_filter=" + ":".join(names)]
    environment = {**os.environ, "MXE_FAULT": str(number), "MXE_TESTED_PROGRAM": str(args.mxe)}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, errors="replace",
                              env=environment)
    except subprocess.TimeoutExpired:
        return False
    if f"{len(names)} tests from" not in done.stdout and f"{len(names)} test from" not in done.stdout:
        sys.exit(f"{' '.join(command)}: not all of these tests are there\n{done.stdout}{done.stderr}")
    return done.returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("faults", "unit", "cli", "mxe"):
        parser.add_argument("--" + name, type=pathlib.Path, required=name in ("faults", "unit"))
    parser.add_argument("--only", type=int, help="this fault")
    parser.add_argument("--ignore", type=int, default=0)
    args = parser.parse_args()
    faults = [fault for fault in json.loads(args.faults.read_text(encoding="utf-8"))
              if args.only in (None, fault["number"])]
    good, found = True, 0
    for cli in (False, True):
        cases = {f["directed_case"] for f in faults if f["directed_case"].startswith(CLI) == cli}
        if cases and not run(args, sorted(cases), 0):
            print("a test fails without a fault:", *sorted(cases))
            good = False
    for fault in faults:
        number = 0 if fault["number"] == args.ignore else fault["number"]
        seen = not run(args, [fault["directed_case"]], number)
        print(f"{fault['number']} {fault['name']}: {'found' if seen else 'NOT FOUND'} "
              f"({fault['directed_case']})", flush=True)
        found += seen
    print(f"{found} of {len(faults)} faults found")
    return 0 if good and found == len(faults) > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
