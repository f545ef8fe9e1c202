# SPDX-License-Identifier: Apache-2.0
"""The rules of the loop nest's sizes have one place in C++, model/params/nest.h: no other source file has them."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLACE = "model/params/nest.h"
FOLDERS = ["model/engine", "model/harness", "model/job", "model/params", "model/platform", "sw/explore", "tb",
           "tests/cosim", "tests/unit/explore", "tests/unit/rtl"]
WORD = r"(?:\w+::)*(?:kLanes|kBlockSize|32)\b"
RULES = {
    "halves of the last two parts": r"\bleft \+ 1\) / 2|\bboth / 2|\bmost\) return most|/ 2 >= \w*most|\brows \+ 1\) / 2",
    "chunks of few rows": r"\brows / [48]\b|\brows / few\b",
    "words of a chunk": rf"\ba_slab_k / {WORD} <<|\bchunk \*= 2",
    "words of a slab": r"2 \* \w*(?:slab|words)\w* <= |2 \* [\w.]*b_buf_k <= |\bslab_? (?:/|\*)= 2",
    "wide tiles": rf"\bm < (?:kMinPass|7)\b|\b(?:kMinPass|7) \* [\w.]*mem_bytes|\bb_buf_k > {WORD}",
    "columns of a tile": r"\bwide \? 2 \* [\w.]*(?:num_pe|cols)",
}


def rules_in(text):
    for number, line in enumerate(text.splitlines(), 1):
        for rule, pattern in RULES.items():
            if re.search(pattern, line):
                yield number, rule


class Nest(unittest.TestCase):
    def test_no_other_file_has_a_rule(self):
        found = []
        for folder in FOLDERS:
            for path in sorted((ROOT / folder).rglob("*")):
                name = path.relative_to(ROOT).as_posix()
                if path.suffix in {".h", ".cpp"} and name != PLACE:
                    found += [f"{name}:{number}: {rule}: use LoopNest of {PLACE}"
                              for number, rule in rules_in(path.read_text(encoding="utf-8"))]
        self.assertEqual([], found)

    def test_the_place_has_each_rule(self):
        text = (ROOT / PLACE).read_text(encoding="utf-8")
        self.assertEqual(set(RULES), {rule for _, rule in rules_in(text)})

    def test_earlier_copies_are_found(self):
        for rule, line in [
                ("halves of the last two parts", "const uint64_t half = (left + 1) / 2;"),
                ("halves of the last two parts", "if (left / 2 >= most) return most;"),
                ("halves of the last two parts", "stripe_of(both / 2) + stripe_of(both - both / 2);"),
                ("chunks of few rows", "for (unsigned few = 2; few <= 8 && m <= rows / few; few *= 2) chunk *= 2;"),
                ("words of a chunk", "const bool one = k_words <= params_.a_slab_k / kLanes << chunk_shift(params_.rows, m);"),
                ("words of a slab", "if (levels.long_slab && 2 * slab <= chunk) slab *= 2;"),
                ("words of a slab", "const bool twice = long_slab && 2 * words <= params.a_slab_k / kLanes;"),
                ("wide tiles", "const bool few_rows = job.m < 7;"),
                ("wide tiles", "params.num_pe * word_bytes < kMinPass * params.mem_bytes();"),
                ("columns of a tile", "tile_cols_(levels.wide ? 2 * cols_ : cols_),")]:
            self.assertIn(rule, [found for _, found in rules_in(line)], line)


if __name__ == "__main__":
    unittest.main()
