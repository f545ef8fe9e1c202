#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the cppcheck command of docs/driver-tests.md as written, and compares the violated MISRA rules with the table below
the command. Exit status 1 with a line for each difference.

    misra.py ROOT [FILE]    FILE replaces the driver; a test uses it to show that this check can fail
"""
import pathlib
import re
import subprocess
import sys


def rules_of_table(page):
    """The rules in the table's first column; a mandatory rule there is an error."""
    table = page[page.index("\n| rule | category"):].partition("\n\n")[0].strip().splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table]
    assert not any("mandatory" in category for _, category, *_ in rows)
    return {rule for cell, *_ in rows for rule in cell.split(", ") if not rule.endswith("*")}


def main():
    root = pathlib.Path(sys.argv[1])
    page = (root / "docs/driver-tests.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^    (cppcheck .*)$", page, re.MULTILINE)
    words = command.split()
    done = subprocess.run(words[:-1] + [sys.argv[-1] if len(sys.argv) > 2 else words[-1]], cwd=root, check=True,
                          stderr=subprocess.PIPE, text=True)
    found = set(re.findall(r"\[misra-c2012-([0-9.]+)\]", done.stderr))
    listed = rules_of_table(page)
    for rule in sorted(found - listed):
        print(f"rule {rule} is broken and not in docs/driver-tests.md", file=sys.stderr)
    for rule in sorted(listed - found):
        print(f"rule {rule} is in docs/driver-tests.md and not broken", file=sys.stderr)
    return int(found != listed)


if __name__ == "__main__":
    sys.exit(main())
