#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/mutation can fail: it reports surviving mutants, and its proofs depend on the design."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

import equivalence
import unused_bits

BUILD = sys.argv.pop(1)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DIRECTORY = os.path.join(BUILD, "tests", "mutation", "mutants")


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


def load(*path):
    with open(os.path.join(BUILD, "tests", *path), encoding="utf-8") as file:
        return json.load(file)


def mutants():
    return load("mutation", "mutants", "mutants.json")


def mutants_of(module):
    return [m for m in mutants() if m["module"] == module]


def save(directory, results):
    path = os.path.join(directory, "results.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(results, file)
    return path


def script(*arguments):
    return run(os.path.join(ROOT, "scripts", "mutation"), "--build", BUILD, *arguments)


class Mutation(unittest.TestCase):
    def test_what_fails_without_a_fault_notices_nothing(self):
        done = run(os.path.join(BUILD, "mxe_mutation"), "--group", "planted", "--fault", "1",
                   "--always", "12")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertRegex(done.stderr, "^mxe_mutation: group 'planted' fails without a fault, too, in "
                                      "seed 1 of 15 jobs: ")

    def test_survivors_fail_the_run(self):
        survivor = dict(mutants_of("mxe_decode4")[0], name="", killed=False)
        survivor["name"] = f"mutant {survivor['number']}"
        with tempfile.TemporaryDirectory() as directory:
            results = save(directory, [survivor])
            done = script("--no-proof", "--only", str(survivor["number"]), "--results", results)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("survived 1; 0.00 % of 1 killed", done.stdout)
        self.assertIn(f"survived: mutant {survivor['number']}, mxe_decode4", done.stdout)

    def test_every_planted_fault_is_required(self):
        faults = load("faults", "rtl", "faults.json")
        self.assertGreaterEqual(len(faults), 50)
        outcomes = [dict(f, name=f"fault {f['number']}", group="planted", mode=f["name"],
                         killed=f["number"] != 5) for f in faults]
        with tempfile.TemporaryDirectory() as directory:
            results = save(directory, outcomes)
            done = script("--planted", "--results", results)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("survived: fault 5, mxe_facc, dropped_alignment_sticky", done.stdout)

    def test_what_cannot_be_run_is_refused(self):
        for arguments, message in ((["--only", "17", "9999"], "there is no mutant 9999"),
                                   (["--only", "17", "--planted"], "not allowed with"),
                                   (["--build", "/nowhere"], "no mutants in /nowhere"),
                                   (["--results", os.path.abspath(__file__)], "test_mutation.py: ")):
            done = script(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(message, done.stderr)

    def test_a_difference_is_not_proved_away(self):
        design = equivalence.Design(DIRECTORY)
        for mutant in mutants_of("mxe_amax"):
            self.assertIsNone(design.prove(mutant, tries=1), mutant)

    def test_a_written_byte_is_not_proved_away(self):
        """Bytes without a strobe may differ; bytes with one must not."""
        module, body = re.search(r"^module \\?(\S*mxe_wr_port)\n(.*?)^end$",
                                 equivalence.read(DIRECTORY, "mutants.il"), re.MULTILINE | re.DOTALL).groups()
        cell = next(c for c in body.split("\n  cell ") if "connect \\Q \\w_data_q\n" in c).split()[1]
        fault = {"command": f"mutate -mode inv -module {module} -cell {cell} -port Q -portbit 9"}
        self.assertIsNone(equivalence.Design(DIRECTORY).prove(fault, tries=1))

    def test_every_attempt_has_the_fault_in_every_place_where_it_is(self):
        """The module is never left out; every path from it to the top crosses a place of each attempt."""
        design = equivalence.Design(DIRECTORY)

        def is_covered(module, places):
            around = design.around(module)
            return module in places or (bool(around) and all(is_covered(m, places) for m in around))
        for module in design.children:
            for attempt in design.attempts(module):
                self.assertTrue(is_covered(module, dict(attempt)), (module, attempt))
                for place, kept in attempt:
                    self.assertTrue(module == place or module in kept, (module, attempt))

    def test_bits_that_lead_nowhere_are_found(self):
        """An inner module uses bits 0 and 1 of four, one through a mux; a mask clears the third. The outer module also
        uses bits 4 and 5, in a register and an output."""
        inner = """module \\inner
  wire width 4 input 1 \\a_i
  wire input 2 \\s_i
  wire output 3 \\y_o
  wire width 2 \\m
  wire width 3 \\n
  cell $mux \\u_mux
    connect \\A \\a_i [3:2]
    connect \\B { \\a_i [3] \\a_i [1] }
    connect \\S \\s_i
    connect \\Y \\m
  end
  cell $and \\u_and
    connect \\A { \\m [0] \\a_i [0] \\a_i [3] }
    connect \\B 3'110
    connect \\Y \\n
  end
  cell $reduce_or \\u_or
    connect \\A \\n
    connect \\Y \\y_o
  end
end
"""
        outer = """module \\outer
  wire width 6 input 1 \\b_i
  wire output 2 \\q_o
  wire output 3 \\z_o
  cell \\inner \\u_inner
    connect \\a_i \\b_i [3:0]
    connect \\s_i \\b_i [4]
    connect \\y_o \\z_o
  end
  cell $dff \\u_dff
    connect \\CLK \\b_i [5]
    connect \\D \\b_i [4]
    connect \\Q \\q_o
  end
end
"""
        unused = unused_bits.find(inner + outer)
        self.assertEqual(unused, {"\\inner": {"\\a_i": {3}}, "\\outer": {"\\b_i": {3}}})
        tied = unused_bits.tie(inner + outer, unused)
        self.assertIn("    connect \\a_i { 1'0 \\b_i [2] \\b_i [1] \\b_i [0] }\n", tied)
        self.assertEqual(tied.count("1'0"), 1)
        seen = unused_bits.find(inner.replace("3'110", "3'111") + outer)
        self.assertEqual(seen, {"\\inner": {}, "\\outer": {}})

    def test_no_difference_is_proved(self):
        mutant = mutants_of("mxe_walk")[0]
        words = mutant["command"].split()
        words[words.index("-mode") + 1] = "none"
        self.assertEqual(
            equivalence.Design(DIRECTORY).prove(dict(mutant, command=" ".join(words))), "mxe_walk")


if __name__ == "__main__":
    unittest.main()
