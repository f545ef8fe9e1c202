# SPDX-License-Identifier: Apache-2.0
"""scripts/peers-explore with stubs of the peers: how it reads their outputs, and its tables."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/peers-explore"
sys.path.insert(0, str(SCRIPT.parent))


def load():
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("peers_explore", str(SCRIPT))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


peers = load()
Answer = peers.Answer


class Stub(peers.Peer):
    """A peer whose output a Python program prints."""

    def __init__(self, runner, program, packages=("none==1",)):
        super().__init__(runner, "stub", packages, program)
        self.program, self.asked = program, 0

    def python(self):
        return sys.executable

    def answer(self, python, folder, shape):
        self.asked += 1
        return self.runner.run([python, "-c", self.program, *shape], folder, peers.zigzag_cycles)


class PeersExplore(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.runner = peers.Runner(pathlib.Path(self.folder.name), 1, 2)

    def ask(self, program, left=1):
        return Stub(self.runner, program).ask((1, 2, 3), left)

    def test_reports(self):
        report = ("LayerID, Total Cycles (incl. prefetch), Total Cycles, Stall Cycles,\n"
                  "0, 13247, 12671, 0,\n")
        self.assertEqual(peers.scale_sim_cycles(report), 13247)
        with self.assertRaises(ValueError):  # another version has other columns
            peers.scale_sim_cycles("LayerID, Cycles,\n0, 13247,\n")
        self.assertEqual(peers.zigzag_cycles("INFO - cycles\ncycles 8736\n"), 8736)

    def test_answers(self):
        answer = self.ask("import sys; print('cycles', sum(map(int, sys.argv[1:])))")
        self.assertEqual((answer.cycles, answer.trouble), (6, ""))
        self.assertGreater(answer.seconds, 0)
        self.assertGreater(answer.megabytes, 1)

    def test_no_answers(self):
        self.assertEqual(self.ask("while True: pass").trouble, "no answer in 1 s")
        self.assertEqual(self.ask("x = bytes(3 << 30)").trouble, "needs more than 2 GB")
        self.assertEqual(self.ask("raise SystemExit('no such layer')").trouble, "no such layer")

    def test_not_asked(self):
        program = "print('cycles 7')"
        self.assertEqual(self.ask(program, 0).trouble, peers.NOT_ASKED)
        self.assertEqual(self.ask(program).cycles, 7)
        self.assertEqual(self.ask(program, 0).cycles, 7)  # from the file

    def test_answers_are_kept(self):
        program = "print('cycles 7')"
        for packages, asked in (("none==1",), 1), (("none==1",), 0), (("none==2",), 1):
            stub = Stub(self.runner, program, packages)
            self.assertEqual(stub.ask((1, 2, 3), 1).cycles, 7)
            self.assertEqual(stub.asked, asked)
        other = Stub(self.runner, program)
        other.ask((1, 2, 4), 1)
        self.assertEqual(other.asked, 1)

    def test_a_higher_limit_asks_again(self):
        slow = Stub(self.runner, "print('cycles 7')")
        slow.log.write_text(json.dumps({"key": slow.key, "shape": [1, 2, 3], "limit": 1, "answer": {
            "cycles": 0, "seconds": 1.0, "megabytes": 5, "trouble": "no answer in 1 s"}}) + "\n")
        self.assertEqual(slow.ask((1, 2, 3), 1).trouble, "no answer in 1 s")
        self.runner.limit = 3
        self.assertEqual(slow.ask((1, 2, 3), 1).cycles, 7)

    def test_tables(self):
        rtl = {(1, 2, 3): Answer(100, 2, 50), (4, 5, 6): Answer(200, 3, 40)}
        theirs = {(1, 2, 3): Answer(150, 9, 70), (4, 5, 6): Answer(trouble="no answer in 1 s")}
        self.assertEqual(
            peers.products({"P": theirs}, rtl, [100, 180]).splitlines()[2:],
            ["| 1 x 2 x 3 | 100 | 100 (0 %) | 150 (+50.0 %) |",
             "| 4 x 5 x 6 | 200 | 180 (-10.0 %) | no answer in 1 s |"])
        counts = {(1, 2, 3): 2, (4, 5, 6): 3}
        self.assertEqual(
            peers.network({"P": theirs}, rtl, [100, 180], counts).splitlines()[2:],
            ["| mxe explore | 5 of 5 | 800 | 740 (-7.5 %) | 10.0 % |  |",
             "| P | 2 of 5 | 200 | 300 (+50.0 %) | 50.0 % | no answer in 1 s: 4 x 5 x 6 |"])
        self.assertEqual(peers.costs([("RTL", rtl.values())]).splitlines()[2:],
                         ["| RTL | 5.00 | 50 |"])

    def test_resnet50(self):
        counts = peers.resnet50()
        self.assertEqual((len(counts), sum(counts.values())), (21, 54))
        self.assertEqual(counts[196, 256, 2304], 6)

    def test_recorded_answers(self):
        """The recorded answers belong to the current packages and inputs."""
        keys = {peer(self.runner).key for peer in (peers.ScaleSim, peers.ZigZag)}
        recorded = [json.loads(line) for line in peers.RECORDED.read_text().splitlines()]
        self.assertEqual({one["key"] for one in recorded}, keys)
        zigzag = peers.ZigZag(self.runner)
        zigzag.logs.append(peers.RECORDED)
        for shape in (*peers.PRODUCTS, *peers.resnet50()):
            self.assertGreater(zigzag.ask(shape, 0).cycles, 0)

    def run_whole(self, *options, cycles=10):
        """A whole run: a product takes 7 cycles on the peers, 10 on the RTL, `cycles` in mxe explore."""
        def run(_, command, folder, read):
            if "explore" in command:
                (folder / "out").mkdir()
                layers = (folder / "products.csv").read_text().splitlines()[1:]
                (folder / "out/points.jsonl").write_text(json.dumps(
                    {"layers": [{"cycles": cycles} for _ in layers]}))
            elif "estimate" in command:
                return Answer(read('{"cycles": 10}'), 1, 1)
            return Answer(7, 1, 1)
        printed = io.StringIO()
        with mock.patch.object(peers.Runner, "run", run), \
                mock.patch.object(peers.Peer, "python", lambda _: "python"), \
                mock.patch.object(peers.Rtl, "build", lambda _: None), \
                mock.patch.object(peers, "RECORDED", pathlib.Path(self.folder.name) / "none"), \
                mock.patch.object(sys, "argv",
                                  ["peers-explore", "--work", self.folder.name, *options]), \
                contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            peers.main()
        return printed.getvalue()

    def test_whole(self):
        text = self.run_whole()
        self.assertIn("| 64 x 64 x 2048 | 10 | 10 (0 %) | 7 (-30.0 %) | 7 (-30.0 %) |", text)
        self.assertIn("| ZigZag | 54 of 54 | 540 | 378 (-30.0 %) | 30.0 % |  |", text)
        self.assertIn("| SCALE-Sim | 21.00 | 1 |", text)

    def test_data(self):
        """A change or lack of the cycles of mxe explore or the RTL is found in docs/data."""
        products = [["{} x {} x {}".format(*shape), 10, [10, 0]] for shape in peers.PRODUCTS]
        networks = [["mxe explore", [54, 54], 540, "540 (0 %)"]]

        def check(products, networks, cycles=10):
            records = {f"peers_{name}": {"tables": {"cycles": {"rows": rows}}}
                       for name, rows in (("products", products), ("resnet50", networks))}
            with mock.patch.object(peers.tables, "load", records.get), self.assertRaises(SystemExit) as done:
                self.run_whole("--check", cycles=cycles)
            return done.exception.code

        self.assertEqual(check(products, networks), 0)
        for found in (check(products, networks, 11), check([["64 x 64 x 2048", 12, [10, 0]], *products[1:]], networks),
                      check([["64 x 64 x 2048", 10, [12, 20]], *products[1:]], networks),
                      check(products, [["mxe explore", [54, 54], 541, "541 (0 %)"]]), check([], networks)):
            self.assertIn("but mxe explore says", str(found))


if __name__ == "__main__":
    unittest.main()
