#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/slurm/check on a cluster of this test's own: the report of scripts/mutation is that of one
machine, and what a task cannot do ends the run."""
import json
import os
from pathlib import Path
import subprocess
import sys
import tempfile
import unittest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/slurm"))
from cluster import Cluster  # noqa: E402

BUILD = sys.argv.pop(1)
MUTANTS = json.loads((Path(BUILD) / "tests/mutation/mutants/mutants.json").read_text())
# A few of the copy that is built, and few jobs, which some of them may survive.
NUMBERS = [str(mutant["number"]) for mutant in MUTANTS if mutant["group"] == "control"][:3]
OPTIONS = ["--build", BUILD, "--jobs", "3", "--no-directed", "--no-proof", "--only", *NUMBERS]


class Check(unittest.TestCase):
    def setUp(self) -> None:
        self.cluster = self.enterContext(Cluster(nodes=2, node_timeout=60))
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def check(self, *options: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [ROOT / "scripts/slurm/check", "--directory", "run", "--chunks", "2", "--poll", "0.5", "mutation", *options],
            cwd=self.directory, env=self.cluster.environment, text=True, capture_output=True, check=False, timeout=240)

    def test_the_report_of_one_machine(self) -> None:
        results = str(self.directory / "results.json")
        far = self.check("--results", results, *OPTIONS)
        self.assertEqual(len(list(self.directory.glob("results.json.shard-*"))), 2, far.stderr)
        near = subprocess.run([ROOT / "scripts/mutation", *OPTIONS], text=True, capture_output=True, check=False,
                              env=dict(os.environ, SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1"))
        self.assertEqual(far.stdout, near.stdout)
        self.assertEqual(far.returncode, near.returncode)
        # The report is of what the tasks left: nothing is run again.
        part = next(self.directory.glob("results.json.shard-*"))
        part.write_text(part.read_text().replace('"killed": true', '"killed": false'))
        again = self.check("--results", results, *OPTIONS)
        self.assertIn("survived: mutant", again.stdout)
        self.assertEqual(again.returncode, 1)

    def test_what_cannot_be_run(self) -> None:
        done = self.check("--results", str(self.directory / "none" / "results.json"), *OPTIONS)
        self.assertEqual(done.returncode, 2)
        self.assertIn("No such file", done.stderr)


if __name__ == "__main__":
    unittest.main()
