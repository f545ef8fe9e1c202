# SPDX-License-Identifier: Apache-2.0
"""scripts/evidence finds records of another RTL and changed results, and refuses lists and commands with mistakes."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import shutil
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True

import records  # noqa: E402
import tables  # noqa: E402

loader = importlib.machinery.SourceFileLoader("evidence", str(ROOT / "scripts/evidence"))
evidence = importlib.util.module_from_spec(importlib.util.spec_from_loader("evidence", loader))
loader.exec_module(evidence)

NOW = records.rtl_digest()
LISTED = '[[record]]\nname = "jobs"\nshows = "random jobs"\n'
RECORD = {"command": "true", "commit": "12ab", "rtl": NOW, "counts": {"jobs": 3000, "mismatches": 0}, "runs": []}
# Prints the number of jobs of a run, and the seconds, which differ in each run.
JOBS = [sys.executable, "-c", "import json, time; print(json.dumps(dict(jobs=10 * {}, seconds=time.time(), max_error=0, ok=True)))"]


class Folder(unittest.TestCase):
    """A folder with the files of docs/data."""

    def setUp(self):
        self.data = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.data / "evidence").mkdir()
        self.enterContext(mock.patch.object(evidence, "DATA", self.data))

    def fill(self, listed=LISTED, record=RECORD, path="evidence/jobs.json"):
        (self.data / "evidence/records.toml").write_text(listed, encoding="utf-8")
        (self.data / path).write_text(json.dumps(record), encoding="utf-8")

    def run_with(self, *arguments):
        """Exit status, output and errors of the program."""
        output, error = io.StringIO(), io.StringIO()
        with mock.patch.object(sys, "argv", ["evidence", *map(str, arguments)]), contextlib.redirect_stdout(output), \
                contextlib.redirect_stderr(error):
            try:
                status = evidence.main()
            except SystemExit as done:
                status = done.code
        return status, output.getvalue(), error.getvalue()


class Check(Folder):
    def findings(self, *arguments, **changes):
        self.fill(*arguments, **changes)
        return list(records.findings(NOW, self.data))

    def test_a_record_of_this_rtl(self):
        self.assertEqual(self.findings(), [])

    def test_records_of_another_rtl(self):
        for changes in ({"rtl": "0000"}, {"rtl": None}):
            [line] = self.findings(record={**RECORD, **changes})
            self.assertIn("jobs is of another RTL (commit 12ab): repeat it with `scripts/evidence --again jobs`", line)
        self.assertEqual(self.findings(LISTED + 'stale = "before NVFP4"\n', {**RECORD, "rtl": "0000"}), [])
        (self.data / "evidence/jobs.json").unlink()
        self.assertIn("repeat it with `scripts/figures jobs`", *self.findings(record={**RECORD, "rtl": ""}, path="jobs.json"))

    def test_a_reason_without_need(self):
        self.assertIn("calls it stale: remove 'stale'", *self.findings(LISTED + 'stale = "before NVFP4"\n'))

    def test_a_record_that_is_not_listed(self):
        (self.data / "evidence/more.json").write_text("{}", encoding="utf-8")
        self.assertIn("docs/data/evidence/more.json is not in docs/data/evidence/records.toml", *self.findings())

    def test_mistakes(self):
        for listed, line in ((LISTED + 'old = "x"\n', "record 'jobs': unknown key 'old'; allowed: name, shows, stale"),
                             (LISTED + "stale = true\n", "record 'jobs': allowed: texts"),
                             (LISTED + 'stale = ""\n', "record 'jobs': allowed: texts"),
                             (LISTED.replace("shows", "stale"), "record 'jobs': allowed: texts"),
                             (LISTED + LISTED, "record 'jobs' occurs twice"),
                             (LISTED.replace("[[record]]", "[[records]]"), "unknown key 'records'"),
                             (LISTED + "name = 1\n", "Cannot overwrite a value"),
                             (LISTED.replace('"jobs"', '"none"'), "record 'none': 0 files")):
            self.fill(listed)
            status, _, error = self.run_with("--check")
            self.assertEqual((status, error.count("\n")), (2, 1), error)
            self.assertIn(line, error)
        self.fill(record={"command": "true"})
        self.assertIn("not a record: KeyError('commit')", self.run_with("--check")[2])
        self.fill()
        self.fill(path="jobs.json")
        self.assertIn("record 'jobs': 2 files", self.run_with("--check")[2])

    def test_the_table(self):
        self.fill(record={**RECORD, "date": "2026-11-29"})
        self.assertEqual(list(records.rows(self.data)),
                         [["`jobs`", "random jobs: 3,000 jobs, 0 mismatches", "12ab, 2026-11-29", "this one"]])
        self.fill(LISTED + 'stale = "before NVFP4"\n')
        self.assertEqual(next(records.rows(self.data))[3], "older: before NVFP4")
        self.assertEqual(self.run_with()[1],
                         "jobs: random jobs: 3,000 jobs, 0 mismatches; commit 12ab; older: before NVFP4\n")


class Digest(unittest.TestCase):
    def test_changes_of_the_rtl(self):
        """Comments, assertions and white space are not the RTL; a gate, a parameter and a new file are."""
        with tempfile.TemporaryDirectory() as folder:
            rtl = pathlib.Path(folder) / "rtl"
            for name, old, new, same in (("mxe_fifo.sv", "endmodule", "// a comment\n\nendmodule", True),
                                         ("mxe_assert.svh", "`endif", "// a comment\n`endif", True),
                                         ("mxe_fifo.sv", "count_q", "count_r", False),
                                         ("mxe_parameters.svh", "NUM_PE", "NUM_PES", False),
                                         ("mxe_new.sv", "", "module mxe_new; endmodule\n", False)):
                shutil.rmtree(rtl, ignore_errors=True)
                shutil.copytree(ROOT / "rtl", rtl)
                text = (rtl / name).read_text(encoding="utf-8") if old else ""
                self.assertIn(old, text)
                (rtl / name).write_text(text.replace(old, new, 1), encoding="utf-8")
                self.assertEqual(records.rtl_digest(rtl) == NOW, same, f"{name}: {new}")


class Runs(Folder):
    def test_a_run(self):
        self.assertEqual(self.run_with("--record", "jobs", "--for", 1, 3, "--", *JOBS)[::2], (0, ""))
        record = json.loads((self.data / "evidence/jobs.json").read_text(encoding="utf-8"))
        self.assertEqual((record["counts"], record["rtl"], record["commit"], record["date"]),
                         ({"jobs": 60}, NOW, tables.commit(), tables.today()))
        self.assertEqual([run[0] for run in record["runs"]], [1, 2, 3])
        self.assertEqual(self.run_with("--again", "jobs")[::2], (0, ""))
        self.assertEqual(json.loads((self.data / "evidence/jobs.json").read_text(encoding="utf-8"))["runs"], record["runs"])

    def test_a_sample(self):
        self.fill()
        self.run_with("--record", "jobs", "--for", 1, 3, "--", *JOBS)
        self.assertEqual(self.run_with("--sample", "jobs", "--count", 9), (0, "", ""))
        path = self.data / "evidence/jobs.json"
        record = json.loads(path.read_text(encoding="utf-8"))
        for changes, status, line in (({"command": record["command"].replace("10", "11")}, 1, "evidence: jobs, run "),
                                      ({"rtl": "0000"}, 2, "'jobs' is of another RTL"),
                                      ({"runs": [[1, "0000", {"jobs": 10}]]}, 1, "recorded: ['0000', {'jobs': 10}]")):
            path.write_text(json.dumps({**record, **changes}), encoding="utf-8")
            found, _, error = self.run_with("--sample", "jobs")
            self.assertEqual((found, error.count("\n")), (status, 1), error)
            self.assertIn(line, error)
        self.fill(LISTED + 'stale = "before NVFP4"\n', {**record, "rtl": "0000"})
        self.assertEqual(self.run_with("--sample", "jobs")[0], evidence.SKIPPED)

    def test_a_summary_of_ctest(self):
        text = "echo '98% tests passed, 2 tests failed out of 110'"
        self.assertEqual(self.run_with("--record", "proofs", "--", "sh", "-c", text)[::2], (0, ""))
        self.assertEqual(records.record_of("proofs", self.data)["counts"], {"tests": 110, "failed": 2})

    def test_a_record_of_figures(self):
        self.fill(record={"command": "true", "commit": "12ab"}, path="jobs.json")
        self.assertIn("'jobs' is a record of scripts/figures", self.run_with("--again", "jobs")[2])

    def test_commands_without_a_record(self):
        for command, line in ((["false"], "exit status 1: false"), (["echo", "none"], "neither a JSON object nor"),
                              (["echo", "[1]"], "neither a JSON object nor")):
            status, _, error = self.run_with("--record", "jobs", "--", *command)
            self.assertEqual((status, error.count("\n")), (1, 1), error)
            self.assertIn(line, error)
            self.assertFalse((self.data / "evidence/jobs.json").exists())
        self.assertEqual(self.run_with("--record", "jobs", "--", "/none/mxe")[0], 2)

    def test_wrong_arguments(self):
        for arguments in (["--record", "jobs"], ["true"], ["--record", "a/b", "--", "true"], ["--record", "a", "--", "true", "{}"],
                          ["--record", "a", "--for", 1, 2, "--", "true"], ["--record", "a", "--for", 3, 2, "--", "echo", "{}"],
                          ["--sample", "jobs", "--count", 0], ["--check", "--count", 2], ["--sample"], ["--check", "--again", "jobs"],
                          ["--again", "none"]):
            self.assertEqual(self.run_with(*arguments)[0], 2, arguments)


if __name__ == "__main__":
    unittest.main()
