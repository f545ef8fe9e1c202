#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Line and branch coverage of the driver by its tests, measured by gcov.

    coverage.py --objects DIR --gcov GCOV --lines PERCENT --branches PERCENT COMMAND...

Runs the commands (each one a word, or several in quotes), which execute the objects in DIR, compiled with --coverage.
Prints a line for each source file; with --missing also the lines not reached. Exit status 1 if a file is below the
required percentage or a command fails.
"""
import argparse
import json
import pathlib
import shlex
import subprocess
import sys


def run_tests(objects, commands):
    for counts in objects.rglob("*.gcda"):
        counts.unlink()
    for command in commands:
        run = subprocess.run(shlex.split(command), capture_output=True, text=True, check=False)
        if run.returncode != 0:
            sys.exit(f"{command}: exit status {run.returncode}\n{run.stdout}{run.stderr}")


def read_counts(objects, gcov):
    files = {}
    for counts in sorted(objects.rglob("*.gcda")):
        report = subprocess.run([gcov, "--json-format", "--stdout", "--branch-probabilities", str(counts)],
                                capture_output=True, text=True, check=True, cwd=objects)
        for file in json.loads(report.stdout)["files"]:
            if file["file"].endswith(".c"):
                files[pathlib.Path(file["file"]).name] = file["lines"]
    return files


def share(reached):
    return 100 * sum(reached) / len(reached) if reached else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=pathlib.Path, required=True)
    parser.add_argument("--gcov", default="gcov")
    parser.add_argument("--lines", type=float, required=True)
    parser.add_argument("--branches", type=float, required=True)
    parser.add_argument("--missing", action="store_true", help="print the lines and branches that were not reached")
    parser.add_argument("commands", nargs="+")
    args = parser.parse_args()
    run_tests(args.objects, args.commands)
    files = read_counts(args.objects, args.gcov)
    good = len(files) > 0
    for name, lines in sorted(files.items()):
        covered = share([line["count"] > 0 for line in lines])
        taken = share([branch["count"] > 0 for line in lines for branch in line["branches"]])
        enough = covered >= args.lines and taken >= args.branches
        good = good and enough
        print(f"{name}: {covered:.1f} % of the lines, {taken:.1f} % of the branches"
              f"{'' if enough else f' (at least {args.lines:g} and {args.branches:g})'}")
        for line in lines if args.missing else []:
            missing = [str(i) for i, branch in enumerate(line["branches"]) if branch["count"] == 0]
            if line["count"] == 0:
                print(f"  {name}:{line['line_number']}: not reached")
            elif missing:
                print(f"  {name}:{line['line_number']}: without branch {', '.join(missing)}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
