#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures an area and a depth again, and compares them with those on docs/area.md.

    tests/formal/area_sample.py WORK

Figures of the other modules change with the RTL, too: explore.area_table_is_of_this_rtl notices that.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Measurement of scripts/area: its figure in the output, and on the page.
SAMPLES = {"merge_depth": (r'"align \(merge\)": (\d+)', r"`mxe_merge`\): ([\d,]+) in its align stage"),
           "decode_lut": (r'"lut": (\d+)', r"The element decode .*: ([\d,]+) LUT each")}


def figure(pattern, text):
    return int(re.search(pattern, text)[1].replace(",", ""))


def main(work):
    page = (ROOT / "docs/area.md").read_text(encoding="utf-8")
    wrong = 0
    for name, (printed, written) in SAMPLES.items():
        done = subprocess.run([ROOT / "scripts/area", "--work", work, "--only", name], stdout=subprocess.PIPE, text=True,
                              check=True)
        now, then = figure(printed, done.stdout), figure(written, page)
        print(f"{name}: {now}" + ("" if now == then else f", but docs/area.md has {then}: run scripts/figures area"))
        wrong += now != then
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
