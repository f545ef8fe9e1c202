#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/mutation must be able to fail: it tells what survives, and its proofs are no formality."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import equivalence

BUILD = sys.argv.pop(1)
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CASES = os.path.join(ROOT, "tests", "cosim", "cases")
DIRECTORY = os.path.join(BUILD, "tests", "mutation", "mutants")


def run(*arguments):
    environment = dict(os.environ, SYSTEMC_DISABLE_COPYRIGHT_MESSAGE="1")
    return subprocess.run(arguments, capture_output=True, text=True, env=environment, check=False)


def mutants_of(module):
    with open(os.path.join(DIRECTORY, "mutants.json"), encoding="utf-8") as file:
        return [m for m in json.load(file) if m["module"] == module]


class Mutation(unittest.TestCase):
    def test_no_fault_survives(self):
        for group in ("control", "results", "sums", "products"):
            cases = [] if group == "products" else ["--cases", CASES]  # slow
            done = run(os.path.join(BUILD, "mxe_mutation"), "--group", group, "--jobs", "60", *cases)
            self.assertFalse(json.loads(done.stdout.splitlines()[-1])["killed"], group)

    def test_survivors_fail_the_run(self):
        with tempfile.TemporaryDirectory() as directory:
            results = os.path.join(directory, "results.json")
            survivor = dict(mutants_of("mxe_decode4")[0], name="", killed=False)
            survivor["name"] = f"mutant {survivor['number']}"
            with open(results, "w", encoding="utf-8") as file:
                json.dump([survivor], file)
            done = run(os.path.join(ROOT, "scripts", "mutation"), "--build", BUILD, "--no-proof",
                       "--only", str(survivor["number"]), "--results", results)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("survived 1; 0.00 % of 1 killed", done.stdout)
        self.assertIn(f"survived: mutant {survivor['number']}, mxe_decode4", done.stdout)

    def test_a_difference_is_not_proved_away(self):
        for mutant in mutants_of("mxe_decode4"):
            self.assertFalse(equivalence.prove(DIRECTORY, mutant), mutant)

    def test_no_difference_is_proved(self):
        mutant = mutants_of("mxe_walk")[0]
        words = mutant["command"].split()
        words[words.index("-mode") + 1] = "none"
        self.assertTrue(equivalence.prove(DIRECTORY, dict(mutant, command=" ".join(words))))


if __name__ == "__main__":
    unittest.main()
