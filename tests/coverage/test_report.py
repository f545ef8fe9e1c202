#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Merging by the report of coverage, and the errors that it reports."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

REPORT = pathlib.Path(__file__).resolve().parents[2] / "tb/coverage/report/report.py"

MODULE = """module m(input logic clk_i, input logic a_i, output logic q_o);
  always_ff @(posedge clk_i) begin
    if (a_i) q_o <= 1'b1;
    else q_o <= 1'b0;
  end
  if (0) begin : gen_never
    always_ff @(posedge clk_i) q_o <= 1'b0;
  end
  `MXE_ASSERT(never_both, !(a_i &&
              q_o))
`ifndef SYNTHESIS
  always_ff @(posedge clk_i) if (q_o) $display("q");
`endif
endmodule
"""
ABSENT_WAIVED = """[[point]]
file = "m.sv"
kind = "absent"
text = "q_o <= 1'b0;"
reason = "No configuration has it."
"""


def point(line: int, kind: str, lines: str, count: int, file: str = "/x/rtl/m.sv") -> str:
    fields = {"f": file, "l": str(line), "n": "3", "page": "v_line/m", "o": kind}
    if lines:
        fields["S"] = lines
    name = "".join(f"\x01{key}\x02{value}" for key, value in fields.items())
    return f"C '{name}\x01h\x02top.m' {count}\n"


class Report(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.work = pathlib.Path(directory.name)
        (self.work / "rtl").mkdir()
        (self.work / "rtl/m.sv").write_text(MODULE)
        self.waive(ABSENT_WAIVED)

    def waive(self, text: str) -> None:
        (self.work / "waivers.toml").write_text(text)

    def write_run(self, name: str, bins: dict[str, int], points: list[str],
                  short_run: str = "some") -> None:
        run = self.work / name
        run.mkdir()
        group = {"name": "g", "about": "A group.", "short_run": short_run, "bins": bins}
        (run / "bins.json").write_text(json.dumps({"groups": [group]}))
        if points:
            (run / "lines.dat").write_text("# SystemC::Coverage-3\n" + "".join(points))

    def all_points(self, taken: int = 1, otherwise: int = 1) -> list[str]:
        return [point(2, "block", "2", 9), point(3, "if", "3", taken),
                point(3, "else", "4", otherwise), point(9, "block", "9", 0),
                point(12, "if", "12", 0)]

    def report(self, *more: str, status: int) -> str:
        runs = sorted(str(p) for p in self.work.iterdir() if p.name.startswith("run"))
        done = subprocess.run(
            [sys.executable, REPORT, *runs, "--rtl", self.work / "rtl", "--waivers",
             self.work / "waivers.toml", "--output", self.work / "out", *more],
            capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stderr

    def json(self) -> dict:
        return json.loads((self.work / "out/coverage.json").read_text())

    def test_enough(self) -> None:
        self.write_run("run", {"a": 1, "b": 2}, self.all_points())
        self.waive("")
        (self.work / "rtl/m.sv").write_text(MODULE.replace("  always_ff @(posedge clk_i) q_o", "  q_o"))
        self.report(status=0)
        self.assertEqual(self.json()["lines"], {"reached": 3, "of": 3})

    def test_too_few_lines(self) -> None:
        self.write_run("run", {"a": 1, "b": 2}, self.all_points())
        self.report(status=1)
        self.assertEqual(self.json()["complaints"], ["3 of 4 lines reached, fewer than 98%"])

    def test_assertions_are_no_hardware(self) -> None:
        self.write_run("run", {"a": 1}, self.all_points())
        self.report(status=1)
        self.assertEqual(self.json()["lines"], {"reached": 3, "of": 4})
        self.assertEqual(self.json()["branches"], {"reached": 2, "of": 2})

    def test_runs_add_up(self) -> None:
        self.write_run("run1", {"a": 1, "b": 0}, self.all_points(taken=0))
        self.write_run("run2", {"a": 0, "b": 1}, self.all_points(otherwise=0))
        self.report("--short", status=0)
        self.assertEqual(self.json()["bins"], {"reached": 2, "of": 2})
        self.assertEqual(self.json()["branches"], {"reached": 2, "of": 2})

    def test_a_bin_not_reached(self) -> None:
        self.write_run("run", {"a": 1, "b": 0}, [])
        self.waive("")
        self.assertIn("group 'g': 'b' is not reached", self.report(status=1))
        self.waive('[[bin]]\ngroup = "g"\nbin = "b*"\nreason = "It cannot be."\n')
        self.report(status=0)
        self.assertEqual(self.json()["groups"][0]["reasons"], {"b": "It cannot be."})

    def test_a_branch_not_reached(self) -> None:
        self.write_run("run", {"a": 1}, self.all_points(otherwise=0))
        self.assertIn("m.sv:3: else is not reached", self.report(status=1))

    def test_a_module_that_is_nowhere(self) -> None:
        self.waive("")
        self.write_run("run", {"a": 1}, self.all_points())
        self.assertIn("m.sv:7: absent is not reached", self.report(status=1))

    def test_waivers_that_nothing_needs(self) -> None:
        self.write_run("run", {"a": 1}, self.all_points())
        for waiver, complaint in (
                ('[[bin]]\ngroup = "g"\nbin = "a"\n', "not needed: 'a' was reached"),
                ('[[bin]]\ngroup = "g"\nbin = "z"\n', "names no bin"),
                ('[[bin]]\ngroup = "h"\nbin = "a"\n', "names no group"),
                ('[[point]]\nfile = "m.sv"\nkind = "if"\ntext = "a_i"\n', "line 3 was reached"),
                ('[[point]]\nfile = "m.sv"\nkind = "if"\ntext = "zz"\n', "matches nothing"),
                ('[[point]]\nfile = "n.sv"\nkind = "if"\ntext = "a_i"\n', "names no file")):
            self.waive(ABSENT_WAIVED + waiver + 'reason = "r"\n')
            self.assertIn(complaint, self.report("--short", status=1))

    def test_a_short_run(self) -> None:
        self.write_run("run", {"a": 0, "b": 0}, [])
        self.waive("")
        self.assertIn("group 'g': nothing reached", self.report("--short", status=1))

    def test_a_short_run_that_must_reach_all(self) -> None:
        self.write_run("run", {"a": 1, "b": 0}, [], short_run="all")
        self.waive("")
        self.assertIn("group 'g': not reached: b", self.report("--short", status=1))

    def test_bad_input(self) -> None:
        self.write_run("run", {"a": 1}, [])
        self.waive("[[points]]\n")
        self.assertIn("unknown 'points' (allowed: point, bin)", self.report(status=2))
        self.waive('[[bin]]\ngroup = "g"\nbin = "a"\n')
        self.assertIn("reason", self.report(status=2))

    def test_the_page_stands_alone(self) -> None:
        self.write_run("run", {"a<b": 1, "b": 0}, self.all_points())
        self.report(status=1)
        page = (self.work / "out/coverage.html").read_text()
        self.assertIn("a&lt;b", page)
        for outside in ("http:", "https:", "<script", "<link", "src="):
            self.assertNotIn(outside, page)


if __name__ == "__main__":
    unittest.main()
