#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures mxe linux in seconds of real time, on an otherwise idle machine:

    tests/linux_driver/speed.py [--build FOLDER] [--rounds N]

Boot (a program that does nothing), 1,000 jobs by interrupt, and the digit classifier, each also without Linux
(mxe_native). Runs alternate; the least time of each counts, minus that of a run that does nothing.
"""
import argparse
import os
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]


def seconds(command):
    begin = time.monotonic()
    subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return time.monotonic() - begin


def least(commands, rounds):
    return [min(times) for times in zip(*[[seconds(command) for command in commands] for _ in range(rounds)])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    build = options.build.resolve()
    os.environ["MXE_MODULE"] = str(build / "linux/mxe.ko")

    def native(work, engine):
        return [str(build / "mxe_native"), work, engine, str(ROOT / "sw/mxe/data/digits")]

    def linux(engine, *words):
        return [str(build / "mxe-linux"), "linux", "--on", engine, *words]

    for engine in ("model", "rtl"):
        test = (engine, "--module", "none", "--", str(build / "linux/mxe_linux_test"), "--insert")
        boot, idle, digits, none, jobs, without, nothing = least(
            [linux(engine, "--module", "none", "true"), linux(engine, "true"), linux(engine, str(build / "linux/digits")),
             linux(*test, "--gtest_filter=-*"), linux(*test, "--gtest_filter=Jobs.ThousandByInterrupt"),
             native("digits", engine), native("nothing", engine)], options.rounds)
        print(f"on {engine}: boot {boot:.3f} s, with the driver {idle:.3f} s, 1000 jobs by interrupt {jobs - none:.3f} s, digits "
              f"{digits - idle:.3f} s ({digits:.3f} s with boot), without Linux {without - nothing:.3f} s ({without:.3f} s), ratio "
              f"{(digits - idle) / (without - nothing):.2f} ({digits / without:.2f})", flush=True)


if __name__ == "__main__":
    main()
