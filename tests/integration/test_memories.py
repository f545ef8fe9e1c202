#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/memories: its sizes of small are those that docs/architecture.md gives, and it refuses memories it does not know."""
import importlib.machinery
import importlib.util
import sys
import unittest

from elaborated import ROOT, configurations

sys.path.insert(0, str(ROOT / "scripts"))
LOADER = importlib.machinery.SourceFileLoader("memories", str(ROOT / "scripts/memories"))
memories = importlib.util.module_from_spec(importlib.util.spec_from_loader("memories", LOADER))
LOADER.exec_module(memories)


class Memories(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.parameters = configurations()["small"]
        cls.found = memories.memories(cls.parameters)

    def bits(self, part):
        return sum(m.bits for path, m in self.found.items() if part in path)

    def test_sizes(self):
        p = self.parameters
        self.assertEqual(self.bits("u_abuf.gen_read[0].u_words"), 2 * p["ROWS"] * p["A_SLAB_K"] // 32 * 256)
        self.assertEqual(self.bits("u_bbuf.gen_read["), p["B_BANKS"] * p["NUM_PE"] * p["B_BUF_K"] // 32 * (256 + 32))
        self.assertEqual(self.bits("u_acc_even"), p["NUM_PE"] * p["ROWS"] * p["ACC_TILES"] * 32)
        self.assertEqual(self.bits("u_acc_odd"), self.bits("u_acc_even"))

    def test_all_are_known(self):
        self.assertEqual(list(memories.unexpected(self.found)), [])
        self.assertEqual({memories.without_indices(path) for path in self.found}, set(memories.HOLDS))

    def test_refuses_a_new_memory_and_another_port(self):
        path, ram = next((path, m) for path, m in self.found.items() if m.module == "mxe_ram")
        [new] = memories.unexpected({"u_datapath.u_new.mem": ram})
        self.assertIn("u_datapath.u_new.mem: not in HOLDS", new)
        for changed in (ram._replace(registered=0), ram._replace(reads=2), ram._replace(writes=2)):
            [ports] = memories.unexpected({path: changed})
            self.assertIn("allowed: 1 registered and 1", ports)


if __name__ == "__main__":
    unittest.main()
