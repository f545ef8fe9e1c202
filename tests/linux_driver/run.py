# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the kernel driver, each in a separate Linux (docs/linux.md):

    run.py suite BUILD           all tests on the model, three times with equal time, accesses, bursts; and the programs of libmxe
    run.py rtl BUILD [FILTER]    the tests, and the programs but for LONG_PROGRAMS, on the RTL; time, accesses and bursts must equal those of the model
    run.py checked BUILD         the tests, but for RELOADING, on the kernel with KASAN, lockdep and DMA-API checks, and a search for leaks: no report
    run.py removed BUILD         the engine is removed from its slot, on both kernels
    run.py killed BUILD          the device's process is killed during jobs: nothing hangs, and nothing is left
    run.py fuzz BUILD [SECONDS]  random calls of the driver on the kernel with checks, by default for a minute: no report
    run.py faults BUILD          a test or a report must find every fault of faults.json
    run.py stuck BUILD           a lost completion must end with a report of the engine, tasks and registers, on both kernels

Exit status 77, which ctest reports as skipped, if something is missing that scripts/setup and the target linux-tests build.
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
# The checking kernel cannot load a module twice: KASAN on User-mode Linux keeps the guards of the first one.
RELOADING = "Life.TheModule*:Life.Closing*"
REMOVE_US = 30000  # during the jobs of the test
PULLED_OUT = "Life.ADeviceThatIsPulledOut*"
FUZZ_CALLS = 10000  # per seed
SKIPPED = 77
PROGRAMS = (("digits", "digits: 445 of 450 recognised, logits 4986d266"), ("my_job", "496 992 1488\n528 1056 1584"),
            ("layer", "layer: success, 32768 of 32768 results are right"), ("libmxe_test", "libmxe: all is as its header says"))
LONG_PROGRAMS = ("layer",)  # slow on the RTL
STUCK = 3  # exit status of mxe linux
LOST_COMPLETION = 16  # number in faults.json
NEEDED = {"suite": ["linux/mxe.ko"], "rtl": ["linux/mxe.ko"], "killed": ["linux/mxe.ko"], "fuzz": ["linux-debug/mxe.ko"],
          "checked": ["linux-debug/mxe.ko"], "removed": ["linux/mxe.ko", "linux-debug/mxe.ko"],
          "faults": ["faults/mxe.ko", "faults-debug/mxe.ko"], "stuck": ["faults/mxe.ko", "faults-debug/mxe.ko"]}
LEAKS = "sleep 20; echo scan > /sys/kernel/debug/kmemleak; sleep 6; echo scan > /sys/kernel/debug/kmemleak; cat /sys/kernel/debug/kmemleak"


class Guest:
    def __init__(self, build: pathlib.Path, debug=False, module=None, on="model", remove_us=0, timeout_us=None):
        self.build = build
        self.options = ["--on", on] + (["--debug-kernel", "--ram", "512"] if debug else [])
        if timeout_us:
            self.options += ["--timeout-us", str(timeout_us)]
        self.environment = {}
        if remove_us:
            self.options += ["--remove-us", str(remove_us)]
            self.environment["MXE_REMOVE_US"] = str(remove_us)
        self.environment["MXE_MODULE"] = str(module or build / ("linux-debug" if debug else "linux") / "mxe.ko")

    def command(self, log, *program):
        return [str(self.build / "mxe-linux"), "linux", "--module", "none", "--summary", "--log", log, *self.options, "--",
                str(self.build / "linux" / "mxe_linux_test"), "--insert", *program]

    def run(self, *program, arguments="", **environment):
        with tempfile.NamedTemporaryFile() as log:
            done = subprocess.run(self.command(log.name, *program), stdin=subprocess.DEVNULL, timeout=500,
                                  env={**os.environ, **self.environment, "MXE_MODULE_ARGUMENTS": arguments, **environment},
                                  capture_output=True, text=True, errors="replace", check=False)
            text = pathlib.Path(log.name).read_text(encoding="utf-8", errors="replace")
            return done.returncode, done.stdout + done.stderr, text


def summary(output):
    """The line of mxe linux --summary: exit code, time, accesses, bursts, interrupts."""
    return output.splitlines()[-1]


def fail(what, *texts):
    print(what, *texts, sep="\n")
    sys.exit(1)


def good(guest, *program, **named):
    """The output of a program, which must succeed without a report of Linux."""
    status, output, log = guest.run(*program, **named)
    reports = [line for line in (output + log).splitlines() if REPORT.search(line)]
    if status != 0 or reports:
        fail(f"{' '.join(program)} failed, or the kernel reports", *reports, output, log)
    print(output)
    return output


def same(what, *outputs):
    summaries = [summary(output) for output in outputs]
    if len(set(summaries)) != 1:
        fail(f"{what} differ", *summaries)


def suite(build):
    guest = Guest(build)
    same("three runs", *[good(guest, "--gtest_brief=1") for _ in range(3)])
    for name, wanted in PROGRAMS:
        output = good(guest, "--program", str(build / "linux" / name))
        if not output.startswith(wanted):
            fail(f"{name} is wrong")


def rtl(build, tests="*"):
    words = ["--gtest_brief=1", f"--gtest_filter={tests}"]
    same("model and RTL", good(Guest(build), *words), good(Guest(build, on="rtl"), *words))
    for name, _ in PROGRAMS:
        if name in LONG_PROGRAMS:
            continue
        words = ["--program", str(build / "linux" / name)]
        same(f"{name} on model and RTL", good(Guest(build), *words), good(Guest(build, on="rtl"), *words))


def checked(build):
    good(Guest(build, debug=True), "--gtest_brief=1", f"--gtest_filter=-{RELOADING}", "--leaks", LEAKS)


def removed(build):
    for debug in False, True:
        good(Guest(build, debug, remove_us=REMOVE_US), "--gtest_brief=1", f"--gtest_filter={PULLED_OUT}")


def fuzz(build, seconds="60"):
    end = time.monotonic() + float(seconds)
    guest, seed = Guest(build, debug=True), int(os.environ.get("MXE_LINUX_SEED", "1"))
    while time.monotonic() < end:
        good(guest, "--gtest_brief=1", "--gtest_filter=Limits.Anything", MXE_LINUX_SEED=str(seed), MXE_LINUX_CALLS=str(FUZZ_CALLS))
        seed += 1


def killed(build):
    with tempfile.NamedTemporaryFile() as log:
        guest = Guest(build)
        with subprocess.Popen(guest.command(log.name, "--gtest_filter=Limits.Anything"), stdin=subprocess.DEVNULL,
                              env={**os.environ, **guest.environment, "MXE_LINUX_CALLS": "1000000"}, stdout=subprocess.DEVNULL,
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
    """True if a test fails, or if Linux reports the expected problem."""
    report = fault.get("report")
    guest = Guest(build, debug=bool(report), module=build / ("faults-debug" if report else "faults") / "mxe.ko",
                  remove_us=fault.get("remove_us", 0))
    status, output, log = guest.run("--gtest_brief=1", f"--gtest_filter={fault['tests']}", arguments=f"plant={fault['number']}")
    if report:
        return bool(re.search(report, log))
    if status == STUCK:
        return bool(re.search(fault.get("hang", "waits in"), output))
    return "hang" not in fault and status == 1 and "FAILED" in output


def stuck(build):
    """Fault 16, a lost completion: checks the end of the run and the report."""
    for debug in False, True:
        for timeout_us, first in ((None, r"mxe linux: mxe_linux_test \(pid \d+\) waits in dma_fence_default_wait, and the engine has moved no data "
                                         r"and sent no interrupt for 120 s of simulated time"),
                                  (5000000, "mxe linux: timeout after 5000000 us of simulated time")):
            guest = Guest(build, debug, module=build / ("faults-debug" if debug else "faults") / "mxe.ko", timeout_us=timeout_us)
            status, output, log = guest.run("--gtest_brief=1", "--gtest_filter=Jobs.AProduct*", arguments=f"plant={LOST_COMPLETION}")
            for wanted in (first, r"engine: \d+ bursts, \d+ interrupts, the last at \d+ ns; idle, no job in the ring", r"  CTRL +0x00000001   STATUS +0x00000002",
                           r"RING_TAIL +0x[0-9a-f]{8}", r"task mxe_linux_test, pid \d+, state S:\n(  .*\n)*  dma_fence_default_wait\+\S+\n(  .*\n)*  mxa_wait_ioctl\+\S+ \[mxe\]\n",
                           r"  registers of the program:\n    syscall 16 RIP [0-9a-f]{16} "):
                if status != STUCK or not re.search("^" + wanted if wanted == first else wanted, output, re.MULTILINE):
                    fail(f"status {status}, or not in the report: {wanted}", output, log)
            print(output)


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


def main(part, build, *arguments):
    missing = [name for name in ["mxe-linux", "linux/mxe_linux_test", *NEEDED[part]] if not (build / name).exists()]
    if missing:
        print(f"skipped, without {', '.join(missing)}: scripts/setup --linux --linux-debug, then cmake --build build --target linux-tests")
        sys.exit(SKIPPED)
    {"suite": suite, "rtl": rtl, "checked": checked, "removed": removed, "killed": killed, "fuzz": fuzz, "faults": faults,
     "stuck": stuck}[part](build, *arguments)


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), *sys.argv[3:])
