#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mxe linux as a program: files that programs read and write, exit codes, errors, nothing left behind.

Exit status 77, which ctest reports as skipped, if no kernel is built.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SKIPPED = 77
options = None


def run(*words, stdin=subprocess.DEVNULL, environment=None, **named):
    return subprocess.run([options.mxe_linux, "linux", *words], stdin=stdin, text=True, capture_output=True, timeout=60,
                          check=False, env={**os.environ, **(environment or {})}, **named)


def processes_of(folder):
    """The processes whose command line contains the folder."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(folder).encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            pass  # the process has ended
    return found


class Errors(unittest.TestCase):
    def check(self, text, *words, environment=None):
        result = run(*words, environment=environment)
        self.assertEqual((2, "", 1), (result.returncode, result.stdout, result.stderr.count("\n")), result.stderr)
        self.assertIn(text, result.stderr)

    def test_no_kernel(self):
        self.check("scripts/setup --linux builds it", "--module", "none", environment={"MXE_LINUX_CACHE": "/nowhere"})

    def test_no_debug_kernel(self):
        self.check("scripts/setup --linux-debug builds it", "--debug-kernel", environment={"MXE_LINUX_CACHE": "/nowhere"})

    def test_no_kernel_of_the_user(self):
        self.check("no kernel /nowhere/linux (--kernel names", "--kernel", "/nowhere")

    def test_target(self):
        self.check("allowed: model, rtl", "--on", "golden")

    def test_waves_of_the_model(self):
        self.check("--waves needs --on rtl", "--waves", "x.fst")

    def test_memories(self):
        self.check("unknown memory 'ddr9'; allowed: ddr4-3200, ", "--memory", "ddr9", "--ram", "64")
        self.check("--ram: Value 16 not in range", "--ram", "16")
        self.check("mxe linux needs a DRAM that answers at once", "--memory", "hbm3:controller=fr-fcfs")


class Remedies(unittest.TestCase):
    """Without a kernel every script prints one line with the command that builds it."""

    def check(self, remedy, script, *words):
        root = pathlib.Path(options.linux_kernel).parents[1]
        with tempfile.TemporaryDirectory() as cache:
            done = subprocess.run([root / script, *words], text=True, capture_output=True, check=False,
                                  env={**os.environ, "MXE_LINUX_CACHE": cache})
            self.assertEqual((2, "", 1), (done.returncode, done.stdout, done.stderr.count("\n")), done.stderr)
            self.assertTrue(done.stderr.endswith(remedy + "\n"), done.stderr)
            self.assertEqual([], list(pathlib.Path(cache).iterdir()))

    def test_scripts_that_need_a_kernel(self):
        for kernel, remedy in (("plain", "run scripts/setup --linux"), ("debug", "run scripts/setup --linux-debug")):
            for script, *words in (("scripts/linux-kernel", "require"), ("sw/linux/module/build",), ("tests/linux_driver/build-faults",)):
                with self.subTest(kernel=kernel, script=script):
                    self.check(remedy, script, *words, kernel, *([] if words else ["/nowhere/out"]))

    def test_no_such_kernel(self):
        for action in "folder", "require", "build":
            self.check("(allowed: plain, debug)", "scripts/linux-kernel", action, "fast")

    def test_usage(self):
        self.check("plain|debug [--jobs N]", "scripts/linux-kernel")


def has_kernel(kernel):
    return subprocess.run([options.linux_kernel, "require", kernel], capture_output=True, check=False).returncode == 0


class Programs(unittest.TestCase):
    def setUp(self):
        if not has_kernel("plain"):
            self.skipTest("no kernel")
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)

    def linux(self, *words, **named):
        return run("--module", "none", *words, environment={"TMPDIR": str(self.folder)}, **named)

    def nothing_left(self):
        self.assertEqual([], processes_of(self.folder))
        self.assertEqual([], list(self.folder.glob("mxe-linux-*")))

    def test_output_and_exit_code(self):
        result = self.linux("--", "sh", "-c", "echo out; echo error >&2; exit 7")
        self.assertEqual((7, "out\n", "error\n"), (result.returncode, result.stdout, result.stderr))
        self.nothing_left()

    def test_a_program_that_is_killed(self):
        self.assertEqual(128 + 9, self.linux("--", "sh", "-c", "kill -9 $$").returncode)

    def test_no_such_program(self):
        result = self.linux("nosuch")
        self.assertEqual(127, result.returncode)
        self.assertIn("cannot run nosuch", result.stderr)

    def test_no_such_module(self):
        module = self.folder / "not.ko"
        module.write_text("no module")
        result = run("--module", str(module), "true")
        self.assertEqual(2, result.returncode)
        self.assertIn("cannot insert the module", result.stderr)
        result = run("--module", "/nowhere/mxe.ko", "true")
        self.assertEqual((2, 1), (result.returncode, result.stderr.count("\n")))
        self.assertIn("no driver /nowhere/mxe.ko; allowed: --module none", result.stderr)

    def test_bytes_pass_unchanged(self):
        data = self.folder / "data"
        data.write_bytes(bytes(range(256)) * 400)
        with open(data, "rb") as stdin:
            result = subprocess.run([options.mxe_linux, "linux", "--module", "none", "cat"], stdin=stdin,
                                    capture_output=True, timeout=60, check=False)
        self.assertEqual((0, data.read_bytes()), (result.returncode, result.stdout))

    def test_a_pipe_as_input(self):
        result = subprocess.run([options.mxe_linux, "linux", "--module", "none", "cat"], input=b"a b\n",
                                capture_output=True, timeout=60, check=False)
        self.assertEqual((0, b"a b\n"), (result.returncode, result.stdout))

    def test_the_host_is_read_only_and_seen(self):
        (self.folder / "here").write_text("text")
        result = self.linux("--", "sh", "-c", "cat here; echo new > here; echo new > there; cat here there",
                            cwd=self.folder)
        self.assertEqual((0, "textnew\nnew\n"), (result.returncode, result.stdout))
        self.assertEqual("text", (self.folder / "here").read_text())
        self.assertFalse((self.folder / "there").exists())

    def test_the_engine_is_a_pci_function(self):
        result = self.linux("cat", "/sys/bus/pci/devices/0000:00:00.0/vendor", "/sys/bus/pci/devices/0000:00:00.0/class")
        self.assertEqual((0, "0x4d58\n0x120000\n"), (result.returncode, result.stdout))

    def test_time_is_simulated_and_repeats(self):
        texts = set()
        for _ in range(3):
            result = self.linux("--summary", "sleep", "100")
            self.assertEqual(0, result.returncode)
            texts.add(result.stderr)
        self.assertEqual(1, len(texts), texts)
        nanoseconds = int(re.search(r"after (\d+) ns", texts.pop())[1])
        self.assertTrue(100e9 <= nanoseconds < 101e9, nanoseconds)

    def test_a_clock_of_its_own(self):
        self.assertEqual(0, self.linux("--free", "true").returncode)

    def check_report(self, first_line, result):
        """Checks the report of a run that does not end: the engine, the tasks with their stacks and registers."""
        self.assertEqual(3, result.returncode, result.stderr)
        lines = result.stderr.splitlines()
        self.assertEqual(f"mxe linux: {first_line}", lines[0])
        self.assertRegex(lines[1], "^engine: 0 bursts, 0 interrupts; ")
        self.assertRegex(result.stderr, r"\ntask sleep, pid \d+, state S:\n(  .*\n)*  hrtimer_nanosleep\+0x\w+/0x\w+\n"
                                        r"(  .*\n)*  registers of the program:\n    syscall (35|230) RIP [0-9a-f]{16} ")
        self.assertNotIn("sysrq", result.stderr)
        self.nothing_left()

    def test_timeout(self):
        self.check_report("timeout after 5000000 us of simulated time", self.linux("--timeout-us", "5000000", "sleep", "10"))

    def test_timeout_of_the_wall(self):
        result = self.linux("--free", "--timeout-us", "2000000", "sleep", "1000")
        self.check_report("timeout after 2000000 us of wall-clock time", result)

    def test_default_timeout(self):
        self.assertEqual(0, self.linux("sleep", "3500").returncode)
        self.check_report("timeout after 3600000000 us of simulated time", self.linux("sleep", "3600"))

    def test_no_timeout(self):
        self.assertEqual(0, self.linux("--timeout-us", "0", "sleep", "100000").returncode)

    def test_the_log_has_all_tasks(self):
        log = self.folder / "log"
        self.check_report("timeout after 1000000 us of simulated time", self.linux("--timeout-us", "1000000", "--log", str(log), "sleep", "10"))
        for task in "task:mxe-linux-init", "task:kthreadd", "task:sleep":
            self.assertIn(task, log.read_text())

    def test_a_kernel_that_cannot_be_asked(self):
        with subprocess.Popen([options.mxe_linux, "linux", "--module", "none", "--free", "--timeout-us", "4000000", "sleep", "1000"],
                              stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "TMPDIR": str(self.folder)}) as process:
            for _ in range(300):
                if sockets := list(self.folder.glob("mxe-linux-*/kernel/mconsole")):
                    sockets[0].unlink()
                    break
                time.sleep(0.01)
            self.assertTrue(sockets)
            error = process.communicate(timeout=30)[1]
        self.assertEqual(3, process.returncode)
        self.assertTrue(error.startswith("mxe linux: timeout after 4000000 us of wall-clock time\n"), error)
        self.assertTrue(error.endswith("\nLinux did not answer a request for its tasks\n"), error)
        self.nothing_left()

    def start_and_send(self, *signals):
        process = subprocess.Popen([options.mxe_linux, "linux", "--module", "none", "--free", "sleep", "1000"],
                                   stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, "TMPDIR": str(self.folder)})
        deadline = time.monotonic() + 30
        while not processes_of(self.folder) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.5)  # then Linux has started its programs
        for number in signals:
            process.send_signal(number)
        process.communicate(timeout=30)
        deadline = time.monotonic() + 5
        while processes_of(self.folder) and time.monotonic() < deadline:
            time.sleep(0.01)
        return process.returncode

    def test_control_c(self):
        self.assertEqual(128 + signal.SIGINT, self.start_and_send(signal.SIGINT))
        self.nothing_left()

    def test_killed_at_once(self):
        self.assertEqual(-signal.SIGKILL, self.start_and_send(signal.SIGKILL))
        self.assertEqual([], processes_of(self.folder))


class Module(unittest.TestCase):
    def test_an_error_of_the_compiler_names_the_source(self):
        if not has_kernel("plain"):
            self.skipTest("no kernel")
        root = pathlib.Path(options.linux_kernel).resolve().parents[1]
        kernel = subprocess.run([options.linux_kernel, "require", "plain"], text=True, capture_output=True, check=True).stdout.strip()
        with tempfile.TemporaryDirectory() as name:
            for part in "sw/linux", "sw/driver", "model/regs":
                shutil.copytree(root / part, pathlib.Path(name, part))
            sources = pathlib.Path(name, "sw/linux/module").resolve()
            for source in sources / "mxa_pci.c", sources / "mxa.h", sources.parents[1] / "driver/mxe_driver.c":
                text = source.read_text()
                source.write_text(text + "\nnonsense;\n")
                done = subprocess.run(["make", "--silent", "-C", str(sources), f"KERNEL={kernel}", f"OUT={name}/out"], text=True,
                                      capture_output=True, check=False)
                source.write_text(text)
                self.assertNotEqual(0, done.returncode)
                self.assertRegex(done.stderr, rf"(?m)^{re.escape(str(source))}:\d+")
                self.assertNotIn(f"{name}/out/{source.name}:", done.stderr)


def main():
    global options
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mxe-linux", required=True)
    parser.add_argument("--linux-kernel", required=True)
    options, rest = parser.parse_known_args()
    options.mxe_linux = os.path.abspath(options.mxe_linux)
    program = unittest.main(argv=[sys.argv[0], *rest], exit=False, verbosity=2)
    if not program.result.wasSuccessful():
        return 1
    if program.result.skipped:
        print("skipped: no kernel for mxe linux; scripts/setup --linux builds it")
        return SKIPPED
    return 0


if __name__ == "__main__":
    sys.exit(main())
