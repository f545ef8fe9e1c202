# SPDX-License-Identifier: Apache-2.0
"""The tests of the kernel driver, each in a Linux of its own (docs/linux.md):

    run.py suite BUILD    all tests on the plain kernel, and the programs of libmxe; three runs are equal
    run.py checked BUILD  the tests on the kernel with KASAN, lockdep and DMA-API checks, and a search for leaks: no report
    run.py killed BUILD   the device's process is killed under Linux: nothing hangs, nothing is left
    run.py faults BUILD   every fault of faults.json is noticed, by a test or by a report
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPORT = re.compile(r"BUG:|WARNING: (?!kernel stack)|KASAN:|DMA-API: (?!preallocated|debugging)|INFO: |unreferenced object|possible .* dependency|Invalid wait")
# The checking kernel cannot load a module where one was before: KASAN on User-mode Linux does not forget the old one's guards.
RELOADING = "Life.TheModule*:Life.Closing*"
LEAKS = "sleep 20; echo scan > /sys/kernel/debug/kmemleak; sleep 6; echo scan > /sys/kernel/debug/kmemleak; cat /sys/kernel/debug/kmemleak"


class Guest:
    """Programs in Linux on the engine of a build."""

    def __init__(self, build: pathlib.Path, debug=False, module=None):
        self.build = build
        self.options = ["--debug-kernel", "--memory", "512"] if debug else []
        self.module = module or build / ("linux-debug" if debug else "linux") / "mxe.ko"

    def command(self, log, *program, arguments=""):
        os.environ.update(MXE_MODULE=str(self.module), MXE_MODULE_ARGUMENTS=arguments)
        return [str(self.build / "mxe-linux"), "linux", "--module", "none", "--summary", "--log", log, *self.options, "--",
                str(self.build / "linux" / "mxe_linux_test"), "--insert", *program]

    def run(self, *program, arguments="", seconds=500):
        """Status, what it printed, and Linux' log."""
        with tempfile.NamedTemporaryFile() as log:
            done = subprocess.run(self.command(log.name, *program, arguments=arguments), stdin=subprocess.DEVNULL, timeout=seconds,
                                  capture_output=True, text=True, errors="replace", check=False)
            text = pathlib.Path(log.name).read_text(encoding="utf-8", errors="replace")
            return done.returncode, done.stdout + done.stderr, text


def fail(what, *texts):
    print(what, *texts, sep="\n")
    sys.exit(1)


def suite(build):
    guest = Guest(build)
    runs = [guest.run("--gtest_brief=1") for _ in range(3)]
    status, output, log = runs[0]
    print(output)
    if status != 0:
        fail("the suite failed", log)
    for _, other, _ in runs[1:]:
        if other.splitlines()[-1] != output.splitlines()[-1]:
            fail("two runs differ", output.splitlines()[-1], other.splitlines()[-1])
    for name, wanted in (("digits", "digits: 445 of 450 recognised, logits 4986d266"), ("my_job", "496 992 1488\n528 1056 1584")):
        status, output, log = guest.run("--program", str(build / "linux" / name))
        print(output)
        if status != 0 or not output.startswith(wanted):
            fail(f"{name} is wrong", log)


def checked(build):
    guest = Guest(build, debug=True)
    status, output, log = guest.run("--gtest_brief=1", f"--gtest_filter=-{RELOADING}", "--leaks", LEAKS)
    print(output)
    reports = [line for line in (output + log).splitlines() if REPORT.search(line)]
    if status != 0 or reports:
        fail("the suite failed, or the kernel reports", *reports, log)


def killed(build):
    with tempfile.NamedTemporaryFile() as log:
        guest = Guest(build)
        with subprocess.Popen(guest.command(log.name, "--gtest_filter=Limits.Anything"), stdin=subprocess.DEVNULL,
                              env={**os.environ, "MXE_LINUX_CALLS": "1000000"}, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as process:
            time.sleep(3)
            process.send_signal(signal.SIGKILL)
            process.wait(timeout=20)
        for _ in range(50):
            left = subprocess.run(["pgrep", "-f", log.name], capture_output=True, text=True, check=False).stdout.split()
            if not left:
                return
            time.sleep(0.2)
        fail("processes are left", *left)


def noticed(build, fault):
    """Whether a test fails, or Linux reports what it has to."""
    report = fault.get("report")
    guest = Guest(build, debug=bool(report), module=build / ("faults-debug" if report else "faults") / "mxe.ko")
    try:
        status, output, log = guest.run("--gtest_brief=1", f"--gtest_filter={fault['tests']}",
                                        arguments=f"plant={fault['number']}", seconds=30)
    except subprocess.TimeoutExpired:
        return not report  # a job that does not end
    return bool(re.search(report, log)) if report else status == 1 and "FAILED" in output


def faults(build):
    missed = []
    for fault in json.loads((pathlib.Path(__file__).with_name("faults.json")).read_text(encoding="utf-8")):
        without = dict(fault, number=0)
        seen, innocent = noticed(build, fault), not noticed(build, without)
        print(f"{fault['number']:3} {fault['name']}: {'noticed' if seen else 'MISSED'}{'' if innocent else ', and without it, too'}", flush=True)
        if not seen or not innocent:
            missed.append(fault["number"])
    if missed:
        fail(f"missed: {missed}")


if __name__ == "__main__":
    {"suite": suite, "checked": checked, "killed": killed, "faults": faults}[sys.argv[1]](pathlib.Path(sys.argv[2]).resolve())
