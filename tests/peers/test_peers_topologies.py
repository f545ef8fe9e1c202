# SPDX-License-Identifier: Apache-2.0
"""`mxe explore` finds the same products in topologies as SCALE-Sim's reader (topologies.json, from
scripts/peers-topologies), or refuses a topology with the name of a column.

    test_peers_topologies.py --mxe PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
# SCALE-Sim's reader accepts these for sparse arrays.
REFUSED = {"sparse.csv": "sparse.csv:2: Sparsity is '1:4'",
           "gemm_sparse.csv": "gemm_sparse.csv:2: Sparsity is '2:4'"}


class Topologies(unittest.TestCase):
    mxe = None
    recorded = json.loads((HERE / "topologies.json").read_text(encoding="utf-8"))

    def explore(self, topology):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "space.yaml").write_text("parameters: {NUM_PE: 32}\n", encoding="utf-8")
            run = subprocess.run([self.mxe, "explore", folder / "space.yaml", "--workload", topology,
                                  "--output", folder / "out"], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, encoding="utf-8", check=False)
            if run.returncode:
                return run.returncode, run.stderr, None
            point = json.loads((folder / "out/points.jsonl").read_text(encoding="utf-8"))
        return 0, "", [[layer[key] for key in ("name", "m", "n", "k", "count")]
                       for layer in point["layers"]]

    def test_products(self):
        topologies = sorted((HERE / "topologies").glob("*.csv"))
        self.assertEqual({one.name for one in topologies}, set(self.recorded) - {"package"})
        for topology in topologies:
            with self.subTest(topology=topology.name):
                status, message, products = self.explore(topology)
                if topology.name in REFUSED:
                    self.assertEqual(status, 2)
                    self.assertIn(REFUSED[topology.name], message)
                else:
                    self.assertEqual((status, message), (0, ""))
                    self.assertEqual(products, self.recorded[topology.name])


if __name__ == "__main__":
    Topologies.mxe = sys.argv[sys.argv.index("--mxe") + 1]
    unittest.main(argv=sys.argv[:1])
