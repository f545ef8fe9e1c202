# SPDX-License-Identifier: Apache-2.0
"""plan.py finds planted faults in a plan: names that do not exist, features without verification, parts of the engine
without a feature, and tests that did not run."""
import contextlib
import copy
import io
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True

import names  # noqa: E402
import plan  # noqa: E402

KNOWN = names.Names(
    headings={"registers.md": {"soft-reset", "status-codes"}}, registers={"ID", "CTRL.enable"}, descriptor={"M"},
    values={"status_code.OK"}, modules={"mxe_cmd"}, cases={"resets": "cosim.directed", "long_ring": "CoSim/OddCases.Agree/long_ring"},
    random={"reset_after", "values: ties"}, proofs={"cmd": ["overfull"]}, faults={"head_survives_reset"},
    bins={"status": ["OK", "ERR_READ"]}, tests={"Engines.Reset", "Engines.Ring", "formal.cmd", "formal.cmd.overfull"})
PLAN = """\
Reset:
- feature: Soft reset
  rules: [registers.md#soft-reset]
  registers: [ID, CTRL.enable]
  descriptor: [M]
  values: [status_code.OK]
  modules: [mxe_cmd]
  bins: ["status: *"]
  cases: [resets, long_ring]
  random: [reset_after, "values: ties"]
  proofs: [cmd]
  faults: [head_survives_reset]
  tests: [Engines.*]
"""
TESTS = """\
add_test(passes "true") # passed
add_test(prints "echo" "Test Failed.") # passed
add_test(fails "false") # failed
add_test(slow "sleep" "9") # failed
add_test(skips "sh" "-c" "exit 77") # skipped
add_test(tells "echo" "no PyPI") # skipped
add_test(off "true") # skipped
add_test(absent "/none/program") # skipped
set_tests_properties(slow PROPERTIES TIMEOUT 0.1)
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(tells PROPERTIES SKIP_REGULAR_EXPRESSION PyPI)
set_tests_properties(off PROPERTIES DISABLED ON)
"""
PASSED = dict.fromkeys(("Engines.Reset", "Engines.Ring", "formal.cmd", "formal.cmd.overfull", "cosim.directed", "coverage.short",
                        "cosim.random_small", "cosim.random_base", "mutation.planted"), "passed")


def found(old="", new="", **changes):
    """The findings in a plan with a change, and with other names in the sources."""
    assert old in PLAN
    known = copy.deepcopy(KNOWN)
    for name, value in changes.items():
        setattr(known, name, value)
    return list(plan.findings(plan.read(PLAN.replace(old, new)), known))


class Faults(unittest.TestCase):
    def test_the_plan_without_a_fault(self):
        self.assertEqual(found(), [])

    def test_misspelt_names(self):
        for old, new, line in (
                ("registers.md#soft-reset", "registers.md#soft-rest", "docs/registers.md has no heading 'soft-rest'"),
                ("registers.md#soft-reset", "reset.md#soft-reset", "no page docs/reset.md; allowed: registers.md"),
                ("[resets,", "[resets, reset,", "cases: 'reset' does not exist"),
                ("[cmd]", "[cmd, comand]", "proofs: 'comand' does not exist"),
                ("[head_survives", "[heads, head_survives", "faults: 'heads' does not exist"),
                ("[reset_after", "[reset_before, reset_after", "random: 'reset_before' does not exist"),
                ("[mxe_cmd]", "[mxe_cmd, mxe_comand]", "modules: 'mxe_comand' does not exist"),
                ("[ID,", "[IDD, ID,", "registers: 'IDD' does not exist"),
                ('["status: *"]', '["status: *", "status: ERR_WRITE"]', "bins: nothing matches 'status: ERR_WRITE'"),
                ('["status: *"]', '["status: *", "states"]', "bins: nothing matches 'states'"),
                ("[Engines.*]", "[Engines.*, Engines.Stop]", "tests: nothing matches 'Engines.Stop'")):
            with self.subTest(new):
                self.assertEqual(found(old, new), [f"Soft reset: {line}"])

    def test_parts_without_a_feature(self):
        for changes, line in (({"registers": {"ID", "CTRL.enable", "SEED"}}, "registers: no feature has 'SEED'"),
                              ({"values": {"status_code.OK", "status_code.ERR_READ"}},
                               "values: no feature has 'status_code.ERR_READ'"),
                              ({"modules": {"mxe_cmd", "mxe_new"}}, "modules: no feature has 'mxe_new'"),
                              ({"cases": {**KNOWN.cases, "new": "cosim.directed"}}, "cases: no feature has 'new'"),
                              ({"faults": {"head_survives_reset", "new"}}, "faults: no feature has 'new'"),
                              ({"bins": {**KNOWN.bins, "new": ["a", "b"]}}, "bins: no feature has 'new: a' and 1 more bins")):
            with self.subTest(line):
                self.assertEqual(found(**changes), [line])
        self.assertEqual(found('["status: *"]', '["status: OK"]'), ["bins: no feature has 'status: ERR_READ'"])
        self.assertIn("proofs: no feature has 'ram'", found(proofs={"cmd": [], "ram": []}))

    def test_one_kind_of_verification(self):
        one = PLAN[:PLAN.index("  bins")]
        known = names.Names(KNOWN.headings, KNOWN.registers, KNOWN.descriptor, KNOWN.values, KNOWN.modules, {}, set(), {}, set())
        self.assertIn("kinds of verification: none", *plan.findings(plan.read(one), known))
        one += "  tests: [Engines.Reset]\n"
        self.assertIn("kinds of verification: tests; allowed: at least two", *plan.findings(plan.read(one), known))
        self.assertEqual(list(plan.findings(plan.read(one + "  only: A constant.\n"), known)), [])
        self.assertEqual(found("  tests:", "  only: A constant.\n  tests:"),
                         ["Soft reset: 'only' with 6 kinds; allowed: with one kind"])

    def test_programs_that_are_not_built(self):
        self.assertIn("not built, so that its tests are unknown: test_engines_NOT_BUILT",
                      found(tests=KNOWN.tests | {"test_engines_NOT_BUILT"}))

    def test_a_proof_that_ctest_does_not_have(self):
        self.assertEqual(found(tests=KNOWN.tests - {"formal.cmd"}), ["proofs: ctest and proofs.cmake differ in cmd"])

    def test_illegal_plans(self):
        for old, new, line in (("  cases:", "  case:", "unknown key 'case'; allowed: feature, rules"),
                               ("  cases:", "  values:", "line 2: the key 'values' occurs twice"),
                               ("[cmd]", "cmd", "'proofs' is 'cmd'; allowed: a list of texts"),
                               ("[cmd]", "[]", r"'proofs' is \[\]; allowed: a list of texts"),
                               ("[cmd]", "[1]", r"'proofs' is \[1\]"),
                               ("[cmd]", "[cmd, cmd]", "'proofs' names something twice"),
                               ("[cmd]", "[cmd", "expected ',' or ']'"),
                               ("  rules: [registers.md#soft-reset]\n", "", "no key 'rules'"),
                               ("Reset:\n- feature: Soft reset\n", "Reset:\n- Soft reset\n- feature: Soft reset\n",
                                "'Reset': allowed: features with keys"),
                               (PLAN, "- 1", "allowed: sections"),
                               (PLAN, PLAN + PLAN.replace("Reset:", "Again:"), "the feature 'Soft reset' occurs twice")):
            with self.subTest(new), self.assertRaisesRegex(plan.Unreadable, line):
                found(old, new)


class Results(unittest.TestCase):
    def lines(self, **changes):
        ran = {**PASSED, **{name.replace("_X_", "."): outcome for name, outcome in changes.items()}}
        return list(plan.not_run(plan.read(PLAN), KNOWN, {name: one for name, one in ran.items() if one}))

    def test_what_has_run(self):
        self.assertEqual(self.lines(), [])
        self.assertEqual(self.lines(formal_X_cmd="skipped"), ["Soft reset: the test formal.cmd is skipped; allowed: passed"])
        self.assertEqual(self.lines(Engines_X_Ring=None), ["Soft reset: the test Engines.Ring is absent; allowed: passed"])
        self.assertEqual(self.lines(coverage_X_short="failed"),
                         ["Soft reset: the test coverage.short is failed; allowed: passed"])

    def test_what_ctest_writes(self):
        """A run of ctest with a test of each outcome."""
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "CTestTestfile.cmake").write_text(TESTS, encoding="utf-8")
            subprocess.run(["ctest", "--output-junit", "junit.xml"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           check=False)
            expected = {line.split("(")[1].split()[0]: line.split("# ")[1] for line in TESTS.splitlines() if "# " in line}
            self.assertEqual(plan.outcomes(pathlib.Path(folder) / "junit.xml"), expected)
            self.assertEqual(set(expected.values()), {"passed", "failed", "skipped"})
            with self.assertRaisesRegex(plan.Unreadable, "LastTest.log: syntax error.*allowed: a file of"):
                plan.outcomes(pathlib.Path(folder) / "Testing/Temporary/LastTest.log")

    def test_files_of_other_kinds(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "junit.xml"
            for text, line in (("<testsuite>", "no element found"), ("<testsuite/>", "no test; allowed"), ("", "no element found")):
                path.write_text(text, encoding="utf-8")
                with self.assertRaisesRegex(plan.Unreadable, line):
                    plan.outcomes(path)
            path.write_text("{}", encoding="utf-8")
            with self.assertRaisesRegex(plan.Unreadable, "not a coverage.json"):
                plan.reached(path)

    def test_bins_that_were_not_reached(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "coverage.json"
            for count, lines in ((3, []), (0, ["Soft reset: none of its bins was reached"])):
                path.write_text(json.dumps({"groups": [{"name": "status", "bins": {"OK": count, "ERR_READ": 0}}]}), encoding="utf-8")
                self.assertEqual(list(plan.not_reached(plan.read(PLAN), plan.reached(path))), lines)


class Sources(unittest.TestCase):
    def test_a_new_register_has_no_feature(self):
        """The registers are those of mxe.rdl: one more, and one more status, are found."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            shutil.copytree(names.ROOT / "model/regs", root / "model/regs", ignore=shutil.ignore_patterns("generated"))
            rdl = root / "model/regs/mxe.rdl"
            text = rdl.read_text(encoding="utf-8")
            for old, new in (('  hw_value_r B_BANKS @ 0x030;', '  hw_value_r SEED @ 0x034; SEED->desc = "A seed.";\n'
                              '  hw_value_r B_BANKS @ 0x030;'),
                             ("  ERR_ABORTED    =", '  ERR_NEW = 32\'d12 { desc = "New."; };\n  ERR_ABORTED    =')):
                self.assertIn(old, text)
                text = text.replace(old, new)
            rdl.write_text(text, encoding="utf-8")
            registers, descriptor, values = names.description(root)
        known = names.of_sources()
        self.assertEqual(registers - known.registers, {"SEED"})
        self.assertEqual(values - known.values, {"status_code.ERR_NEW"})
        known.registers, known.values = registers, values
        self.assertEqual(descriptor, known.descriptor)
        self.assertEqual(list(plan.findings(plan.read(plan.PLAN.read_text(encoding="utf-8")), known)),
                         ["registers: no feature has 'SEED'", "values: no feature has 'status_code.ERR_NEW'"])

    def test_headings(self):
        self.assertEqual(names.headings("# A, b\n## `C`-d (e)\n```sh\n# no heading\n```\n### RING_TAIL\n"),
                         {"a-b", "c-d-e", "ring_tail"})

    def test_proofs(self):
        text = ("foreach(mem_w 64 512)\n  mxe_proof(bursts_${mem_w} mxe_bursts)\nendforeach()\nmxe_proof_fault(late \"a\")\n"
                "mxe_proof(ram mxe_ram)\n")
        self.assertEqual(names.proofs(text), {"bursts_64": [], "bursts_512": ["late"], "ram": []})

    def test_keys_that_no_seed_draws(self):
        drawn = names.random_keys(names.ROOT)
        self.assertLessEqual({"reset_after", "mem_jitter", "nvfp4", "out_format", "values: ties"}, drawn)
        self.assertFalse({"endless_jobs", "counters_anywhere", "claim_m", "values: sparse"} & drawn)

    def test_tests_of_a_build(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "unit").mkdir()
            (root / "CTestTestfile.cmake").write_text('add_test(a.b "x")\nsubdirs("unit")\n', encoding="utf-8")
            (root / "unit/CTestTestfile.cmake").write_text(f'include("{root}/unit/t[1]_include.cmake")\nadd_test("c d" "x")\n',
                                                           encoding="utf-8")
            (root / "unit/t[1]_include.cmake").write_text(
                f'if(EXISTS "x")\n  include("{root}/unit/t[1]_tests.cmake")\nelse()\n  add_test(t_NOT_BUILT t_NOT_BUILT)\nendif()\n',
                encoding="utf-8")
            self.assertEqual(names.tests_of_build(root), {"a.b", "c d", "t_NOT_BUILT"})
            (root / "unit/t[1]_tests.cmake").write_text("add_test([=[S.T/1]=]  x [==[--f]==])\n", encoding="utf-8")
            self.assertEqual(names.tests_of_build(root), {"a.b", "c d", "S.T/1"})
            with self.assertRaisesRegex(names.Unreadable, "no such file"):
                names.tests_of_build(root / "none")


class Program(unittest.TestCase):
    def run_with(self, *arguments):
        error = io.StringIO()
        with mock.patch.object(sys, "argv", ["plan.py", *arguments]), contextlib.redirect_stderr(error):
            try:
                return plan.main(), error.getvalue()
            except SystemExit as done:
                return done.code, error.getvalue()

    def test_a_page_that_differs(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(plan, "PAGE", pathlib.Path(folder) / "page.md"):
            self.assertIn("docs/test-plan.md differs", self.run_with()[1])
            self.assertEqual(self.run_with("--write"), (0, ""))
            self.assertEqual(self.run_with(), (0, ""))

    def test_wrong_arguments(self):
        self.assertEqual(self.run_with("--results", "junit.xml")[0], 2)
        status, error = self.run_with("--build", "/none")
        self.assertEqual((status, error.count("\n")), (2, 1))


if __name__ == "__main__":
    unittest.main()
