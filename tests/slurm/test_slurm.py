#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The scripts of docs/examples/slurm, run as the tasks of a job array one after the other: their merged results are
those of one machine."""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "docs/examples/slurm"
MXE = Path(os.environ.get("MXE_PROGRAM", ROOT / "build/mxe"))
TIMES = re.compile(r'(time="|"seconds":|cycles, )[0-9.]+')


class Example(unittest.TestCase):
    def setUp(self) -> None:
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def run_command(self, *command: object, status: int = 0, **environment: str) -> subprocess.CompletedProcess:
        done = subprocess.run([str(word) for word in command], cwd=self.directory, text=True, capture_output=True,
                              check=False, env={**os.environ, "MXE": str(MXE), **environment})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def task(self, number: int, *command: object, status: int = 0, **environment: str) -> None:
        self.run_command(*command, status=status, SLURM_ARRAY_TASK_ID=str(number), SLURM_JOB_ID="100",
                         SLURM_CPUS_PER_TASK="1", **environment)


class CoSim(Example):
    """cosim.sbatch: 7 seeds in 3 parts, which have 2, 2 and 3."""

    SEEDS = ["--jobs-per-seed", "2"]
    ARGUMENTS = [SCRIPTS / "cosim.sbatch", "run", 3, 11, 7, *SEEDS]

    def parts(self) -> list[str]:
        return sorted(path.name for path in (self.directory / "run").iterdir())

    def test_the_report_of_one_machine(self) -> None:
        for number in (3, 1, 2):
            self.task(number, *self.ARGUMENTS)
        self.assertEqual(self.parts(), ["part-1.json", "part-2.json", "part-3.json"])
        merged = self.run_command(*self.ARGUMENTS, "--junit", "merged.xml")
        whole = self.run_command(MXE, "cosim", "--seed", 11, "--seeds", 7, *self.SEEDS, "--junit", "whole.xml")
        self.assertIn("14 jobs in 7 cases", merged.stdout)
        self.assertEqual(TIMES.sub(r"\1#", merged.stdout), TIMES.sub(r"\1#", whole.stdout))
        reports = [TIMES.sub(r"\1#", (self.directory / name).read_text()) for name in ("merged.xml", "whole.xml")]
        self.assertEqual(*reports)

    def test_a_lost_part(self) -> None:
        self.task(1, *self.ARGUMENTS)
        self.task(3, *self.ARGUMENTS)
        self.assertIn("none of the files has seed 13 to 14", self.run_command(*self.ARGUMENTS, status=2).stderr)
        for number in (1, 3):  # these exist: the program is not run
            self.task(number, *self.ARGUMENTS, MXE="/bin/false")
        self.task(2, *self.ARGUMENTS)
        self.run_command(*self.ARGUMENTS)

    def test_failed_seeds_have_results_and_refused_options_have_none(self) -> None:
        program = self.directory / "stand-in"
        program.write_text(f'#!/bin/bash\n"{MXE}" "$@" && exit 1\n')
        program.chmod(0o755)
        self.task(1, *self.ARGUMENTS, MXE=str(program))
        self.assertEqual(self.parts(), ["part-1.json"])
        self.task(2, *self.ARGUMENTS, "--config", "unknown", status=2)
        self.assertEqual(self.parts(), ["part-1.json"])

    def test_more_parts_than_seeds(self) -> None:
        arguments = [SCRIPTS / "cosim.sbatch", "run", 3, 1, 2, *self.SEEDS]
        for number in (1, 2, 3):
            self.task(number, *arguments)
        self.assertEqual(len(self.parts()), 2)
        self.assertIn("4 jobs in 2 cases", self.run_command(*arguments).stdout)


class Shards(Example):
    def test_the_points_of_one_machine(self) -> None:
        (self.directory / "space.yaml").write_text("parameters:\n  NUM_PE: [4, 8]\n  mem_latency: [20, 40, 60]\n")
        (self.directory / "net.csv").write_text("layer,M,N,K,count\none,100,64,96,2\n")
        explore = [MXE, "explore", "space.yaml", "--workload", "net.csv", "--output"]
        for number in (2, 1):
            self.task(number, SCRIPTS / "shard.sbatch", 2, *explore, "shards")
        self.assertIn("6 points: 0 simulated, 0 from the cache, 6 known before",
                      self.run_command(*explore, "shards").stdout)
        self.run_command(*explore, "whole")
        points = [(self.directory / name / "points.jsonl").read_text() for name in ("shards", "whole")]
        self.assertEqual(*points)
        self.assertEqual(points[0].count("\n"), 6)


if __name__ == "__main__":
    unittest.main()
