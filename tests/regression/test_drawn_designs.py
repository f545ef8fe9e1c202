#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sets that scripts/drawn-designs draws are legal and different; the same seed gives the same sets."""
import subprocess
import sys
import tempfile
import unittest

SCRIPT, MXE = sys.argv[1:3]


def run(*arguments):
    return subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, check=False)


def sets_of(seed, count, *more):
    out = run("--list", "--seed", str(seed), "--count", str(count), *more).stdout.splitlines()
    assert out[0] == f"seed {seed}", out
    return out[1:]


def accepts(words):
    """True if the engine's own check accepts the set."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write("\n".join(word.replace("=", ": ") for word in words.split()) + "\n")
        file.flush()
        command = [MXE, "estimate", "1", "1", "1", "--format-a", "mxfp4_e2m1", "--format-b",
                   "mxfp4_e2m1", "--config", file.name]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def names_of(words):
    return [word.partition("=")[0] for word in words.split()]


def all_parameters():
    out = subprocess.run([MXE, "estimate", "1", "1", "1", "--format-a", "mxint8", "--format-b",
                          "mxint8"], capture_output=True, text=True, check=True).stdout
    shown = next(line for line in out.splitlines() if "configuration" in line)
    return names_of(shown[shown.index("(") + 1:shown.index(")")])


class DrawnDesigns(unittest.TestCase):
    def test_sets_are_legal(self):
        drawn = sets_of(5, 40)
        self.assertEqual(len(drawn), 40)
        for words in drawn:
            self.assertEqual(names_of(words), all_parameters())
            self.assertTrue(accepts(words), words)

    def test_an_illegal_set_would_be_noticed(self):
        [words] = sets_of(5, 1)
        rows = next(word for word in words.split() if word.startswith("ROWS="))
        self.assertFalse(accepts(words.replace(rows, "ROWS=4")))

    def test_the_seed_decides(self):
        self.assertEqual(sets_of(6, 5), sets_of(6, 5))
        self.assertNotEqual(sets_of(6, 5), sets_of(7, 5))

    def test_values_go_from_end_to_end(self):
        drawn = sets_of(1, 300)
        for end in ("NUM_PE=1 ", "NUM_PE=64 ", "MEM_W=64 ", "MEM_W=512 ", "TREE_W=56 ",
                    "QUEUE_DEPTH=256 ", "FP4_DUAL=1 "):
            self.assertTrue(any(end in words + " " for words in drawn), end)

    def test_no_more_pes_than_wanted(self):
        self.assertFalse(any("NUM_PE=64" in words for words in sets_of(1, 100, "--most-pes", "32")))

    def test_usage(self):
        self.assertEqual(run("--count", "0").returncode, 2)
        self.assertEqual(run("--build", "/nowhere").returncode, 2)
        self.assertEqual(run("--help").returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
