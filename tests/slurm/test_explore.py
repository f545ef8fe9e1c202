#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/slurm/explore on a cluster of this test's own: the points are those of `mxe explore` here,
whatever happens to the nodes."""
import os
from pathlib import Path
import signal
import subprocess
import sys
import tempfile
import unittest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/slurm"))
from cluster import Cluster, wait_for  # noqa: E402

MXE = Path(os.environ.get("MXE_PROGRAM", ROOT / "build/mxe"))
LIMIT_SECONDS = 180  # for a test: the slowest takes a sixth
NODE_TIMEOUT = 5  # seconds until a node that was killed is missed
# No point is like another one in its times.
SPACE = """\
parameters:
  NUM_PE: [4, 8, 16]
  ROWS: [16, 32, 64]
  mem_latency: {from: 20, to: 200, step: 20}
"""
LAYERS = "layer,M,N,K,count\none,1001,640,147,2\ntwo,333,707,300,1\n"


class Slurm(unittest.TestCase):
    """A cluster of two nodes and a directory for each test."""

    def setUp(self) -> None:
        signal.signal(signal.SIGALRM, self.too_long)
        signal.alarm(LIMIT_SECONDS)
        self.addCleanup(signal.alarm, 0)
        self.cluster = self.enterContext(Cluster(nodes=2, node_timeout=NODE_TIMEOUT))
        self.directory = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.directory / "space.yaml").write_text(SPACE)
        (self.directory / "net.csv").write_text(LAYERS)

    @staticmethod
    def too_long(*_: object) -> None:
        raise TimeoutError(f"not done after {LIMIT_SECONDS} s")

    def start(self, output: str, *options: str, mxe: Path = MXE) -> subprocess.Popen:
        command = [ROOT / "scripts/slurm/explore", "space.yaml", "--workload", "net.csv", "--output", output,
                   "--mxe", mxe, "--chunks", "3", "--poll", "0.5", *options]
        process = subprocess.Popen(command, cwd=self.directory, env=self.cluster.environment, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def finish(self, process: subprocess.Popen, status: int = 0) -> tuple[str, str]:
        out, err = process.communicate()
        self.assertEqual(process.returncode, status, out + err)
        return out, err

    def local(self, output: str) -> str:
        subprocess.run([MXE, "explore", "space.yaml", "--workload", "net.csv", "--output", output],
                       cwd=self.directory, check=True, capture_output=True)
        return (self.directory / output / "points.jsonl").read_text()

    def slow(self) -> Path:
        """A program that explores, and then stays until it is told to go on or is killed."""
        program = self.directory / "slow"
        program.write_text(f'#!/bin/bash\n{MXE} "$@" || exit\n'
                           f"while [[ $* = *--shard* && ! -e {self.directory}/go ]]; do sleep 0.1; done\n")
        program.chmod(0o755)
        return program

    def test_a_node_dies(self) -> None:
        process = self.start("far", mxe=self.slow())
        shards = self.directory / "far"
        wait_for(lambda: len(list(shards.glob("points.*-of-3.jsonl"))) >= 2, LIMIT_SECONDS, "two shards")
        self.assertEqual(list((shards / "slurm").glob("chunk-*.json")), [], "nothing is left to lose")
        self.cluster.stop("n2")
        (self.directory / "go").touch()
        out, notes = self.finish(process)
        self.assertRegex(notes, r"scripts/slurm/explore: chunk \d was lost, submitting it again")
        self.assertRegex(out, "90 points: 0 simulated, 0 from the cache, 90 known before")
        far = (shards / "points.jsonl").read_text()
        self.assertEqual(far, self.local("near"))
        self.assertEqual(far.count("\n"), 90)
        # That could have failed: a shard that is not there is computed, one that is wrong is seen.
        shard = shards / "points.2-of-3.jsonl"
        shard.write_text(shard.read_text().replace('"cycles":1', '"cycles":2'))
        (shards / "points.jsonl").unlink()
        self.finish(self.start("far", mxe=self.slow()))
        self.assertNotEqual((shards / "points.jsonl").read_text(), far)

    def test_bad_input_ends_it(self) -> None:
        (self.directory / "net.csv").write_text(LAYERS + "three,0,1,1,1\n")
        _, message = self.finish(self.start("out"), 2)
        self.assertIn("net.csv:4: M must be a whole number", message)
        self.assertEqual(message.count("\n"), 1, message)
        _, message = self.finish(self.start("out", "--shard", "1/2"), 2)
        self.assertEqual(message, "scripts/slurm/explore: --shard is not possible here\n")


if __name__ == "__main__":
    unittest.main()
