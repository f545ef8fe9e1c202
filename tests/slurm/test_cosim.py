#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/slurm/cosim on a cluster of this test's own: the report is that of `mxe cosim` here,
whatever happens to the nodes."""
import json
import os
from pathlib import Path
import re
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/slurm"))
from cluster import Cluster, wait_for  # noqa: E402

MXE = Path(os.environ.get("MXE_PROGRAM", ROOT / "build/mxe-cosim"))
FAULTY = Path(os.environ.get("MXE_FAULTY_PROGRAM", ROOT / "build/mxe_faulty"))
LIMIT_SECONDS = 180  # for a test: the slowest takes a sixth
NODE_TIMEOUT = 5  # seconds until a node that was killed is missed
SEEDS = ["--seed", "7", "--seeds", "12", "--jobs-per-seed", "20"]
TIMES = re.compile(r'(time="|"seconds":|cycles, )[0-9.]+')


def timeless(report: str) -> str:
    return TIMES.sub(r"\1#", report)


class Slurm(unittest.TestCase):
    """A cluster of three nodes and a directory for each test."""

    def setUp(self) -> None:
        signal.signal(signal.SIGALRM, self.too_long)
        signal.alarm(LIMIT_SECONDS)
        self.addCleanup(signal.alarm, 0)
        self.cluster = self.enterContext(Cluster(nodes=3, node_timeout=NODE_TIMEOUT))
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.run_directory = self.directory / "run"

    @staticmethod
    def too_long(*_: object) -> None:
        raise TimeoutError(f"not done after {LIMIT_SECONDS} s")

    def start(self, *options: str, mxe: Path = MXE) -> subprocess.Popen:
        command = [ROOT / "scripts/slurm/cosim", "--directory", self.run_directory, "--mxe", mxe, "--chunks", "4",
                   "--poll", "0.5", *options]
        process = subprocess.Popen(command, cwd=self.directory, env=self.cluster.environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def finish(self, process: subprocess.Popen, status: int) -> tuple[str, str]:
        out, err = process.communicate()
        self.assertEqual(process.returncode, status, out + err)
        return out, err

    def cosim(self, *options: str, status: int = 0, mxe: Path = MXE) -> tuple[str, str]:
        return self.finish(self.start(*options, mxe=mxe), status)

    def local(self, *options: str, status: int = 0, mxe: Path = MXE) -> str:
        done = subprocess.run([mxe, "cosim", *options], cwd=self.directory, check=False, capture_output=True,
                              text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout

    def stand_in(self, script: str) -> Path:
        program = self.directory / "stand-in"
        program.write_text(f"#!/bin/bash\n{script}\n")
        program.chmod(0o755)
        return program

    def chunk_on(self, node: str) -> str | None:
        """The name of the file that the node is to write."""
        for process in self.cluster.processes(node):
            try:
                words = Path(f"/proc/{process}/cmdline").read_text().split("\0")
            except OSError:
                continue
            if words[1:2] == ["cosim"]:
                return words[words.index("--results") + 1]
        return None

    def queue(self) -> str:
        return subprocess.run(["squeue", "--noheader"], env=self.cluster.environment, check=True,
                              capture_output=True, text=True).stdout

    def test_a_node_dies(self) -> None:
        process = self.start(*SEEDS, "--junit", "slurm.xml")
        chunk = wait_for(lambda: self.chunk_on("n2"), LIMIT_SECONDS, "a chunk on the second node")
        self.cluster.stop("n2")
        self.assertFalse(Path(chunk).exists(), "the node was killed too late to lose anything")
        text, notes = self.finish(process, 0)
        self.assertRegex(notes, rf"{Path(chunk).stem.replace('-', ' ')} \(.*\) was lost, submitting it again")

        self.assertEqual(timeless(text), timeless(self.local(*SEEDS, "--junit", "local.xml")))
        reports = [timeless((self.directory / name).read_text()) for name in ("slurm.xml", "local.xml")]
        self.assertEqual(*reports)
        self.assertEqual(reports[0].count("<testcase"), 12)
        # The finished run is reported again, in another form, without a node.
        out, _ = self.cosim(*SEEDS, "--json")
        report = json.loads(out)
        self.assertEqual((report["cases"], report["jobs"], report["mismatches"]), (12, 240, 0))

        # That could have failed: one number in one chunk, and a chunk that is not there.
        results = json.loads(Path(chunk).read_text())
        results["cases"][0]["rtl_cycles"] += 1
        Path(chunk).write_text(json.dumps(results))
        self.assertNotEqual(timeless(self.cosim(*SEEDS)[0]), timeless(text))
        files = sorted(self.run_directory.glob("chunk-*.json"))
        files.remove(Path(chunk))
        merged = subprocess.run([MXE, "cosim", *SEEDS, "--merge", *files], capture_output=True, text=True, check=False)
        self.assertEqual(merged.returncode, 2)
        first = results["first_seed"]
        self.assertEqual(merged.stderr, f"mxe cosim: none of the files has seed {first} to {first + 2}\n")

    def test_seeds_fail(self) -> None:
        options = ["--seeds", "6", "--jobs-per-seed", "10", "--failures"]
        on_slurm, _ = self.cosim(*options, "failures", status=1, mxe=FAULTY)
        local = self.local(*options, "local", status=1, mxe=FAULTY)
        self.assertEqual(timeless(on_slurm).replace("failures/", "local/"), timeless(local))
        self.assertRegex(local, "mxe cosim --case local/small-")
        self.assertRegex(local, r"first wrong  u_\S+ \(mxe_opbuf, scale of a word\): \w+ is 0x\w+, expected 0x\w+, clock \d+, time \d+ ps\n")
        cases = [{case.name: case.read_text() for case in (self.directory / name).iterdir()}
                 for name in ("failures", "local")]
        self.assertEqual(*cases)
        json_on_slurm, _ = self.cosim(*options[:-1], "--json", status=1, mxe=FAULTY)
        local = self.local(*options, "local", "--json", status=1, mxe=FAULTY)
        self.assertEqual(timeless(json_on_slurm).replace(f"{self.run_directory}/failures/", "local/"), timeless(local))
        self.assertEqual(json.loads(local)["failures"][0]["wrong_value"]["block"], "mxe_opbuf")
        self.assertEqual({case.name for case in (self.run_directory / "failures").iterdir()}, cases[0].keys())

    def test_the_front_end_dies(self) -> None:
        options = ["--seeds", "8", "--jobs-per-seed", "20"]
        process = self.start(*options)
        wait_for(lambda: self.chunk_on("n1"), LIMIT_SECONDS, "a chunk on the first node")
        process.kill()
        process.communicate()
        text, notes = self.cosim(*options)
        self.assertRegex(text, "160 jobs in 8 cases")
        self.assertEqual(notes, "")
        logs = "".join(log.read_text() for log in self.run_directory.glob("chunk-*.log"))
        self.assertEqual(logs.count("cases, 0 failed"), 4, "a chunk ran twice\n" + logs)

        _, message = self.cosim("--seeds", "9", "--jobs-per-seed", "20", status=2)
        self.assertIn("has a run with other options", message)
        _, message = self.cosim(*options, mxe=self.stand_in("exit 0"), status=2)
        self.assertIn("has a run of another ", message)

    def test_no_use_to_try_again(self) -> None:
        _, message = self.cosim("--seeds", "400", "--config", "medium", status=2)
        self.assertRegex(message, r"scripts/slurm/cosim: mxe cosim: .*medium.* \(on n[123]\)\n$")
        wait_for(lambda: self.queue() == "", LIMIT_SECONDS, "an empty queue")

    def test_options_of_one_machine(self) -> None:
        _, message = self.cosim("--seeds", "1", "--coverage=here", status=2)
        self.assertEqual(message, "scripts/slurm/cosim: --coverage=here is not possible here\n")

    def test_always_lost(self) -> None:
        _, message = self.cosim("--seeds", "1", "--attempts", "2", mxe=self.stand_in("kill -KILL $$"), status=2)
        self.assertRegex(message, r"chunk 0 \(seeds 1 to 1\) ended 2 times without a result; see '.*/chunk-0.log'\n$")

    def test_no_controller(self) -> None:
        self.cluster.stop("slurmctld")
        _, message = self.cosim("--seeds", "1", status=2)
        self.assertRegex(message, "^scripts/slurm/cosim: squeue: ")


if __name__ == "__main__":
    unittest.main(verbosity=2)
