# SPDX-License-Identifier: Apache-2.0
"""Tests the parsers of scripts/clock and scripts/place-and-route on shortened real reports of OpenSTA (mxe_negatives)
and nextpnr (mxe_cbuf), and that planted faults in the scripts are found."""
import copy
import json
import pathlib
import sys
import tempfile
import types
import unittest
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = HERE.parents[1] / "scripts"
OPENSTA = (HERE / "opensta.txt").read_text(encoding="utf-8")
NEXTPNR = json.loads((HERE / "nextpnr.json").read_text(encoding="utf-8"))
NETLIST = """module block(clk_i, \\odd_i[0] , \\lack_o[0] );
  output \\lack_o[0] ;
  wire \\lack_o[0] ;
  DFFPOSX1 _0990_ (
    .CLK(clk_i),
    .D(_0019_),
    .Q(\\gen_quad[7].even_q1[0] )
  );
  DFFPOSX1 \\odd_reg[0] (
    .CLK(clk_i),
    .D(_0020_),
    .Q(_0044_)
  );
endmodule
"""


def load(name, correct="", faulty=""):
    text = (SCRIPTS / name).read_text(encoding="utf-8")
    if correct and text.count(correct) != 1:
        raise ValueError(f"'{correct}' must occur once in {name}")
    module = types.ModuleType(name)
    module.__file__ = str(SCRIPTS / name)
    with mock.patch.object(sys, "path", [str(SCRIPTS)] + sys.path), mock.patch.object(sys, "dont_write_bytecode", True):
        exec(compile(text.replace(correct, faulty) if correct else text, name, "exec"), module.__dict__)
    return module


class Clock(unittest.TestCase):
    fault = ()

    def setUp(self):
        self.clock = load("clock", *self.fault)

    def test_longest_paths(self):
        paths = self.clock.longest_paths(OPENSTA)
        self.assertEqual(list(paths), [0, 7])
        # Arrival time plus setup time of the register at the end, from the report.
        self.assertAlmostEqual(paths[0], 0.906 + 0.184, 2)
        self.assertAlmostEqual(paths[7], 0.922 + 0.159, 2)

    def test_a_path_that_is_too_long(self):
        late = OPENSTA.replace("slack (MET)", "slack (VIOLATED)").replace("8.", "-8.")
        self.assertGreater(self.clock.longest_paths(late)[0], 10)

    def test_a_group_without_a_path(self):
        self.assertEqual(list(self.clock.longest_paths("GROUP 3\nNo paths found.\n" + OPENSTA)), [0, 7])
        with tempfile.TemporaryDirectory() as work:
            netlist = pathlib.Path(work) / "netlist.v"
            netlist.write_text(NETLIST, encoding="utf-8")
            report = mock.Mock(returncode=0, stdout=OPENSTA)
            with mock.patch.object(self.clock.subprocess, "run", return_value=report):
                self.assertEqual(list(self.clock.sta(work, "a", netlist, "block", {0: ["x"], 7: ["y"]})), [0, 7])
                with self.assertRaisesRegex(SystemExit, "no path into"):
                    self.clock.sta(work, "a", netlist, "block", {0: ["x"], 7: ["y"], 8: ["z"]})

    def test_ends(self):
        with tempfile.TemporaryDirectory() as work:
            netlist = pathlib.Path(work) / "netlist.v"
            netlist.write_text(NETLIST, encoding="utf-8")
            self.assertEqual(self.clock.ends_of(netlist), {
                "gen_quad[7].even_q1[0]": ["[get_pins {_0990_/D}]"], "_0044_": ["[get_pins {odd_reg[0]/D}]"],
                "lack_o[0]": ["[get_ports {lack_o[0]}]"]})

    def test_table(self):
        now, before = {"add": 3.0, "round": 4.0, "new": 1.0}, {"add": 5.0, "round": 2.5}
        self.assertEqual(self.clock.table("stages", "stage", now, before).markdown(), [
            "| stage | before, ns | now, ns |", "|---|---:|---:|", "| add | 5.00 | 3.00 |", "| round | 2.50 | 4.00 |",
            "| new |  | 1.00 |", "| longest | 5.00 | 4.00 |", "| MHz | 200 | 250 |", "", "1.25 times the frequency."])
        self.assertEqual(self.clock.table("blocks", "block", {"a": 8.0}, None).markdown(), [
            "| block | now, ns |", "|---|---:|", "| a | 8.00 |", "| longest | 8.00 |", "| MHz | 125 |"])


class PlaceAndRoute(unittest.TestCase):
    fault = ()

    def setUp(self):
        self.script = load("place-and-route", *self.fault)
        self.report = copy.deepcopy(NEXTPNR)

    def table(self):
        return self.script.table("now", self.report).markdown()[2:]

    def test_table(self):
        self.assertEqual(self.table(), ["| now | 467.3 | 124 of 83,640 | 35 of 83,640 | 0 of 156 | 0 of 208 |", "",
                                        "Slowest path: `full_o` to `full_o`, 1.2 ns of cells and 1.0 ns of wires."])

    def test_the_path_is_as_long_as_the_clock(self):
        [clock] = self.report["fmax"].values()
        _, _, cells, wires = self.script.worst_path(self.report)
        self.assertAlmostEqual(cells + wires, 1000 / clock["achieved"], 3)

    def test_other_paths(self):
        """Only paths between clock edges count, not those of ports."""
        expected = self.table()
        for start, end in (("async", "posedge clk_i"), ("posedge clk_i", "async")):
            path = copy.deepcopy(NEXTPNR["critical_paths"][0])
            path["path"][0]["delay"] = 99
            self.report["critical_paths"].insert(0, {**path, "from": start, "to": end})
        self.assertEqual(self.table(), expected)

    def test_a_report_of_something_else(self):
        for change in (lambda r: r["fmax"].update(other={"achieved": 1, "constraint": 1}), lambda r: r["fmax"].clear(),
                       lambda r: r["critical_paths"].clear(), lambda r: r["utilization"].pop("TRELLIS_COMB"),
                       lambda r: r["critical_paths"][0]["path"][3].update(delay=7)):
            report = copy.deepcopy(NEXTPNR)
            change(report)
            with self.assertRaisesRegex(SystemExit, "place-and-route: "):
                self.script.table("now", report)


class PlantedFaults(unittest.TestCase):
    FAULTS = [(Clock, ("clock", "PERIOD - float(slack[1])", "float(slack[1])")),
              (Clock, ("clock", r"(-?[\d.]+) +slack", r"([\d.]+) +slack")),
              (Clock, ("clock", "if result.keys() != groups.keys()", "if not result")),
              (Clock, ("clock", "/D}}]", "/Q}}]")),
              (Clock, ("clock", "max(column.values())", "min(column.values())")),
              (Clock, ("clock", "longest[0] / longest[1]", "longest[1] / longest[0]")),
              (PlaceAndRoute, ("place-and-route", 'if s["type"] == "routing"', 'if s["type"] == "logic"')),
              (PlaceAndRoute, ("place-and-route", """p["to"].startswith("posedge")""", "True")),
              (PlaceAndRoute, ("place-and-route", '"TRELLIS_FF"', '"TRELLIS_RAMW"')),
              (PlaceAndRoute, ("place-and-route", """path[-1]["to"]["cell"]""", """path[1]["to"]["cell"]""")),
              (PlaceAndRoute, ("place-and-route", 'clock["achieved"]', 'clock["constraint"]'))]

    def test_each_is_found(self):
        for tests, (script, *fault) in self.FAULTS:
            with self.subTest(script=script, fault=fault):
                faulty = type("Faulty", (tests,), {"fault": fault})
                result = unittest.TestResult()
                unittest.defaultTestLoader.loadTestsFromTestCase(faulty).run(result)
                self.assertFalse(result.wasSuccessful(), "not found")


if __name__ == "__main__":
    unittest.main()
