#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures firmware against the same work without a processor, as ratios of CPU time.

    tests/firmware/speed.py [--build FOLDER] [--rounds N]

Alternates mxe-run and mxe_native, takes the least time of each, and subtracts that of a run that does nothing.
"""
import argparse
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = (("registers", "guest32", ["registers"]), ("digits", "digits32", []), ("digits", "digits64", []))


def cpu_seconds(command):
    pid = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid
    usage = os.wait4(pid, 0)[2]
    return usage.ru_utime + usage.ru_stime


def least(commands, rounds):
    """The least time of each command; the commands alternate."""
    return [min(times) for times in zip(*[[cpu_seconds(c) for c in commands] for _ in range(rounds)])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    data = str(ROOT / "sw/mxe/data/digits")

    def native(work, engine):
        return [str(options.build / "mxe_native"), work, engine, data]

    def firmware(name, engine, arguments):
        return [str(options.build / "mxe-run"), "run", str(options.build / f"firmware/{name}.elf"), "--on", engine,
                "--", *arguments]

    print(subprocess.run(native("accesses", "model"), check=True, capture_output=True, text=True).stdout, end="")
    on_rtl, on_model, idle = least([native("registers", "rtl"), native("registers", "model"), native("nothing", "model")],
                                   max(options.rounds // 3, 1))
    print(f"reading a register on the RTL takes {(on_rtl - idle) / (on_model - idle):.1f} times as long as on the model")
    for engine in ("model", "rtl"):
        for work, name, arguments in WORK:
            rounds = options.rounds if engine == "model" else max(options.rounds // 3, 1)
            if (engine, work) == ("rtl", "registers"):
                continue  # measures the clock, not the processor
            with_cpu, without, idle_cpu, idle = least(
                [firmware(name, engine, arguments), native(work, engine),
                 firmware("guest32", engine, ["arguments"]), native("nothing", engine)], rounds)
            print(f"{name} {work} on {engine}: {with_cpu - idle_cpu:.3f} s as firmware, {without - idle:.3f} s without "
                  f"a processor, ratio {(with_cpu - idle_cpu) / (without - idle):.2f}")


if __name__ == "__main__":
    main()
